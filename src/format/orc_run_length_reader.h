#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "format/orc_stream_reader.h"

namespace braid {

// Decoders of runs (ORC specification v1, "Run Length Encoding"), the other way round than orc_run_length.h. None reads
// beyond the bytes of its stream, whatever they hold. One thread at a time.

/// Bytes: runs of equal ones and literals.
class OrcByteRunReader {
 public:
  explicit OrcByteRunReader(OrcStreamReader stream) : stream_(std::move(stream)) {}

  /// The next values; false if the stream has fewer.
  bool Read(std::span<std::uint8_t> values);
  const OrcStreamReader& stream() const { return stream_; }

 private:
  bool StartRun();

  OrcStreamReader stream_;
  std::size_t left_in_run_ = 0;
  bool repeats_ = false;
  std::uint8_t repeated_ = 0;
};

/// Booleans: bits from the highest of a byte to the lowest, as runs of bytes.
class OrcBooleanReader {
 public:
  explicit OrcBooleanReader(OrcStreamReader stream) : bytes_(std::move(stream)) {}

  /// Puts the next `count` bits from bit `first` of `bits` on, where the lowest bit of a byte comes first, as Arrow has
  /// them; bits behind them are changed too, up to the end of the last byte. False if the stream has fewer.
  bool Read(std::uint8_t* bits, std::int64_t first, std::int64_t count);
  const OrcStreamReader& stream() const { return bytes_.stream(); }

 private:
  OrcByteRunReader bytes_;
  unsigned current_ = 0;  // the next bit is its lowest
  unsigned bits_left_ = 0;
};

/// Integers of version 1 or 2.
class OrcIntegerReader {
 public:
  OrcIntegerReader(OrcStreamReader stream, bool version_two, bool is_signed)
      : stream_(std::move(stream)), version_two_(version_two), signed_(is_signed) {}

  /// The next integers, the bits of unsigned ones; false if the stream has fewer or a run of it is damaged.
  bool Read(std::span<std::int64_t> values);
  const OrcStreamReader& stream() const { return stream_; }

 private:
  static constexpr std::size_t kMaxRun = 512;
  class Input;

  /// Decodes the next run to the start of `run`; 0 if there is none or it is damaged.
  std::size_t ReadRun(std::int64_t* run);
  std::size_t ReadRunOfVersionOne(Input& input, std::int64_t* run) const;
  std::size_t ReadShortRepeat(Input& input, std::int64_t* run) const;
  std::size_t ReadDirect(Input& input, std::int64_t* run) const;
  std::size_t ReadPatchedBase(Input& input, std::int64_t* run) const;
  std::size_t ReadDelta(Input& input, std::int64_t* run) const;
  std::int64_t Decode(std::uint64_t bits) const;

  OrcStreamReader stream_;
  bool version_two_;
  bool signed_;
  std::array<std::int64_t, kMaxRun> run_{};  // of which the last part was not asked for yet
  std::size_t run_size_ = 0;
  std::size_t next_in_run_ = 0;
};

}  // namespace braid
