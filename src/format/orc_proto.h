#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace braid {

/// The least significant seven bits first, eight a byte.
void AppendVarint(std::uint64_t value, std::string& out);

/// Small numbers of either sign as small unsigned ones: 0, -1, 1, -2, …
constexpr std::uint64_t ZigZagEncode(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int64_t ZigZagDecode(std::uint64_t bits) {
  return static_cast<std::int64_t>((bits >> 1) ^ (~(bits & 1) + 1));
}

/// Writes one Protocol Buffers message, field by field: all of the wire format that ORC's metadata need.
class OrcMessageWriter {
 public:
  void AddNumber(unsigned field, std::uint64_t value);
  void AddSigned(unsigned field, std::int64_t value);  ///< a field of type sint32 or sint64
  void AddDouble(unsigned field, double value);
  void AddBytes(unsigned field, std::string_view bytes);  ///< text, bytes or an encoded message
  void AddPacked(unsigned field, std::span<const std::uint64_t> values);

  const std::string& bytes() const { return bytes_; }

 private:
  void AddTag(unsigned field, unsigned wire_type);

  std::string bytes_;
};

/// Walks the fields of one Protocol Buffers message. Never reads beyond the bytes, which must outlive it.
class OrcMessageReader {
 public:
  explicit OrcMessageReader(std::string_view bytes) : rest_(bytes) {}

  struct Field {
    std::uint64_t number = 0;
    std::uint64_t value = 0;  ///< of a varint
    std::string_view bytes;   ///< of a message, text, packed list or number of fixed width
  };

  /// The next field; nullopt at the end, or where the message breaks off (see broken()).
  std::optional<Field> Next();
  /// The next number of a packed list; 0 where it breaks off.
  std::uint64_t Varint();

  bool empty() const { return rest_.empty(); }
  bool broken() const { return broken_; }

 private:
  std::string_view Take(std::uint64_t count);

  std::string_view rest_;
  bool broken_ = false;
};

}  // namespace braid
