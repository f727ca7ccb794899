#include "table/split_expectation.h"

#include <string>
#include <utility>
#include <vector>

#include "io/storage_traits.h"
#include "table/data_file_reader.h"

namespace braid {

void ExpectSplits(const Table& table, std::span<const DataSplit> splits, std::size_t next) {
  const auto wanted = static_cast<std::size_t>(ParallelCalls(table.file_system()));
  if (wanted <= 1) return;
  std::vector<std::string> paths;
  for (std::size_t i = next; i < splits.size() && paths.size() < wanted; ++i) {
    for (const DataFileMeta& file : splits[i].files) {
      // What has no path is reported when it is read.
      if (Result<std::string> path = DataFilePath(table, splits[i].partition, splits[i].bucket, file)) paths.push_back(*std::move(path));
    }
  }
  Expect(table.file_system(), paths);
}

}  // namespace braid
