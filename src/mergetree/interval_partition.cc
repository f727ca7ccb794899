#include "mergetree/interval_partition.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <string>
#include <tuple>

namespace braid {
namespace {

struct FileRange {
  const std::string* min;
  const std::string* max;
  std::size_t file;
};

/// Spreads a section's files, ascending by (min, max), over as few runs as possible.
Section MakeSection(std::span<const FileRange> ranges, std::vector<DataFileMeta>& files) {
  struct OpenRun {
    const std::string* max;
    std::size_t run;
  };
  const auto later = [](const OpenRun& a, const OpenRun& b) { return *a.max > *b.max; };
  std::priority_queue<OpenRun, std::vector<OpenRun>, decltype(later)> open(later);
  std::vector<std::vector<DataFileMeta>> runs;
  for (const FileRange& range : ranges) {
    std::size_t run = runs.size();
    if (!open.empty() && *range.min > *open.top().max) {
      run = open.top().run;
      open.pop();
    } else {
      runs.emplace_back();
    }
    runs[run].push_back(std::move(files[range.file]));
    open.push({range.max, run});
  }
  Section section;
  section.reserve(runs.size());
  for (std::vector<DataFileMeta>& run : runs) section.push_back(SortedRun::FromSorted(std::move(run)));
  return section;
}

}  // namespace

Result<std::vector<Section>> PartitionIntoSections(std::vector<DataFileMeta> files,
                                                   std::span<const DataField> key_fields) {
  std::vector<const BinaryRow*> keys;
  keys.reserve(2 * files.size());
  for (const DataFileMeta& file : files) {
    keys.push_back(&file.min_key);
    keys.push_back(&file.max_key);
  }
  BRAID_TRY_ASSIGN(const std::vector<std::string> encoded, EncodeKeys(keys, key_fields));
  std::vector<FileRange> ranges;
  ranges.reserve(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) ranges.push_back({&encoded[2 * i], &encoded[2 * i + 1], i});
  std::stable_sort(ranges.begin(), ranges.end(), [](const FileRange& a, const FileRange& b) {
    return std::tie(*a.min, *a.max) < std::tie(*b.min, *b.max);
  });

  std::vector<Section> sections;
  std::size_t begin = 0;
  const std::string* greatest = nullptr;
  for (std::size_t i = 0; i <= ranges.size(); ++i) {
    const bool closes = i == ranges.size() || (greatest != nullptr && *ranges[i].min > *greatest);
    if (closes && i > begin) {
      sections.push_back(MakeSection(std::span(ranges).subspan(begin, i - begin), files));
      begin = i;
      greatest = nullptr;
    }
    if (i < ranges.size() && (greatest == nullptr || *ranges[i].max > *greatest)) greatest = ranges[i].max;
  }
  return sections;
}

}  // namespace braid
