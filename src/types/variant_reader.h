#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace braid {

/// How a value of a VARIANT is stored: the low two bits of its first byte.
enum class VariantLayout : unsigned { kPrimitive = 0, kShortText = 1, kObject = 2, kArray = 3 };

/// The types of values of layout kPrimitive: the upper six bits of their first byte.
enum class VariantPrimitive : unsigned {
  kNull = 0,
  kTrue = 1,
  kFalse = 2,
  kInt8 = 3,
  kInt16 = 4,
  kInt32 = 5,
  kInt64 = 6,
  kDouble = 7,
  kDecimal4 = 8,
  kDecimal8 = 9,
  kDecimal16 = 10,
  kDate = 11,
  kTimestamp = 12,
  kTimestampNtz = 13,
  kFloat = 14,
  kBinary = 15,
  kLongText = 16,
  kUuid = 20,
};

/// One value inside of a VARIANT. Views the variant's bytes.
struct VariantValue {
  VariantLayout layout = VariantLayout::kPrimitive;
  VariantPrimitive type = VariantPrimitive::kNull;  // of a primitive
  std::string_view encoded;                         // a primitive or short text with its first byte
  std::string_view payload;                         // what it holds: a number's bytes, a text without its size
  std::uint64_t count = 0;                          // members of an object, elements of an array
  // Where an object or array has them, in the variant's bytes.
  std::size_t ids = 0, offsets = 0, data = 0;
  std::size_t id_width = 0, offset_width = 0;
};

/// The error of bytes that are no variant.
Error MalformedVariant(std::string_view what);

/// A number of 1 … 8 little-endian bytes; nullopt if it lies outside of the bytes.
std::optional<std::uint64_t> ReadVariantNumber(std::string_view bytes, std::size_t at, std::size_t width);

/// Reads the two binary parts of a VARIANT (the encoding of Spark and Parquet) from its first value down. Trusts no
/// byte: values are nested 512 deep at most and share no bytes, or a few of them could stand for more than memory
/// holds. So each value is read once. Views the bytes that it was given.
///
/// Errors of all: kCorruption if the bytes are no variant.
class VariantReader {
 public:
  static Result<VariantReader> Open(std::string_view value, std::string_view metadata);

  /// The value at a position of the value part, `depth` levels below the first one, which is at 0.
  Result<VariantValue> At(std::size_t position, int depth);
  /// Precondition: i < count of the object.
  Result<std::string_view> NameOf(const VariantValue& object, std::uint64_t i) const;
  /// The position of a member or an element. Precondition: i < count.
  Result<std::size_t> PositionOf(const VariantValue& parent, std::uint64_t i) const;

 private:
  VariantReader(std::string_view value, std::string_view metadata) : value_(value), metadata_(metadata) {}
  Status Use(std::size_t bytes);
  Status ReadPrimitive(std::size_t position, VariantValue& value) const;
  Status ReadText(std::size_t position, std::size_t size_width, std::uint64_t size, VariantValue& value) const;
  Status ReadElements(std::size_t position, unsigned info, VariantValue& value) const;

  std::string_view value_;
  std::size_t used_bytes_ = 0;  // of the value
  std::string_view metadata_;
  std::size_t name_offset_width_ = 1;
  std::uint64_t name_count_ = 0;
};

}  // namespace braid
