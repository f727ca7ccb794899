#pragma once

#include <memory>
#include <string>

#include "format/file_format.h"
#include "mergetree/key_value.h"
#include "types/batch.h"

namespace braid {

/// Turns columns that were read as KeyValueReadFields(schema) into key-value batches, a batch into one of as many rows.
/// `file_name` is for errors.
std::unique_ptr<FileReader> MakeKeyValueReader(std::unique_ptr<FileReader> columns, const KeyValueSchema& schema, std::string file_name);

}  // namespace braid
