#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "format/avro_container.h"
#include "io/file_system.h"
#include "meta/stores.h"

namespace braid {

// Files of manifest records in whatever container `manifest.format` names (spec metadata.md §4.8). The codec knows Avro
// alone; files in ORC and Parquet are turned into Avro as they are read, and made of Avro as they are written.

/// What a metadata file's records are.
enum class ManifestRecords : std::uint8_t { kManifestList, kManifest, kIndexManifest };

/// Reads the file. Its first bytes tell its container. Errors: kNotFound; kCorruption and kUnsupported, naming it.
Result<AvroContainer> OpenManifestContainer(const FileSystem& fs, const std::string& path, ManifestRecords records);

/// Writes one file of records, as AvroContainerWriter does. One thread.
class ManifestContainerWriter {
 public:
  virtual ~ManifestContainerWriter() = default;
  /// Where to append a record, in the codec's form; EndRecord follows.
  virtual std::string& block() = 0;
  virtual Status EndRecord() = 0;
  /// Bytes of the blocks that are complete, as they would be in Avro.
  virtual std::int64_t flushed_bytes() const = 0;
  /// Ends and closes the file, unsynced. Returns its size in bytes.
  virtual Result<std::int64_t> Finish() = 0;
};

/// Starts the file. Errors: kInvalidArgument or kUnsupported for options that name no container or compression.
Result<std::unique_ptr<ManifestContainerWriter>> CreateManifestContainer(FileSystem& fs, const std::string& path,
                                                                         ManifestRecords records,
                                                                         const ManifestWriteOptions& options);

}  // namespace braid
