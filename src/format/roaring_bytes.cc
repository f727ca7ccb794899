#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <vector>

#include "format/roaring_bytes_internal.h"

namespace braid {
namespace {

constexpr std::uint32_t kCookieWithoutRuns = 12346;
constexpr std::uint32_t kCookieWithRuns = 12347;  // in the lower half; the number of containers less one in the upper
constexpr std::uint32_t kMaxContainers = 1U << 16;
constexpr std::uint32_t kMaxArrayValues = 4096;
constexpr std::size_t kBitsetBytes = 8192;
constexpr std::uint32_t kFewestWithOffsets = 4;  // containers, where there are runs

Error Damaged() {
  return Error(ErrorCode::kCorruption, "bytes that should be a 32-bit Roaring bitmap are not one");
}

/// Walks over the bytes of one bitmap; `size` is that of the bitmap once all is well.
class Checker {
 public:
  explicit Checker(std::string_view bytes) : bytes_(bytes) {}

  bool Check() {
    if (!ReadHeader()) return false;
    for (std::uint32_t i = 0; i < count_; ++i) {
      const std::string_view head = heads_.substr(std::size_t{4} * i, 4);
      const auto key = static_cast<std::int32_t>(At<std::uint16_t>(head, 0));
      if (key <= last_key_) return false;
      last_key_ = key;
      const std::uint32_t values = std::uint32_t{At<std::uint16_t>(head, 2)} + 1;
      if (IsRun(i) ? !CheckRuns() : values > kMaxArrayValues ? !CheckBitset(values) : !CheckArray(values)) return false;
    }
    return true;
  }

  std::size_t size() const { return position_; }

 private:
  template <typename Number>
  static Number At(std::string_view bytes, std::size_t at) {
    Number number;
    std::memcpy(&number, bytes.data() + at, sizeof(number));  // both are little-endian
    return number;
  }

  bool Take(std::size_t count, std::string_view& taken) {
    if (bytes_.size() - position_ < count) return false;
    taken = bytes_.substr(position_, count);
    position_ += count;
    return true;
  }

  bool ReadHeader() {
    std::string_view part;
    if (!Take(4, part)) return false;
    const auto cookie = At<std::uint32_t>(part, 0);
    const bool has_runs = (cookie & 0xFFFF) == kCookieWithRuns;
    if (has_runs) {
      count_ = (cookie >> 16) + 1;
      if (!Take((count_ + 7) / 8, run_flags_)) return false;
    } else {
      if (cookie != kCookieWithoutRuns || !Take(4, part)) return false;
      count_ = At<std::uint32_t>(part, 0);
      if (count_ > kMaxContainers) return false;
    }
    if (!Take(std::size_t{4} * count_, heads_)) return false;
    const bool has_offsets = !has_runs || count_ >= kFewestWithOffsets;
    return !has_offsets || Take(std::size_t{4} * count_, part);
  }

  bool IsRun(std::uint32_t container) const {
    return !run_flags_.empty() && ((static_cast<unsigned char>(run_flags_[container / 8]) >> container % 8) & 1) != 0;
  }

  bool CheckArray(std::uint32_t values) {
    std::string_view array;
    if (!Take(std::size_t{2} * values, array)) return false;
    for (std::size_t i = 1; i < values; ++i) {
      if (At<std::uint16_t>(array, 2 * i) <= At<std::uint16_t>(array, 2 * i - 2)) return false;
    }
    return true;
  }

  bool CheckBitset(std::uint32_t values) {
    std::string_view bits;
    if (!Take(kBitsetBytes, bits)) return false;
    std::uint32_t set = 0;
    for (std::size_t at = 0; at < kBitsetBytes; at += 8) {
      set += static_cast<std::uint32_t>(std::popcount(At<std::uint64_t>(bits, at)));
    }
    return set == values;
  }

  // Runs ascend and do not overlap, each a first value and how many follow it.
  bool CheckRuns() {
    std::string_view part;
    if (!Take(2, part)) return false;
    const std::size_t runs = At<std::uint16_t>(part, 0);
    if (runs == 0 || !Take(4 * runs, part)) return false;
    std::int32_t least = 0;
    for (std::size_t i = 0; i < runs; ++i) {
      const std::int32_t first = At<std::uint16_t>(part, 4 * i);
      const std::int32_t last = first + At<std::uint16_t>(part, 4 * i + 2);
      if (first < least || last > std::numeric_limits<std::uint16_t>::max()) return false;
      least = last + 1;
    }
    return true;
  }

