#pragma once

#include <memory>

#include "format/file_format.h"
#include "mergetree/key_value.h"
#include "types/batch.h"

namespace braid {

/// Turns columns that were read as KeyValueReadFields(schema) into key-value batches, a batch into one of as many rows.
std::unique_ptr<FileReader> MakeKeyValueReader(std::unique_ptr<FileReader> columns, const KeyValueSchema& schema);

}  // namespace braid
