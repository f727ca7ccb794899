#pragma once

#include <cstdint>
#include <vector>

#include <roaring/roaring.hh>

namespace braid {

/// Numbers of rows, kept by bit: slice i holds the rows whose number has bit i. Comparing reads the slices from the
/// highest down (O'Neil and Quass, "Improved query performance with variant indexes", 1997).
class BitSlices {
 public:
  BitSlices() = default;
  /// Without rows; room for numbers of so many bits.
  explicit BitSlices(int slice_count) : slices_(static_cast<std::size_t>(slice_count)) {}
  BitSlices(Roaring rows, std::vector<Roaring> slices) : rows_(std::move(rows)), slices_(std::move(slices)) {}

  /// Precondition: the row has no number yet, and the slices have room for it.
  void Add(std::uint32_t row, std::uint64_t number);

  /// The rows that have a number.
  const Roaring& rows() const { return rows_; }
  const std::vector<Roaring>& slices() const { return slices_; }

  Roaring Equal(std::uint64_t number) const { return Compare(number).equal; }
  /// Rows whose number is greater.
  Roaring Above(std::uint64_t number) const { return Compare(number).greater; }
  Roaring AtLeast(std::uint64_t number) const { return number == 0 ? rows_ : Above(number - 1); }

 private:
  struct Comparison {
    Roaring equal;
    Roaring greater;
  };
  Comparison Compare(std::uint64_t number) const;

  Roaring rows_;
  std::vector<Roaring> slices_;
};

}  // namespace braid
