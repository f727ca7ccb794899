#include "table/append_compaction.h"

#include <algorithm>
#include <utility>

#include "table/target_file_size.h"

namespace braid {

Result<AppendCompaction> AppendCompaction::FromOptions(const Options& options) {
  AppendCompaction compaction;
  BRAID_TRY_ASSIGN(compaction.target_bytes, AppendTargetFileBytes(options));
  BRAID_TRY_ASSIGN(compaction.open_cost_bytes,
                   options.GetMemorySize("source.split.open-file-cost", std::int64_t{4} << 20));
  BRAID_TRY_ASSIGN(compaction.min_files, options.GetInt("compaction.min.file-num", 5));
  return compaction;
}

std::vector<std::vector<DataFileMeta>> AppendCompaction::Pack(std::vector<DataFileMeta> files, bool full,
                                                              bool ordered) const {
  std::stable_sort(files.begin(), files.end(), [&](const DataFileMeta& a, const DataFileMeta& b) {
    return ordered ? a.min_sequence_number < b.min_sequence_number : a.file_size < b.file_size;
  });
  std::vector<std::vector<DataFileMeta>> groups;
  std::vector<DataFileMeta> group;
  std::int64_t weight = 0;
  const auto close = [&](std::int64_t enough) {
    if (static_cast<std::int64_t>(group.size()) >= enough) groups.push_back(std::move(group));
    group.clear();
    weight = 0;
  };
  const std::int64_t enough = full ? 2 : min_files;
  const double small = static_cast<double>(target_bytes) * small_ratio;
  for (DataFileMeta& file : files) {
    if (static_cast<double>(file.file_size) >= small) {
      if (ordered) close(enough);  // nothing may move across it
      continue;
    }
    weight += file.file_size + open_cost_bytes;
    group.push_back(std::move(file));
    if (group.size() > 1 && weight >= 2 * target_bytes) close(2);
  }
  close(enough);
  return groups;
}

}  // namespace braid
