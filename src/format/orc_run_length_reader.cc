#include "format/orc_run_length_reader.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "format/orc_bit_unpacking.h"
#include "format/orc_bit_width.h"
#include "format/orc_proto.h"

namespace braid {
namespace {

constexpr std::size_t kMinRepeat = 3;
/// More than any run takes: 512 values and 31 patches of eight bytes, and what comes before them.
constexpr std::size_t kMaxRunBytes = 4400;
static_assert(kMaxRunBytes <= OrcStreamReader::kMaxPeekBytes);

/// The bits of a byte in the opposite order.
constexpr std::array<std::uint8_t, 256> kReversed = [] {
  std::array<std::uint8_t, 256> table{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    unsigned reversed = 0;
    for (unsigned bit = 0; bit < 8; ++bit) reversed |= ((byte >> bit) & 1) << (7 - bit);
    table[byte] = static_cast<std::uint8_t>(reversed);
  }
  return table;
}();

}  // namespace

bool OrcByteRunReader::StartRun() {
  const std::string_view bytes = stream_.Peek(2);
  if (bytes.size() < 2) return false;
  const auto control = static_cast<std::uint8_t>(bytes[0]);
  repeats_ = control < 128;
  if (repeats_) {
    left_in_run_ = control + kMinRepeat;
    repeated_ = static_cast<std::uint8_t>(bytes[1]);
    stream_.Consume(2);
  } else {
    left_in_run_ = 256U - control;
    stream_.Consume(1);
  }
  return true;
}

bool OrcByteRunReader::Read(std::span<std::uint8_t> values) {
  while (!values.empty()) {
    if (left_in_run_ == 0 && !StartRun()) return false;
    const std::size_t count = std::min(values.size(), left_in_run_);
    if (repeats_) {
      std::memset(values.data(), repeated_, count);
    } else if (!stream_.Read(values.data(), count)) {
      return false;
    }
    left_in_run_ -= count;
    values = values.subspan(count);
  }
  return true;
}

bool OrcBooleanReader::Read(std::uint8_t* bits, std::int64_t first, std::int64_t count) {
  while (count > 0) {
    std::uint8_t& byte = bits[first / 8];
    const auto at = static_cast<unsigned>(first % 8);
    if (at == 0 && bits_left_ == 0 && count >= 8) {
      const std::span<std::uint8_t> whole(&byte, static_cast<std::size_t>(count / 8));
      if (!bytes_.Read(whole)) return false;
      for (std::uint8_t& each : whole) each = kReversed[each];
      first += static_cast<std::int64_t>(whole.size()) * 8;
      count -= static_cast<std::int64_t>(whole.size()) * 8;
      continue;
    }
    if (bits_left_ == 0) {
      std::uint8_t next = 0;
      if (!bytes_.Read({&next, 1})) return false;
      current_ = kReversed[next];
      bits_left_ = 8;
    }
    const unsigned taken = std::min({bits_left_, 8 - at, static_cast<unsigned>(std::min<std::int64_t>(count, 8))});
    const unsigned kept = at == 0 ? 0 : byte & ((1U << at) - 1);
    byte = static_cast<std::uint8_t>(kept | ((current_ & ((1U << taken) - 1)) << at));
    current_ >>= taken;
    bits_left_ -= taken;
    first += taken;
    count -= taken;
  }
  return true;
}

/// Bytes of one run, of which there may be too few.
class OrcIntegerReader::Input {
 public:
  explicit Input(std::string_view bytes) : bytes_(bytes) {}

  bool failed() const { return failed_; }
  std::size_t used() const { return used_; }

  unsigned Byte() {
    const std::string_view byte = Take(1);
    return byte.empty() ? 0 : static_cast<unsigned char>(byte[0]);
  }
  std::uint64_t BigEndian(unsigned byte_count) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < byte_count; ++i) value = (value << 8) | Byte();
    return value;
  }
  std::uint64_t Varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const unsigned byte = Byte();
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    failed_ = true;
    return 0;
  }
  bool Packed(unsigned width, std::size_t count, std::uint64_t* values) {
    const std::string_view packed = Take(OrcPackedBytes(width, count));
    if (failed_) return false;
    UnpackOrcBits(packed.data(), width, count, values);
    return true;
  }

 private:
  std::string_view Take(std::size_t count) {
    if (count > bytes_.size() - used_) {
      failed_ = true;
      return {};
    }
    const std::string_view taken = bytes_.substr(used_, count);
    used_ += count;
    return taken;
  }

  std::string_view bytes_;
  std::size_t used_ = 0;
  bool failed_ = false;
};

bool OrcIntegerReader::Read(std::span<std::int64_t> values) {
  while (!values.empty()) {
    if (next_in_run_ == run_size_ && values.size() >= kMaxRun) {
      const std::size_t count = ReadRun(values.data());
      if (count == 0) return false;
      values = values.subspan(count);
      continue;
    }
    if (next_in_run_ == run_size_) {
      next_in_run_ = 0;
      run_size_ = ReadRun(run_.data());
      if (run_size_ == 0) return false;
    }
    const std::size_t count = std::min(values.size(), run_size_ - next_in_run_);
    std::copy_n(run_.begin() + static_cast<std::ptrdiff_t>(next_in_run_), count, values.begin());
    next_in_run_ += count;
    values = values.subspan(count);
  }
  return true;
}

