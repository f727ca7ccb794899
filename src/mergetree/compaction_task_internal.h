#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "mergetree/compaction_picker.h"
#include "mergetree/interval_partition.h"
#include "mergetree/key_value.h"
#include "mergetree/key_value_file.h"
#include "mergetree/merge_function.h"
#include "meta/manifest.h"

namespace braid {

/// Files that a compaction replaced and what replaced them. An upgraded file stands in both, with its old and its new
/// level.
struct CompactResult {
  std::vector<DataFileMeta> before;
  std::vector<DataFileMeta> after;
};

/// One compaction, with all that it needs, to be run on any thread (spec data.md §3.7).
struct CompactionTask {
  KeyValueSchema schema;
  std::shared_ptr<KeyValueReaderFactory> readers;
  std::shared_ptr<KeyValueWriterFactory> writers;
  std::shared_ptr<const MergeFunction> function;
  CompactUnit unit;
  int max_level = 0;
  std::int64_t small_file_bytes = 0;
  bool force_rewrite = false;
  bool drop_retractions = false;

  /// After an error nothing that was written is left.
  Result<CompactResult> Run() const;

 private:
  Status CompactFiles(CompactResult& result) const;
  Status Rewrite(std::vector<Section>& candidates, CompactResult& result) const;
  Status Upgrade(const DataFileMeta& file, CompactResult& result) const;
  Status MergeAndWrite(std::vector<Section> sections, CompactResult& result) const;
};

/// Deletes the files of `after` that are not upgraded files of `before`.
Status DeleteWritten(KeyValueWriterFactory& writers, const CompactResult& result);

}  // namespace braid
