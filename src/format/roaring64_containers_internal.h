#pragma once

// The containers of a 64-bit Roaring bitmap as Java's class Roaring64Bitmap of RoaringBitmap 1.2.1 keeps and writes
// them: sets of 2-byte numbers in an array, where a container that was taken out leaves a hole. All numbers are
// little-endian.
//
//   4 bytes  number of arrays, which is 1: a second one would begin after 2^31 containers
//   1 byte   -2
//   4 bytes  length of the array, which Java lets grow by halves; behind the last container it is empty
//   then     for each place 0 for a hole, or 1 and a container: 1 byte for its form, 4 bytes for how many numbers it
//            holds, and then, in form 0, runs: 2 bytes for their number, of each the first number and how many follow
//            it; form 1, a bitset of 8192 bytes; form 2, the numbers
//   8 bytes  number of containers
//   4 bytes  the array's number, 0
//   4 bytes  the place of the last container that was added
//
// Which form a container has is not a matter of its numbers alone but of where they came from. Java's rules are kept.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/little_endian.h"
#include "base/result.h"

namespace braid {

/// A set of 2-byte numbers.
struct Roaring64Container {
  enum class Form : std::uint8_t { kRuns, kBitset, kNumbers };

  Form form = Form::kNumbers;
  std::uint32_t count = 0;  // of numbers
  std::string body;         // as it is written
};

/// The union, in the form that Java's in-place union of `a` with `b` has.
Roaring64Container UnionOf(const Roaring64Container& a, const Roaring64Container& b);

/// One thread.
class Roaring64Containers {
 public:
  /// Errors: kCorruption.
  static Result<Roaring64Containers> Read(LittleEndianReader& in);
  void AppendTo(std::string& out) const;

  /// The container of that number; nullptr: there is none.
  Roaring64Container* At(std::uint64_t number);
  /// The new container's number.
  std::uint64_t Add(Roaring64Container container);
  /// Makes runs of those that would take more bytes otherwise.
  void MakeRuns();
  /// How many there are, holes apart.
  std::size_t size() const;

 private:
  std::vector<std::optional<Roaring64Container>> places_;
  std::size_t end_ = 0;  // behind the last one that was added
};

}  // namespace braid
