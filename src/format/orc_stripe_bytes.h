#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/result.h"
#include "io/file_system.h"

namespace braid {

/// A stretch of a file.
struct OrcExtent {
  std::int64_t offset = 0;
  std::int64_t byte_count = 0;
};

/// The wanted bytes of one stripe, read in ranges: each holds neighbouring streams, or a part of a long one, is read
/// when the first of its bytes is taken, and given up once all of them are. One thread at a time.
class OrcStripeBytes {
 public:
  /// How to cut ranges.
  struct Reach {
    std::int64_t hole_bytes;   ///< so much between two streams that is not wanted is read rather than asked around
    std::int64_t range_bytes;  ///< that a range has at most
  };
  /// From a far storage few large requests, for each costs a round trip; from a near one little at a time.
  static Reach ReachOf(bool is_far);

  /// Extents that are not empty, lie within the file and do not overlap; each byte of them is to be taken once. The
  /// file must outlive this.
  OrcStripeBytes(const InputFile& file, std::vector<OrcExtent> wanted, Reach reach);

  /// Bytes that stay as long as `range` is held.
  struct Piece {
    std::shared_ptr<const arrow::Buffer> range;
    std::string_view bytes;
  };
  /// The bytes from `offset` on, as many as its range has of them, but at most `most`. Precondition: all of them are in
  /// one of the wanted extents, and most > 0. Errors: those of InputFile::ReadAt; kUnavailable if memory is out.
  Result<Piece> Take(std::int64_t offset, std::int64_t most);

 private:
  struct Range {
    OrcExtent extent;
    std::int64_t untaken_bytes = 0;
    std::shared_ptr<const arrow::Buffer> bytes{};  // null: not read yet, or given up
  };
  void Plan(OrcExtent wanted, Reach reach);
  Status Read(Range& range) const;

  const InputFile& file_;
  std::vector<Range> ranges_;  // by offset
};

}  // namespace braid
