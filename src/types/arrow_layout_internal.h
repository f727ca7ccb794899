#pragma once

#include <cstdint>

#include <arrow/array.h>
#include <arrow/util/bit_util.h>

namespace braid {

/// The validity bits of an array that outlives this.
struct ValidityBits {
  const std::uint8_t* bits = nullptr;  // null: every element is valid
  std::int64_t offset = 0;

  ValidityBits() = default;
  explicit ValidityBits(const arrow::Array& array)
      : bits(array.null_count() == 0 ? nullptr : array.null_bitmap_data()), offset(array.offset()) {}

  bool Get(std::int64_t row) const {
    return bits == nullptr || arrow::bit_util::GetBit(bits, static_cast<std::uint64_t>(offset + row));
  }
};

/// The values or offsets of an array from its first element on; null for an array without values.
template <typename T>
const T* RawValues(const arrow::Array& array) {
  return array.data()->GetValues<T>(1);
}

/// The bytes that the offsets of a text or bytes array point into.
inline const std::uint8_t* RawBytes(const arrow::Array& array) {
  const auto& buffer = array.data()->buffers[2];
  return buffer == nullptr ? nullptr : buffer->data();
}

}  // namespace braid
