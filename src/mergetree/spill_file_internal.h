#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "mergetree/key_value.h"
#include "types/batch.h"

namespace braid {

struct SpillCodec {
  std::string compression = "zstd";  ///< none, lz4, zstd
  int zstd_level = 1;
};

/// A sorted run of key-value batches in a local file, as an Arrow stream; deleted with this object. Key columns that
/// are value columns too are stored once. Readable several times.
class SpillFile {
 public:
  /// Writes all that `rows` yields to a new file in `directory`, which is made if it is absent.
  /// Errors: kIo; kInvalidArgument for an unknown compression.
  static Result<std::unique_ptr<SpillFile>> Write(const KeyValueSchema& schema, const std::string& directory,
                                                  const SpillCodec& codec, BatchReader& rows);
  ~SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  std::int64_t size_bytes() const { return size_bytes_; }
  std::int64_t row_count() const { return row_count_; }
  /// Errors, of reading too: kIo; kCorruption for a file that was changed meanwhile.
  Result<std::unique_ptr<BatchReader>> Open() const;

 private:
  SpillFile(KeyValueSchema schema, std::string path) : schema_(std::move(schema)), path_(std::move(path)) {}
  Status WriteRows(const SpillCodec& codec, BatchReader& rows);

  KeyValueSchema schema_;
  std::string path_;
  std::int64_t size_bytes_ = 0;
  std::int64_t row_count_ = 0;
};

}  // namespace braid
