#include "format/orc_run_length.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "format/orc_bit_width.h"
#include "format/orc_proto.h"

namespace braid {
namespace {

constexpr std::size_t kMinByteRepeat = 3;
constexpr std::size_t kMaxByteRepeat = 130;
constexpr std::size_t kMaxShortRepeat = 10;

/// The first two bits of a run of integers.
enum class Encoding : std::uint8_t { kShortRepeat = 0, kDirect = 1, kPatchedBase = 2, kDelta = 3 };

unsigned BitCount(std::uint64_t value) {
  return static_cast<unsigned>(std::bit_width(value));
}

/// Widths whose values do not straddle bytes, or fill whole ones.
unsigned AlignedWidth(unsigned width) {
  if (width <= 2) return std::max(width, 1U);
  if (width <= 4) return 4;
  return (width + 7) / 8 * 8;
}

/// Two bytes: the encoding, a code of five bits and the number of values.
void AppendHeader(Encoding encoding, unsigned code, std::size_t count, std::string& out) {
  const std::size_t length = count - 1;
  out += static_cast<char>((static_cast<unsigned>(encoding) << 6) | (code << 1) | (length >> 8));
  out += static_cast<char>(length);
}

void AppendBytes(std::uint64_t value, unsigned byte_count, std::string& out) {
  for (unsigned byte = byte_count; byte-- > 0;) out += static_cast<char>(value >> (8 * byte));
}

/// Bit fields from the highest bit to the lowest, the last byte filled up with zeros.
void AppendPacked(std::span<const std::uint64_t> values, unsigned width, std::string& out) {
  const std::size_t start = out.size();
  out.resize(start + (values.size() * width + 7) / 8);
  char* to = out.data() + start;
  if (width % 8 == 0) {
    for (const std::uint64_t value : values) {
      for (unsigned shift = width; shift > 0;) *to++ = static_cast<char>(value >> (shift -= 8));
    }
    return;
  }
  unsigned current = 0;
  unsigned free_bits = 8;
  for (const std::uint64_t value : values) {
    for (unsigned left = width; left > 0;) {
      const unsigned taken = std::min(left, free_bits);
      left -= taken;
      free_bits -= taken;
      current |= (static_cast<unsigned>(value >> left) & ((1U << taken) - 1)) << free_bits;
      if (free_bits == 0) {
        *to++ = static_cast<char>(current);
        current = 0;
        free_bits = 8;
      }
    }
  }
  if (free_bits < 8) *to = static_cast<char>(current);
}

/// How many values need each width, for "all but so many fit into …".
class WidthHistogram {
 public:
  explicit WidthHistogram(std::span<const std::uint64_t> values) : value_count_(values.size()) {
    for (const std::uint64_t value : values) ++counts_[OrcCodeOfWidth(BitCount(value))];
  }
  /// The width that this share of the values fits into.
  unsigned Percentile(double share) const {
    auto left = static_cast<std::int64_t>(static_cast<double>(value_count_) * (1.0 - share));
    for (unsigned code = static_cast<unsigned>(counts_.size()); code-- > 0;) {
      left -= counts_[code];
      if (left < 0) return OrcWidthOfCode(code);
    }
    return 1;
  }

