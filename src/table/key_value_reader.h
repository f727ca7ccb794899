#pragma once

#include <memory>

#include "mergetree/key_value.h"
#include "types/batch.h"

namespace braid {

/// Turns columns that were read as KeyValueReadFields(schema) into key-value batches.
std::unique_ptr<BatchReader> MakeKeyValueReader(std::unique_ptr<BatchReader> columns, const KeyValueSchema& schema);

}  // namespace braid
