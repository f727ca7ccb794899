#include "format/orc_statistics.h"

#include <algorithm>
#include <cmath>
#include <compare>

#include "format/orc_proto.h"
#include "types/number_text.h"

namespace braid {
namespace {

/// Bounds of longer texts are cut, as Java does.
constexpr std::size_t kMaxBoundBytes = 1024;
/// What is kept of a text: more than a bound, and than any short text.
constexpr std::size_t kMaxKeptBytes = std::size_t{64} << 10;

// Fields of the message ColumnStatistics.
constexpr unsigned kValueCount = 1;
constexpr unsigned kInteger = 2;
constexpr unsigned kDouble = 3;
constexpr unsigned kText = 4;
constexpr unsigned kBoolean = 5;
constexpr unsigned kDecimal = 6;
constexpr unsigned kDate = 7;
constexpr unsigned kBinary = 8;
constexpr unsigned kTimestamp = 9;
constexpr unsigned kHasNull = 10;
constexpr unsigned kBytesOnDisk = 11;

template <typename Number>
void AddTo(std::optional<Number>& sum, Number value) {
  if (sum && __builtin_add_overflow(*sum, value, &*sum)) sum.reset();
}

bool DoubleLess(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return !std::isnan(a);
  return a < b || (a == b && std::signbit(a) && !std::signbit(b));
}

void Merge(std::monostate&, const std::monostate&) {}
void Merge(OrcIntegerBounds& into, const OrcIntegerBounds& other) {
  into.min = std::min(into.min, other.min);
  into.max = std::max(into.max, other.max);
  if (other.sum) AddTo(into.sum, *other.sum);
  if (!other.sum) into.sum.reset();
}
void Merge(OrcDateBounds& into, const OrcDateBounds& other) {
  into.min = std::min(into.min, other.min);
  into.max = std::max(into.max, other.max);
}
void Merge(OrcDoubleBounds& into, const OrcDoubleBounds& other) {
  const double sum = into.sum + other.sum;
  if (other.min) into.Add(*other.min);
  if (other.max) into.Add(*other.max);
  into.sum = sum;
}
void Merge(OrcTextBounds& into, const OrcTextBounds& other) {
  const std::int64_t byte_count = into.byte_count + other.byte_count;
  if (other.min) into.Add(*other.min);
  if (other.max) into.Add(*other.max);
  into.byte_count = byte_count;
}
void Merge(OrcDecimalBounds& into, const OrcDecimalBounds& other) {
  std::optional<Int128> sum = into.sum;
  if (other.sum) AddTo(sum, *other.sum);
  if (!other.sum) sum.reset();
  if (other.min) into.Add(*other.min);
  if (other.max) into.Add(*other.max);
  into.sum = sum;
}
void Merge(OrcTimestampBounds& into, const OrcTimestampBounds& other) {
  if (other.min) into.Add(*other.min);
  if (other.max) into.Add(*other.max);
}
void Merge(OrcBooleanCount& into, const OrcBooleanCount& other) {
  into.true_count += other.true_count;
}
void Merge(OrcByteCount& into, const OrcByteCount& other) {
  into.byte_count += other.byte_count;
}

/// How long the start of a text is that takes so many bytes at most and ends between characters.
std::size_t CharacterBoundary(std::string_view text, std::size_t max_bytes) {
  std::size_t end = std::min(max_bytes, text.size());
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return end;
}

std::string EncodeCodePoint(std::uint32_t code) {
  const auto byte = [](std::uint32_t bits) { return static_cast<char>(bits); };
  if (code < 0x80) return {byte(code)};
  if (code < 0x800) return {byte(0xC0 | (code >> 6)), byte(0x80 | (code & 0x3F))};
  if (code < 0x10000) return {byte(0xE0 | (code >> 12)), byte(0x80 | ((code >> 6) & 0x3F)), byte(0x80 | (code & 0x3F))};
  return {byte(0xF0 | (code >> 18)), byte(0x80 | ((code >> 12) & 0x3F)), byte(0x80 | ((code >> 6) & 0x3F)),
          byte(0x80 | (code & 0x3F))};
}

/// The code point of one character of four bytes at most; any number if it is malformed.
std::uint32_t DecodeCodePoint(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first;
  std::uint32_t code = first & (0x7FU >> character.size());
  for (const char byte : character.substr(1)) code = (code << 6) | (static_cast<unsigned char>(byte) & 0x3FU);
  return code;
}

/// A short text that is not smaller than the long one: its start with the last character that has a successor raised.
/// nullopt if there is none.
std::optional<std::string> UpperBoundOf(std::string_view text) {
  constexpr std::uint32_t kLastCodePoint = 0x10FFFF;
  std::string_view start = text.substr(0, CharacterBoundary(text, kMaxBoundBytes));
  while (!start.empty()) {
    const std::size_t last = CharacterBoundary(start, start.size() - 1);
    if (start.size() - last > 4) return std::nullopt;  // not UTF-8
    std::uint32_t code = DecodeCodePoint(start.substr(last)) + 1;
    if (code == 0xD800) code = 0xE000;  // what lies between is no character
    start = start.substr(0, last);
    if (code > kLastCodePoint) continue;
    std::string bound = std::string(start) + EncodeCodePoint(code);
    return bound > text ? std::optional(std::move(bound)) : std::nullopt;
  }
  return std::nullopt;
}

void EncodeBounds(const std::monostate&, bool, OrcMessageWriter&) {}
void EncodeBounds(const OrcIntegerBounds& bounds, bool has_values, OrcMessageWriter& out) {
  OrcMessageWriter message;
  if (has_values) {
    message.AddSigned(1, bounds.min);
    message.AddSigned(2, bounds.max);
  }
  if (bounds.sum) message.AddSigned(3, *bounds.sum);
  out.AddBytes(kInteger, message.bytes());
}
void EncodeBounds(const OrcDateBounds& bounds, bool has_values, OrcMessageWriter& out) {
  OrcMessageWriter message;
  if (has_values) {
    message.AddSigned(1, bounds.min);
    message.AddSigned(2, bounds.max);
  }
  out.AddBytes(kDate, message.bytes());
}
void EncodeBounds(const OrcDoubleBounds& bounds, bool, OrcMessageWriter& out) {
  OrcMessageWriter message;
  if (bounds.min) message.AddDouble(1, *bounds.min);
  if (bounds.max) message.AddDouble(2, *bounds.max);
  message.AddDouble(3, bounds.sum);
  out.AddBytes(kDouble, message.bytes());
}
void EncodeBounds(const OrcTextBounds& bounds, bool, OrcMessageWriter& out) {
  OrcMessageWriter message;
  const bool long_min = bounds.min && bounds.min->size() > kMaxBoundBytes;
  const bool long_max = bounds.max && bounds.max->size() > kMaxBoundBytes;
  if (bounds.min && !long_min) message.AddBytes(1, *bounds.min);
  if (bounds.max && !long_max) message.AddBytes(2, *bounds.max);
  if (bounds.min) message.AddSigned(3, bounds.byte_count);
  if (long_min)
    message.AddBytes(4, std::string_view(*bounds.min).substr(0, CharacterBoundary(*bounds.min, kMaxBoundBytes)));
  if (long_max) {
    // A reader takes absent bounds for none at all, so where there is no shorter bound the whole text is one.
    const std::optional<std::string> bound = UpperBoundOf(*bounds.max);
    message.AddBytes(5, bound ? *bound : *bounds.max);
  }
  out.AddBytes(kText, message.bytes());
}
void EncodeBounds(const OrcDecimalBounds& bounds, bool, OrcMessageWriter& out) {
  OrcMessageWriter message;
  const auto add = [&](unsigned field, const std::optional<Int128>& value) {
    if (!value) return;
    std::string text;
    AppendDecimal(*value, bounds.scale, text);
    message.AddBytes(field, text);
  };
  add(1, bounds.min);
  add(2, bounds.max);
  add(3, bounds.sum);
  out.AddBytes(kDecimal, message.bytes());
}
void EncodeBounds(const OrcTimestampBounds& bounds, bool, OrcMessageWriter& out) {
  OrcMessageWriter message;
  if (bounds.min && bounds.max) {
    message.AddSigned(3, bounds.min->millis);
    message.AddSigned(4, bounds.max->millis);
    // One more than they are; absent means the least and the most possible.
    if (bounds.min->nanos_of_milli != 0)
      message.AddNumber(5, static_cast<std::uint64_t>(bounds.min->nanos_of_milli) + 1);
    if (bounds.max->nanos_of_milli != 999'999)
      message.AddNumber(6, static_cast<std::uint64_t>(bounds.max->nanos_of_milli) + 1);
  }
  out.AddBytes(kTimestamp, message.bytes());
}
void EncodeBounds(const OrcBooleanCount& count, bool, OrcMessageWriter& out) {
  OrcMessageWriter message;
  const auto true_count = static_cast<std::uint64_t>(count.true_count);
  message.AddPacked(1, std::span(&true_count, 1));
  out.AddBytes(kBoolean, message.bytes());
}
void EncodeBounds(const OrcByteCount& count, bool, OrcMessageWriter& out) {
  OrcMessageWriter message;
  message.AddSigned(1, count.byte_count);
  out.AddBytes(kBinary, message.bytes());
}

}  // namespace

void OrcIntegerBounds::Add(std::int64_t value) {
  min = std::min(min, value);
  max = std::max(max, value);
  AddTo(sum, value);
}

void OrcDoubleBounds::Add(double value) {
  if (min && value > *min && value < *max) {
    sum += value;
    return;
  }
  if (!min || DoubleLess(value, *min)) min = value;
  if (!max || DoubleLess(*max, value)) max = value;
  sum += value;
}

void OrcTextBounds::Add(std::string_view value) {
  // The beginnings of two texts are in the order of the texts, or the same.
  if (!min || value < *min) min = value.substr(0, CharacterBoundary(value, kMaxKeptBytes));
  if (!max || value > *max) {
    const bool is_kept = value.size() <= kMaxKeptBytes || !UpperBoundOf(value);
    max = is_kept ? value : value.substr(0, CharacterBoundary(value, kMaxKeptBytes));
  }
  byte_count += static_cast<std::int64_t>(value.size());
}

void OrcDecimalBounds::Add(Int128 value) {
  if (!min || value < *min) min = value;
  if (!max || value > *max) max = value;
  AddTo(sum, value);
  static const Int128 kLimit = PowerOfTen(38);
  if (sum && (*sum >= kLimit || *sum <= -kLimit)) sum.reset();
}

void OrcStatistics::Merge(const OrcStatistics& other) {
  value_count_ += other.value_count_;
  has_null_ |= other.has_null_;
  std::visit(
      [&other](auto& bounds) {
        braid::Merge(bounds, std::get<std::remove_reference_t<decltype(bounds)>>(other.bounds_));
      },
      bounds_);
}

void OrcStatistics::Reset() {
  bounds_ = empty_;
  value_count_ = 0;
  has_null_ = false;
}

std::string OrcStatistics::Encode(std::optional<std::int64_t> stream_bytes) const {
  OrcMessageWriter message;
  message.AddNumber(kValueCount, static_cast<std::uint64_t>(value_count_));
  std::visit([&](const auto& bounds) { EncodeBounds(bounds, value_count_ > 0, message); }, bounds_);
  message.AddNumber(kHasNull, has_null_ ? 1 : 0);
  if (stream_bytes) message.AddNumber(kBytesOnDisk, static_cast<std::uint64_t>(*stream_bytes));
  return message.bytes();
}

}  // namespace braid