 private:
  std::size_t value_count_;
  std::array<std::int64_t, 32> counts_{};
};

/// How the values of a run follow each other. Differences are as if in 64 bits that wrap around.
struct Course {
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::int64_t first_delta = 0;
  std::uint64_t max_delta = 0;  // of the later ones, without sign
  bool rises = true;
  bool falls = true;
  bool is_even = true;  // all deltas are the same
};

std::int64_t Difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

std::uint64_t Magnitude(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return value < 0 ? ~bits + 1 : bits;
}

/// Precondition: two values at least.
Course CourseOf(std::span<const std::int64_t> values) {
  Course course;
  course.min = course.max = values[0];
  course.first_delta = Difference(values[1], values[0]);
  for (std::size_t i = 1; i < values.size(); ++i) {
    const std::int64_t delta = Difference(values[i], values[i - 1]);
    course.min = std::min(course.min, values[i]);
    course.max = std::max(course.max, values[i]);
    course.rises &= values[i] >= values[i - 1];
    course.falls &= values[i] <= values[i - 1];
    course.is_even &= delta == course.first_delta;
    if (i > 1) course.max_delta = std::max(course.max_delta, Magnitude(delta));
  }
  return course;
}

bool SpansMoreThan63Bits(const Course& course) {
  return Difference(course.max, course.min) < 0;
}

}  // namespace

void OrcByteRunWriter::Write(std::uint8_t value) {
  if (repeats_) {
    if (value == literals_[0]) {
      if (++count_ == kMaxByteRepeat) EndRun();
      return;
    }
    EndRun();
  }
  equal_at_end_ = count_ > 0 && value == literals_[count_ - 1] ? equal_at_end_ + 1 : 1;
  if (equal_at_end_ == kMinByteRepeat) {
    count_ -= kMinByteRepeat - 1;
    EndRun();
    literals_[0] = value;
    count_ = kMinByteRepeat;
    repeats_ = true;
    return;
  }
  literals_[count_++] = value;
  if (count_ == literals_.size()) EndRun();
}

void OrcByteRunWriter::EndRun() {
  if (count_ == 0) return;
  std::array<char, 129> run{};
  run[0] = static_cast<char>(repeats_ ? count_ - kMinByteRepeat : 256 - count_);
  const std::size_t content = repeats_ ? 1 : count_;
  std::copy_n(literals_.begin(), content, run.begin() + 1);
  stream_.Append(std::string_view(run.data(), content + 1));
  count_ = 0;
  equal_at_end_ = 0;
  repeats_ = false;
}

void OrcByteRunWriter::AddPositions(OrcPositions& positions) const {
  stream_.AddPosition(positions);
  positions.push_back(count_);
}

OrcStreamBytes OrcByteRunWriter::Finish() {
  EndRun();
  return stream_.Finish();
}

void OrcBooleanWriter::Write(bool value, std::int64_t count) {
  for (; count > 0 && bits_ != 0; --count) Write(value);
  for (; count >= 8; count -= 8) bytes_.Write(value ? 0xFF : 0);
  for (; count > 0; --count) Write(value);
}

void OrcBooleanWriter::AddPositions(OrcPositions& positions) const {
  bytes_.AddPositions(positions);
  positions.push_back(bits_);
}

OrcStreamBytes OrcBooleanWriter::Finish() {
  if (bits_ > 0) EndByte();
  return bytes_.Finish();
}

void OrcIntegerWriter::AddPositions(OrcPositions& positions) const {
  stream_.AddPosition(positions);
  positions.push_back(count_);
}

OrcStreamBytes OrcIntegerWriter::Finish() {
  EndRun();
  return stream_.Finish();
}

void OrcIntegerWriter::EndVariedRun() {
  const std::size_t kept = kMinRepeat - 1;
  Encode(std::span(literals_).first(count_ - kept));
  std::fill_n(literals_.begin(), kept, literals_[count_ - 1]);
  count_ = kept;
}

void OrcIntegerWriter::EndRun() {
  if (count_ == 0) return;
  if (equal_at_end_ == count_ && count_ >= kMinRepeat) {
    EncodeRepeats(literals_[0], count_);
  } else {
    Encode(std::span(literals_).first(count_));
  }
  count_ = 0;
  equal_at_end_ = 0;
}

std::uint64_t OrcIntegerWriter::Bits(std::int64_t value) const {
  return signed_ ? ZigZagEncode(value) : static_cast<std::uint64_t>(value);
}

void OrcIntegerWriter::AppendBase(std::int64_t value) {
  AppendVarint(Bits(value), encoded_);
}

void OrcIntegerWriter::EncodeRepeats(std::int64_t value, std::size_t count) {
  encoded_.clear();
  if (count <= kMaxShortRepeat) {
    const unsigned byte_count = std::max((BitCount(Bits(value)) + 7) / 8, 1U);
    encoded_ += static_cast<char>(((byte_count - 1) << 3) | (count - kMinRepeat));
    AppendBytes(Bits(value), byte_count, encoded_);
  } else {
    AppendHeader(Encoding::kDelta, 0, count, encoded_);
    AppendBase(value);
    AppendVarint(0, encoded_);
  }
  stream_.Append(encoded_);
}

/// Chooses as Java does, so that files are about as large.
void OrcIntegerWriter::Encode(std::span<const std::int64_t> values) {
  encoded_.clear();
  std::array<std::uint64_t, kMaxRun> buffer;
  const std::span bits = std::span(buffer).first(values.size());
  std::ranges::transform(values, bits.begin(), [this](std::int64_t value) { return Bits(value); });
  const auto max_bits = [&bits] {
    std::uint64_t all = 0;
    for (const std::uint64_t value : bits) all |= value;
    return BitCount(all);
  };
  if (values.size() <= kMinRepeat) return EncodeDirect(bits, max_bits());
  const Course course = CourseOf(values);
  if (SpansMoreThan63Bits(course)) return EncodeDirect(bits, max_bits());
  if (course.is_even) return EncodeFixedDelta(values, course.first_delta);
  // The sign of the first difference tells whether the others are added or subtracted.
  if (course.first_delta != 0 && (course.rises || course.falls))
    return EncodeDelta(values, course.first_delta, course.max_delta);

  const WidthHistogram widths(bits);
  if (widths.Percentile(1.0) - widths.Percentile(0.9) <= 1 || Magnitude(course.min) >= std::uint64_t{1} << 56)
    return EncodeDirect(bits, max_bits());
  std::array<std::uint64_t, kMaxRun> offset_buffer;
  const std::span offsets = std::span(offset_buffer).first(values.size());
  std::ranges::transform(values, offsets.begin(), [&course](std::int64_t value) {
    return static_cast<std::uint64_t>(Difference(value, course.min));
  });
  const WidthHistogram offset_widths(offsets);
  const unsigned width = offset_widths.Percentile(0.95);
  const unsigned max_width = offset_widths.Percentile(1.0);
  if (width == max_width) return EncodeDirect(bits, max_bits());
  EncodePatched(offsets, course.min, width, max_width);
}

void OrcIntegerWriter::EncodeDirect(std::span<const std::uint64_t> bits, unsigned width) {
  const unsigned aligned = AlignedWidth(width);
  AppendHeader(Encoding::kDirect, OrcCodeOfWidth(aligned), bits.size(), encoded_);
  AppendPacked(bits, aligned, encoded_);
  stream_.Append(encoded_);
}

void OrcIntegerWriter::EncodeFixedDelta(std::span<const std::int64_t> values, std::int64_t delta) {
  AppendHeader(Encoding::kDelta, 0, values.size(), encoded_);
  AppendBase(values[0]);
  AppendVarint(ZigZagEncode(delta), encoded_);
  stream_.Append(encoded_);
}

void OrcIntegerWriter::EncodeDelta(std::span<const std::int64_t> values, std::int64_t first_delta,
                                   std::uint64_t max_delta) {
  // Code 0 is that of fixed differences, so a width of one bit has none.
  const unsigned width = std::max(AlignedWidth(BitCount(max_delta)), 2U);
  AppendHeader(Encoding::kDelta, OrcCodeOfWidth(width), values.size(), encoded_);
  AppendBase(values[0]);
  AppendVarint(ZigZagEncode(first_delta), encoded_);
  std::array<std::uint64_t, kMaxRun> deltas;
  for (std::size_t i = 2; i < values.size(); ++i) deltas[i - 2] = Magnitude(Difference(values[i], values[i - 1]));
  AppendPacked(std::span(deltas).first(values.size() - 2), width, encoded_);
  stream_.Append(encoded_);
}

/// Offsets from the smallest value in few bits, and the higher bits of the few that need more in patches.
void OrcIntegerWriter::EncodePatched(std::span<std::uint64_t> offsets, std::int64_t base, unsigned width,
                                     unsigned max_width) {
  constexpr std::size_t kMaxGap = 255;
  unsigned patch_width = OrcClosestWidth(max_width - width);
  if (patch_width == 64) {  // a gap has to fit beside it
    patch_width = 56;
    width = 8;
  }
  struct Patch {
    std::size_t gap;
    std::uint64_t bits;
  };
  std::array<Patch, 32> patches;
  std::size_t patch_count = 0;
  std::size_t max_gap = 0;
  std::size_t last = 0;
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    if (offsets[i] <= mask) continue;
    std::size_t gap = i - last;
    for (; gap > kMaxGap; gap -= kMaxGap) patches[patch_count++] = {kMaxGap, 0};  // patches nothing
    max_gap = std::max(max_gap, i - last > kMaxGap ? kMaxGap : gap);
    patches[patch_count++] = {gap, offsets[i] >> width};
    offsets[i] &= mask;
    last = i;
  }
  const unsigned gap_width = std::max(BitCount(max_gap), 1U);
  // The highest bit of the base is its sign.
  const unsigned base_bytes = (BitCount(Magnitude(base)) + 1 + 7) / 8;
  const std::uint64_t sign = base < 0 ? std::uint64_t{1} << (base_bytes * 8 - 1) : 0;

  AppendHeader(Encoding::kPatchedBase, OrcCodeOfWidth(width), offsets.size(), encoded_);
  encoded_ += static_cast<char>(((base_bytes - 1) << 5) | OrcCodeOfWidth(patch_width));
  encoded_ += static_cast<char>(((gap_width - 1) << 5) | patch_count);
  AppendBytes(Magnitude(base) | sign, base_bytes, encoded_);
  AppendPacked(offsets, width, encoded_);
  std::array<std::uint64_t, 32> packed;
  for (std::size_t i = 0; i < patch_count; ++i) packed[i] = (patches[i].gap << patch_width) | patches[i].bits;
  AppendPacked(std::span(packed).first(patch_count), OrcClosestWidth(gap_width + patch_width), encoded_);
  stream_.Append(encoded_);
}

}  // namespace braid