  std::string_view bytes_;
  std::size_t position_ = 0;
  std::uint32_t count_ = 0;
  std::string_view run_flags_;
  std::string_view heads_;
  std::int32_t last_key_ = -1;
};

/// Puts containers together in the order of their keys. The library's own writer weighs runs against arrays by other sizes
/// than Java's, so that the bytes would differ where both are equally long.
class Encoder {
 public:
  void Add(std::uint16_t key, const std::vector<std::uint16_t>& values) {
    Append(key, heads_);
    Append(static_cast<std::uint16_t>(values.size() - 1), heads_);
    starts_.push_back(static_cast<std::uint32_t>(bodies_.size()));
    std::size_t runs = 1;
    for (std::size_t i = 1; i < values.size(); ++i) runs += values[i] != values[i - 1] + 1 ? 1 : 0;
    const std::size_t plain_bytes = values.size() > kMaxArrayValues ? kBitsetBytes : 2 * values.size();
    is_run_.push_back(plain_bytes > 2 + 4 * runs);
    if (is_run_.back()) {
      AppendRuns(values, runs);
    } else if (values.size() > kMaxArrayValues) {
      AppendBits(values);
    } else {
      for (const std::uint16_t value : values) Append(value, bodies_);
    }
  }

  void AppendTo(std::string& out) const {
    const auto count = static_cast<std::uint32_t>(starts_.size());
    const bool has_runs = std::find(is_run_.begin(), is_run_.end(), true) != is_run_.end();
    const std::size_t begin = out.size();
    if (has_runs) {
      Append(kCookieWithRuns | (count - 1) << 16, out);
      std::string flags((count + 7) / 8, '\0');
      for (std::size_t i = 0; i < count; ++i) {
        if (is_run_[i]) flags[i / 8] = static_cast<char>(static_cast<unsigned char>(flags[i / 8]) | 1U << i % 8);
      }
      out += flags;
    } else {
      Append(kCookieWithoutRuns, out);
      Append(count, out);
    }
    out += heads_;
    if (!has_runs || count >= kFewestWithOffsets) {
      const auto first = static_cast<std::uint32_t>(out.size() - begin + 4 * starts_.size());
      for (const std::uint32_t start : starts_) Append(first + start, out);
    }
    out += bodies_;
  }

 private:
  template <typename Number>
  static void Append(Number number, std::string& out) {
    out.append(reinterpret_cast<const char*>(&number), sizeof(number));  // both are little-endian
  }

  void AppendRuns(const std::vector<std::uint16_t>& values, std::size_t runs) {
    Append(static_cast<std::uint16_t>(runs), bodies_);
    for (std::size_t first = 0; first < values.size();) {
      std::size_t last = first;
      while (last + 1 < values.size() && values[last + 1] == values[last] + 1) ++last;
      Append(values[first], bodies_);
      Append(static_cast<std::uint16_t>(last - first), bodies_);
      first = last + 1;
    }
  }

  void AppendBits(const std::vector<std::uint16_t>& values) {
    std::string bits(kBitsetBytes, '\0');
    for (const std::uint16_t value : values) {
      bits[value / 8] = static_cast<char>(static_cast<unsigned char>(bits[value / 8]) | 1U << value % 8);
    }
    bodies_ += bits;
  }

  std::string heads_;
  std::string bodies_;
  std::vector<std::uint32_t> starts_;  // of the bodies
  std::vector<bool> is_run_;
};

}  // namespace

Result<Roaring> TakeRoaring(std::string_view& bytes) {
  Checker checker(bytes);
  if (!checker.Check()) return Damaged();
  try {
    Roaring bitmap = Roaring::readSafe(bytes.data(), checker.size());
    bytes.remove_prefix(checker.size());
    return bitmap;
  } catch (const std::exception&) {
    return Damaged();
  }
}

void AppendRoaring(const Roaring& bitmap, std::string& out) {
  Encoder encoder;
  std::vector<std::uint16_t> values;
  std::uint32_t key = 0;
  for (const std::uint32_t value : bitmap) {
    if (value >> 16 != key && !values.empty()) {
      encoder.Add(static_cast<std::uint16_t>(key), values);
      values.clear();
    }
    key = value >> 16;
    values.push_back(static_cast<std::uint16_t>(value));
  }
  if (!values.empty()) encoder.Add(static_cast<std::uint16_t>(key), values);
  encoder.AppendTo(out);
}

Roaring AllRows(std::uint64_t count) {
  Roaring rows;
  if (count > 0) rows.addRange(0, count);
  return rows;
}

}  // namespace braid
