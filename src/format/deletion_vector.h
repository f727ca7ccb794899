#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/file_system.h"

namespace braid {

class DeletionVector;

/// A deletion vector as an index file holds it.
struct EncodedDeletionVector {
  std::string bytes;        ///< size field, bitmap and checksum
  std::int32_t length = 0;  ///< what the index's metadata state as its length (spec data.md §7.2)
};

/// Encodes with 32-bit positions, or 64-bit ones (`deletion-vectors.bitmap64`). Errors: kInvalidArgument for a position
/// that 32 bits do not hold, or more than 2 GB.
Result<EncodedDeletionVector> EncodeDeletionVector(const DeletionVector& vector, bool bitmap64);

/// Positions of deleted rows within one data file. Immutable; any thread.
class DeletionVector {
 public:
  /// One without positions.
  DeletionVector();
  /// Reads the magic and the bitmap behind it, in either encoding (spec metadata.md §7.3). Errors: kCorruption.
  static Result<DeletionVector> Parse(std::string_view data);

  /// This one and more positions, in any order, none negative.
  DeletionVector With(std::span<const std::int64_t> positions) const;

  /// Whether the row at this 0-based position is deleted.
  bool Contains(std::int64_t position) const;
  std::int64_t cardinality() const;
  bool empty() const { return cardinality() == 0; }
  /// Whether both have the same positions.
  friend bool operator==(const DeletionVector& a, const DeletionVector& b);

 private:
  friend Result<EncodedDeletionVector> EncodeDeletionVector(const DeletionVector& vector, bool bitmap64);
  struct Bitmap;
  explicit DeletionVector(std::shared_ptr<const Bitmap> bitmap);
  std::shared_ptr<const Bitmap> bitmap_;
};

/// Reads the vector whose size field lies at `offset` of an index file, and checks its CRC.
/// Errors: kNotFound, kCorruption naming the file and offset.
Result<DeletionVector> ReadDeletionVector(const FileSystem& fs, std::string_view path, std::int64_t offset);

}  // namespace braid