std::size_t OrcIntegerReader::ReadRun(std::int64_t* run) {
  const std::string_view bytes = stream_.Peek(kMaxRunBytes);
  if (bytes.empty()) return 0;
  Input input(bytes);
  const auto encoding = static_cast<unsigned char>(bytes[0]) >> 6;
  std::size_t count = 0;
  if (!version_two_) {
    count = ReadRunOfVersionOne(input, run);
  } else if (encoding == 0) {
    count = ReadShortRepeat(input, run);
  } else if (encoding == 1) {
    count = ReadDirect(input, run);
  } else if (encoding == 2) {
    count = ReadPatchedBase(input, run);
  } else {
    count = ReadDelta(input, run);
  }
  if (input.failed()) return 0;
  stream_.Consume(input.used());
  return count;
}

std::int64_t OrcIntegerReader::Decode(std::uint64_t bits) const {
  return signed_ ? ZigZagDecode(bits) : static_cast<std::int64_t>(bits);
}

std::size_t OrcIntegerReader::ReadRunOfVersionOne(Input& input, std::int64_t* run) const {
  const unsigned control = input.Byte();
  if (control >= 128) {
    const std::size_t count = 256 - control;
    for (std::size_t i = 0; i < count; ++i) run[i] = Decode(input.Varint());
    return count;
  }
  const auto delta = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int8_t>(input.Byte())});
  auto value = static_cast<std::uint64_t>(Decode(input.Varint()));
  const std::size_t count = control + kMinRepeat;
  for (std::size_t i = 0; i < count; ++i, value += delta) run[i] = static_cast<std::int64_t>(value);
  return count;
}

std::size_t OrcIntegerReader::ReadShortRepeat(Input& input, std::int64_t* run) const {
  const unsigned first = input.Byte();
  const std::size_t count = (first & 7) + kMinRepeat;
  std::fill_n(run, count, Decode(input.BigEndian(((first >> 3) & 7) + 1)));
  return count;
}

std::size_t OrcIntegerReader::ReadDirect(Input& input, std::int64_t* run) const {
  const unsigned first = input.Byte();
  const std::size_t count = (((first & 1) << 8) | input.Byte()) + 1;
  std::array<std::uint64_t, kMaxRun> bits;
  if (!input.Packed(OrcWidthOfCode((first >> 1) & 31), count, bits.data())) return 0;
  if (signed_) {
    for (std::size_t i = 0; i < count; ++i) run[i] = ZigZagDecode(bits[i]);
  } else {
    for (std::size_t i = 0; i < count; ++i) run[i] = static_cast<std::int64_t>(bits[i]);
  }
  return count;
}

std::size_t OrcIntegerReader::ReadPatchedBase(Input& input, std::int64_t* run) const {
  const unsigned first = input.Byte();
  const std::size_t count = (((first & 1) << 8) | input.Byte()) + 1;
  const unsigned third = input.Byte();
  const unsigned fourth = input.Byte();
  const unsigned width = OrcWidthOfCode((first >> 1) & 31);
  const unsigned base_bytes = (third >> 5) + 1;
  const unsigned patch_width = OrcWidthOfCode(third & 31);
  const unsigned gap_width = (fourth >> 5) + 1;
  const std::size_t patch_count = fourth & 31;
  const std::uint64_t base_bits = input.BigEndian(base_bytes);
  std::array<std::uint64_t, kMaxRun> values;
  std::array<std::uint64_t, 31> patches{};
  if (patch_width + gap_width > 64 || !input.Packed(width, count, values.data()) ||
      !input.Packed(OrcClosestWidth(patch_width + gap_width), patch_count, patches.data()))
    return 0;
  // The highest bit of the base is its sign.
  const std::uint64_t sign = std::uint64_t{1} << (base_bytes * 8 - 1);
  const std::uint64_t base = (base_bits & sign) != 0 ? ~(base_bits & ~sign) + 1 : base_bits;
  std::size_t at = 0;
  for (std::size_t i = 0; i < patch_count; ++i) {
    at += static_cast<std::size_t>((patches[i] >> patch_width) & ((1U << gap_width) - 1));
    if (at >= count || width >= 64) return 0;
    values[at] |= (patches[i] & ((std::uint64_t{1} << patch_width) - 1)) << width;
  }
  for (std::size_t i = 0; i < count; ++i) run[i] = static_cast<std::int64_t>(base + values[i]);
  return count;
}

std::size_t OrcIntegerReader::ReadDelta(Input& input, std::int64_t* run) const {
  const unsigned first = input.Byte();
  const std::size_t count = (((first & 1) << 8) | input.Byte()) + 1;
  const unsigned code = (first >> 1) & 31;
  auto value = static_cast<std::uint64_t>(Decode(input.Varint()));
  const auto delta = static_cast<std::uint64_t>(ZigZagDecode(input.Varint()));
  run[0] = static_cast<std::int64_t>(value);
  if (code == 0) {  // a fixed step
    for (std::size_t i = 1; i < count; ++i) run[i] = static_cast<std::int64_t>(value += delta);
    return count;
  }
  if (count > 1) run[1] = static_cast<std::int64_t>(value += delta);
  if (count <= 2) return count;
  std::array<std::uint64_t, kMaxRun> steps;
  if (!input.Packed(OrcWidthOfCode(code), count - 2, steps.data())) return 0;
  // The sign of the first step is that of all.
  const std::uint64_t all_signs = static_cast<std::int64_t>(delta) < 0 ? ~std::uint64_t{0} : 0;
  for (std::size_t i = 2; i < count; ++i) {
    value += (steps[i - 2] ^ all_signs) - all_signs;
    run[i] = static_cast<std::int64_t>(value);
  }
  return count;
}

}  // namespace braid
