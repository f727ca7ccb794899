#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/file_system.h"

namespace braid {

/// Positions of deleted rows within one data file. Immutable; any thread.
class DeletionVector {
 public:
  /// Reads the magic and the bitmap behind it, in either encoding (spec metadata.md §7.3). Errors: kCorruption.
  static Result<DeletionVector> Parse(std::string_view data);

  /// Whether the row at this 0-based position is deleted.
  bool Contains(std::int64_t position) const;
  std::int64_t cardinality() const;

 private:
  struct Bitmap;
  explicit DeletionVector(std::shared_ptr<const Bitmap> bitmap);
  std::shared_ptr<const Bitmap> bitmap_;
};

/// Reads the vector whose size field lies at `offset` of an index file, and checks its CRC.
/// Errors: kNotFound, kCorruption naming the file and offset.
Result<DeletionVector> ReadDeletionVector(const FileSystem& fs, std::string_view path, std::int64_t offset);

}  // namespace braid
