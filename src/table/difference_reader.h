#pragma once

#include <memory>

#include "base/result.h"
#include "mergetree/key_value.h"
#include "types/batch.h"

namespace braid {

/// Rows of `after` whose key `before` lacks or holds with other values (spec data.md §10.6): the value columns with the kinds of `after`.
/// Both are key-value batches of the schema, ascending by key, one row a key.
Result<std::unique_ptr<BatchReader>> MakeDifferenceReader(const KeyValueSchema& schema, std::unique_ptr<BatchReader> before,
                                                          std::unique_ptr<BatchReader> after);

}  // namespace braid
