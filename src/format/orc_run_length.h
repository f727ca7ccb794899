#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "format/orc_stream_writer.h"

namespace braid {

// Encoders of runs (ORC specification v1, "Run Length Encoding"). What each writes goes to a stream of its own; its
// position is that of the run being gathered, followed by how many values of the run came before. One thread at a time.

/// Bytes: runs of equal ones and literals.
class OrcByteRunWriter {
 public:
  explicit OrcByteRunWriter(const OrcCompressor& compressor) : stream_(compressor) {}

  void Write(std::uint8_t value);
  void AddPositions(OrcPositions& positions) const;
  const OrcStreamWriter& stream() const { return stream_; }
  OrcStreamBytes Finish();

 private:
  void EndRun();

  OrcStreamWriter stream_;
  std::array<std::uint8_t, 128> literals_{};  // the first one if it is a run of equal values
  std::size_t count_ = 0;
  std::size_t equal_at_end_ = 0;
  bool repeats_ = false;
};

/// Booleans: bits from the highest of a byte to the lowest, as runs of bytes.
class OrcBooleanWriter {
 public:
  explicit OrcBooleanWriter(const OrcCompressor& compressor) : bytes_(compressor) {}

  void Write(bool value) {
    current_ = static_cast<std::uint8_t>(current_ | (value ? 0x80U >> bits_ : 0U));
    if (++bits_ == 8) EndByte();
  }
  /// So many times the same.
  void Write(bool value, std::int64_t count);
  void AddPositions(OrcPositions& positions) const;
  const OrcStreamWriter& stream() const { return bytes_.stream(); }
  OrcStreamBytes Finish();

 private:
  void EndByte() {
    bytes_.Write(current_);
    current_ = 0;
    bits_ = 0;
  }

  OrcByteRunWriter bytes_;
  std::uint8_t current_ = 0;
  unsigned bits_ = 0;
};

/// Integers in version 2, in widths that readers unpack fast.
class OrcIntegerWriter {
 public:
  OrcIntegerWriter(const OrcCompressor& compressor, bool is_signed) : stream_(compressor), signed_(is_signed) {}

  /// An unsigned writer takes the bits.
  void Write(std::int64_t value) {
    if (count_ > 0 && value == literals_[count_ - 1]) {
      if (++equal_at_end_ == kMinRepeat && count_ >= kMinRepeat) EndVariedRun();
    } else {
      if (equal_at_end_ >= kMinRepeat) EndRun();
      equal_at_end_ = 1;
    }
    literals_[count_++] = value;
    if (count_ == kMaxRun) EndRun();
  }
  void AddPositions(OrcPositions& positions) const;
  const OrcStreamWriter& stream() const { return stream_; }
  OrcStreamBytes Finish();

 private:
  static constexpr std::size_t kMaxRun = 512;
  static constexpr std::size_t kMinRepeat = 3;

  /// Ends the run before the equal values at its end, which start the next one.
  void EndVariedRun();
  void EndRun();
  void EncodeRepeats(std::int64_t value, std::size_t count);
  void Encode(std::span<const std::int64_t> values);
  std::uint64_t Bits(std::int64_t value) const;
  void AppendBase(std::int64_t value);
  void EncodeDelta(std::span<const std::int64_t> values, std::int64_t first_delta, std::uint64_t max_delta);
  void EncodeFixedDelta(std::span<const std::int64_t> values, std::int64_t delta);
  void EncodeDirect(std::span<const std::uint64_t> bits, unsigned width);
  void EncodePatched(std::span<std::uint64_t> offsets, std::int64_t base, unsigned width, unsigned max_width);

  OrcStreamWriter stream_;
  bool signed_;
  std::array<std::int64_t, kMaxRun> literals_{};
  std::size_t count_ = 0;
  std::size_t equal_at_end_ = 0;
  std::string encoded_;  // of one run
};

}  // namespace braid
