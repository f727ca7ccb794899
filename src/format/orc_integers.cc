#include "format/orc_integers.h"

#include "format/orc_bit_width.h"
#include "format/orc_proto.h"

namespace braid {

std::optional<std::int64_t> OrcIntegerReader::Next() {
  if (next_in_run_ == run_.size()) {
    run_.clear();
    next_in_run_ = 0;
    if (position_ >= bytes_.size() || !ReadRun() || run_.empty()) return std::nullopt;
  }
  return run_[next_in_run_++];
}

bool OrcIntegerReader::ReadByte(unsigned& value) {
  if (position_ >= bytes_.size()) return false;
  value = static_cast<unsigned char>(bytes_[position_++]);
  return true;
}

bool OrcIntegerReader::ReadBigEndian(unsigned byte_count, std::uint64_t& value) {
  value = 0;
  for (unsigned i = 0; i < byte_count; ++i) {
    unsigned byte = 0;
    if (!ReadByte(byte)) return false;
    value = (value << 8) | byte;
  }
  return true;
}

bool OrcIntegerReader::ReadVarint(std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    unsigned byte = 0;
    if (!ReadByte(byte)) return false;
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if ((byte & 0x80) == 0) return true;
  }
  return false;
}

/// Big-endian bit fields, of which the last byte is filled up.
bool OrcIntegerReader::ReadPacked(unsigned width, std::size_t count, std::vector<std::uint64_t>& values) {
  unsigned byte = 0;
  unsigned bits_left = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t value = 0;
    for (unsigned missing = width; missing > 0;) {
      if (bits_left == 0) {
        if (!ReadByte(byte)) return false;
        bits_left = 8;
      }
      const unsigned taken = missing < bits_left ? missing : bits_left;
      value = (value << taken) | ((byte >> (bits_left - taken)) & ((1U << taken) - 1));
      bits_left -= taken;
      missing -= taken;
    }
    values.push_back(value);
  }
  return true;
}

std::int64_t OrcIntegerReader::Decode(std::uint64_t bits) const {
  return signed_ ? ZigZagDecode(bits) : static_cast<std::int64_t>(bits);
}

bool OrcIntegerReader::ReadRun() {
  if (!version_two_) return ReadRunOfVersionOne();
  unsigned first = 0;
  if (!ReadByte(first)) return false;
  switch (first >> 6) {
    case 0: return ReadShortRepeat(first);
    case 1: return ReadDirect(first);
    case 2: return ReadPatchedBase(first);
    default: return ReadDelta(first);
  }
}

bool OrcIntegerReader::ReadRunOfVersionOne() {
  unsigned control = 0;
  if (!ReadByte(control)) return false;
  std::uint64_t bits = 0;
  if (control >= 128) {
    for (unsigned i = 0; i < 256 - control; ++i) {
      if (!ReadVarint(bits)) return false;
      run_.push_back(Decode(bits));
    }
    return true;
  }
  unsigned delta = 0;
  if (!ReadByte(delta) || !ReadVarint(bits)) return false;
  auto value = static_cast<std::uint64_t>(Decode(bits));
  for (unsigned i = 0; i < control + 3; ++i) {
    run_.push_back(static_cast<std::int64_t>(value));
    value += static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int8_t>(delta)));
  }
  return true;
}

bool OrcIntegerReader::ReadShortRepeat(unsigned first) {
  std::uint64_t bits = 0;
  if (!ReadBigEndian(((first >> 3) & 7) + 1, bits)) return false;
  run_.assign((first & 7) + 3, Decode(bits));
  return true;
}

bool OrcIntegerReader::ReadDirect(unsigned first) {
  unsigned second = 0;
  if (!ReadByte(second)) return false;
  std::vector<std::uint64_t> values;
  if (!ReadPacked(OrcWidthOfCode((first >> 1) & 31), (((first & 1) << 8) | second) + 1, values)) return false;
  for (const std::uint64_t bits : values) run_.push_back(Decode(bits));
  return true;
}

