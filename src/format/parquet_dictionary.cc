#include "format/parquet_dictionary.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include <arrow/array.h>
#include <arrow/type.h>

namespace braid {
namespace {

constexpr std::int64_t kSampledValues = 8192;
constexpr std::int64_t kTextLengthBytes = 4;  // before each text of a plain page or a dictionary

/// Bytes of a value, or nothing for types of other layouts.
std::optional<int> FixedWidth(const arrow::DataType& type) {
  if (type.id() == arrow::Type::BOOL || !arrow::is_fixed_width(type.id())) return std::nullopt;
  const int width = type.byte_width();
  return width > 0 ? std::optional(width) : std::nullopt;
}

/// Counts distinct byte strings by their hashes; a collision makes the answer a little too small.
class DistinctCounter {
 public:
  // Half full at most.
  DistinctCounter() : slots_(2 * kSampledValues, 0) {}

  /// Whether this value is new.
  bool Add(std::string_view bytes) {
    const std::uint64_t hash = std::hash<std::string_view>()(bytes) | 1;  // 0 is an empty slot
    for (std::size_t slot = (hash >> 8) % slots_.size();; slot = (slot + 1) % slots_.size()) {
      if (slots_[slot] == hash) return false;
      if (slots_[slot] != 0) continue;
      slots_[slot] = hash;
      ++count_;
      return true;
    }
  }
  std::int64_t count() const { return count_; }

 private:
  std::vector<std::uint64_t> slots_;
  std::int64_t count_ = 0;
};

/// `bytes_of` gives the bytes of a value, which takes `overhead_bytes` more in a page.
template <typename BytesOf>
bool Pays(const arrow::Array& values, std::int64_t overhead_bytes, BytesOf bytes_of) {
  DistinctCounter distinct;
  std::int64_t plain_bytes = 0;
  std::int64_t dictionary_bytes = 0;
  std::int64_t present = 0;
  const std::int64_t count = std::min(values.length(), kSampledValues);
  for (std::int64_t row = 0; row < count; ++row) {
    if (values.IsNull(row)) continue;
    const std::string_view bytes = bytes_of(row);
    const std::int64_t size = static_cast<std::int64_t>(bytes.size()) + overhead_bytes;
    ++present;
    plain_bytes += size;
    if (distinct.Add(bytes)) dictionary_bytes += size;
  }
  if (present == 0) return true;
  const auto index_bits = static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(distinct.count() - 1)));
  return dictionary_bytes + present * index_bits / 8 < plain_bytes;
}

}  // namespace

bool DictionaryPays(const arrow::Array& values) {
  if (arrow::is_base_binary_like(values.type_id())) {
    const auto& texts = static_cast<const arrow::BinaryArray&>(values);
    return Pays(values, kTextLengthBytes, [&](std::int64_t row) { return texts.GetView(row); });
  }
  const std::optional<int> width = FixedWidth(*values.type());
  if (!width) return true;
  const auto& buffer = values.data()->buffers[1];
  const auto* first = reinterpret_cast<const char*>(buffer->data()) + values.offset() * *width;
  return Pays(values, 0, [&](std::int64_t row) {
    return std::string_view(first + row * *width, static_cast<std::size_t>(*width));
  });
}

}  // namespace braid
