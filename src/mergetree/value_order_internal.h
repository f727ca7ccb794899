#pragma once

#include <cstdint>

#include <arrow/array.h>

#include "base/result.h"
#include "types/data_type.h"

namespace braid {

/// The order of a type's values (spec data.md §3.3). A value.
class ValueOrder {
 public:
  using Function = int (*)(const arrow::Array& a, std::int64_t i, const arrow::Array& b, std::int64_t j);

  ValueOrder() = default;
  explicit ValueOrder(Function function) : function_(function) {}

  /// Compares element i of a with element j of b, neither of them NULL: < 0, 0 or > 0. Precondition: made of a
  /// function.
  int operator()(const arrow::Array& a, std::int64_t i, const arrow::Array& b, std::int64_t j) const {
    return function_(a, i, b, j);
  }

 private:
  Function function_ = nullptr;
};

/// The order of a type's values. Errors: kUnsupported for a type without order (nested ones, VARIANT).
Result<ValueOrder> ValueOrderOf(const DataType& type);

}  // namespace braid