bool OrcIntegerReader::ReadPatchedBase(unsigned first) {
  unsigned second = 0;
  unsigned third = 0;
  unsigned fourth = 0;
  if (!ReadByte(second) || !ReadByte(third) || !ReadByte(fourth)) return false;
  const unsigned width = OrcWidthOfCode((first >> 1) & 31);
  const std::size_t count = (((first & 1) << 8) | second) + 1;
  const unsigned base_bytes = (third >> 5) + 1;
  const unsigned patch_width = OrcWidthOfCode(third & 31);
  const unsigned gap_width = (fourth >> 5) + 1;
  const unsigned patch_count = fourth & 31;
  std::uint64_t base_bits = 0;
  std::vector<std::uint64_t> values;
  std::vector<std::uint64_t> patches;
  if (!ReadBigEndian(base_bytes, base_bits) || !ReadPacked(width, count, values)) return false;
  if (patch_width + gap_width > 64 || !ReadPacked(OrcClosestWidth(patch_width + gap_width), patch_count, patches))
    return false;
  // The highest bit of the base is its sign.
  const std::uint64_t sign = std::uint64_t{1} << (base_bytes * 8 - 1);
  const std::uint64_t base = (base_bits & sign) != 0 ? ~(base_bits & ~sign) + 1 : base_bits;
  std::size_t at = 0;
  for (const std::uint64_t patch : patches) {
    at += static_cast<std::size_t>((patch >> patch_width) & ((1U << gap_width) - 1));
    const std::uint64_t high = patch_width == 64 ? patch : patch & ((std::uint64_t{1} << patch_width) - 1);
    if (at >= values.size() || width >= 64) return false;
    values[at] |= high << width;
  }
  for (const std::uint64_t value : values) run_.push_back(static_cast<std::int64_t>(base + value));
  return true;
}

bool OrcIntegerReader::ReadDelta(unsigned first) {
  unsigned second = 0;
  if (!ReadByte(second)) return false;
  const unsigned code = (first >> 1) & 31;
  const std::size_t count = (((first & 1) << 8) | second) + 1;
  std::uint64_t base_bits = 0;
  std::uint64_t delta_bits = 0;
  if (!ReadVarint(base_bits) || !ReadVarint(delta_bits)) return false;
  auto value = static_cast<std::uint64_t>(Decode(base_bits));
  const std::int64_t delta = ZigZagDecode(delta_bits);
  run_.push_back(static_cast<std::int64_t>(value));
  if (code == 0) {  // a fixed step
    while (run_.size() < count) run_.push_back(static_cast<std::int64_t>(value += static_cast<std::uint64_t>(delta)));
    return true;
  }
  if (count > 1) run_.push_back(static_cast<std::int64_t>(value += static_cast<std::uint64_t>(delta)));
  std::vector<std::uint64_t> steps;
  if (count > 2 && !ReadPacked(OrcWidthOfCode(code), count - 2, steps)) return false;
  for (const std::uint64_t step : steps) {
    value = delta < 0 ? value - step : value + step;
    run_.push_back(static_cast<std::int64_t>(value));
  }
  return true;
}

std::optional<unsigned> OrcBooleanReader::NextByte() {
  const auto take = [this]() -> std::optional<unsigned> {
    if (position_ >= bytes_.size()) return std::nullopt;
    return static_cast<unsigned char>(bytes_[position_++]);
  };
  if (repeats_left_ > 0) {
    --repeats_left_;
    return repeated_;
  }
  if (literals_left_ == 0) {
    const std::optional<unsigned> control = take();
    if (!control) return std::nullopt;
    if (*control < 128) {
      const std::optional<unsigned> value = take();
      if (!value) return std::nullopt;
      repeated_ = *value;
      repeats_left_ = *control + 2;  // and the one that is returned
      return repeated_;
    }
    literals_left_ = 256 - *control;
  }
  --literals_left_;
  return take();
}

std::optional<bool> OrcBooleanReader::Next() {
  if (bits_left_ == 0) {
    const std::optional<unsigned> byte = NextByte();
    if (!byte) return std::nullopt;
    current_ = *byte;
    bits_left_ = 8;
  }
  --bits_left_;
  return ((current_ >> bits_left_) & 1) != 0;
}

}  // namespace braid
