#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "base/result.h"
#include "format/avro_schema.h"

namespace braid {

/// Reads Avro's binary values from bytes that may be damaged. One thread.
///
/// Failures stick: after the first, every read gives zero or nothing at once, so that loops end and callers check
/// `ok()` once a record instead of once a value. No read looks outside the bytes.
class AvroCursor {
 public:
  /// The bytes must outlive the cursor and the views that it returns.
  explicit AvroCursor(std::string_view bytes)
      : begin_(bytes.data()), position_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool ok() const { return failure_ == nullptr; }
  bool at_end() const { return position_ == end_; }
  std::size_t offset() const { return static_cast<std::size_t>(position_ - begin_); }
  std::size_t remaining() const { return static_cast<std::size_t>(end_ - position_); }

  /// Records what is wrong, unless something was wrong already. `what` must be a literal.
  void Fail(const char* what) {
    if (failure_ != nullptr) return;
    failure_ = what;
    failed_at_ = offset();
    position_ = end_;
  }
  const char* failure() const { return failure_; }
  /// Where in the bytes the failure was noticed.
  std::size_t failed_at() const { return failed_at_; }

  /// An int or a long.
  std::int64_t Long() {
    if (position_ != end_ && static_cast<signed char>(*position_) >= 0) {
      const auto byte = static_cast<std::uint64_t>(*position_++);
      return static_cast<std::int64_t>(byte >> 1) ^ -static_cast<std::int64_t>(byte & 1);
    }
    return LongLong();
  }
  /// Passes over an int or a long.
  void SkipLong() {
    for (int bytes = 0; bytes < 10; ++bytes) {
      if (position_ == end_) return Fail("the block ends within a value");
      if (static_cast<signed char>(*position_++) >= 0) return;
    }
    Fail("a number is longer than 64 bits");
  }
  std::int32_t Int() {
    const std::int64_t value = Long();
    if (value < std::numeric_limits<std::int32_t>::min() || value > std::numeric_limits<std::int32_t>::max()) {
      Fail("an int is out of range");
      return 0;
    }
    return static_cast<std::int32_t>(value);
  }
  bool Boolean() {
    const std::string_view byte = Fixed(1);
    return !byte.empty() && byte[0] != 0;
  }
  float Float() { return std::bit_cast<float>(LittleEndian<std::uint32_t>()); }
  double Double() { return std::bit_cast<double>(LittleEndian<std::uint64_t>()); }
  /// Bytes or a string.
  std::string_view Bytes() { return Fixed(Long()); }
  std::string_view Fixed(std::int64_t size) {
    if (size < 0 || static_cast<std::uint64_t>(size) > remaining()) {
      Fail("a value is longer than its block");
      return {};
    }
    const std::string_view bytes(position_, static_cast<std::size_t>(size));
    position_ += size;
    return bytes;
  }

  /// The number of items in the next block of an array or map; 0 after the last. Never more than the bytes left, so it
  /// is for items that take bytes (AvroNode::takes_bytes).
  std::size_t ItemCount() {
    std::int64_t count = Long();
    if (count < 0) {
      if (count == std::numeric_limits<std::int64_t>::min()) {
        Fail("an array is longer than its block");
        return 0;
      }
      count = -count;
      Long();  // the block's size in bytes, for those who skip it
    }
    if (static_cast<std::uint64_t>(count) > remaining()) Fail("an array is longer than its block");
    return ok() ? static_cast<std::size_t>(count) : 0;
  }

  /// Passes over one value of that type. Recursion deeper than 64 types is taken for damage.
  void Skip(const AvroSchema& schema, std::int32_t node) { SkipNode(schema, node, 0); }

 private:
  std::int64_t LongLong();
  void SkipNode(const AvroSchema& schema, std::int32_t node, int depth);
  void SkipItems(const AvroSchema& schema, const AvroNode& node, int depth);

  template <typename Number>
  Number LittleEndian() {
    Number value = 0;
    const std::string_view bytes = Fixed(sizeof(Number));
    if (bytes.size() == sizeof(Number)) std::memcpy(&value, bytes.data(), sizeof(Number));
    return value;
  }

  const char* begin_;
  const char* position_;
  const char* end_;
  const char* failure_ = nullptr;
  std::size_t failed_at_ = 0;
};

static_assert(std::endian::native == std::endian::little, "Avro's floats are read as they lie in memory");

/// Appends values in Avro's binary form.
class AvroEncoder {
 public:
  /// `out` must outlive the encoder.
  explicit AvroEncoder(std::string& out) : out_(out) {}

  void Long(std::int64_t value) {
    auto bits = static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
    while (bits >= 0x80) {
      out_.push_back(static_cast<char>(bits | 0x80));
      bits >>= 7;
    }
    out_.push_back(static_cast<char>(bits));
  }
  void Boolean(bool value) { out_.push_back(value ? '\1' : '\0'); }
  void Float(float value) { Raw({reinterpret_cast<const char*>(&value), sizeof(value)}); }
  void Double(double value) { Raw({reinterpret_cast<const char*>(&value), sizeof(value)}); }
  void Bytes(std::string_view value) {
    Long(static_cast<std::int64_t>(value.size()));
    out_.append(value);
  }
  /// The branch of a ["null", T] union; a value of T must follow unless it is null.
  void Present(bool present) { out_.push_back(present ? '\2' : '\0'); }
  /// Starts an array's or map's only block; nothing but `EndItems` follows for 0 items.
  void StartItems(std::size_t count) {
    if (count != 0) Long(static_cast<std::int64_t>(count));
  }
  void EndItems() { out_.push_back('\0'); }
  /// Bytes as they are: a fixed, or a part of Bytes whose length was written by Long.
  void Raw(std::string_view bytes) { out_.append(bytes); }

 private:
  std::string& out_;
};

}  // namespace braid
