#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace braid {

/// Reads numbers of a fixed number of bits, in runs of equal ones and packed, as Parquet keeps levels and places in a
/// dictionary (Parquet's format, "RLE/Bit-Packing Hybrid"). Never reads beyond its bytes, whatever they hold. One thread
/// at a time.
class ParquetRunReader {
 public:
  ParquetRunReader() = default;
  /// `bits` a number, at most 32. The bytes must outlive the reader.
  ParquetRunReader(std::string_view bytes, unsigned bits) : rest_(bytes), bits_(bits) {}

  /// The next numbers; false if there are fewer.
  bool Read(std::span<std::uint32_t> numbers);
  /// Passes over so many; false if there are fewer.
  bool Skip(std::int64_t count);
  /// Puts the next `count` numbers, of one bit, from bit `first` of `bitmap` on, lowest bit of a byte first; false if
  /// there are fewer. Precondition: bits = 1.
  bool ReadBits(std::uint8_t* bitmap, std::int64_t first, std::int64_t count);

 private:
  bool StartRun();
  void Unpack(std::uint32_t* numbers, std::int64_t count);

  std::string_view rest_;  // behind the run
  unsigned bits_ = 0;
  std::int64_t left_in_run_ = 0;
  bool repeats_ = false;
  std::uint32_t repeated_ = 0;
  std::string_view packed_;          // the run's bytes
  std::int64_t next_in_packed_ = 0;  // number of the run
};

}  // namespace braid
