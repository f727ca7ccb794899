#include "table/row_range.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace braid {

namespace {

std::int64_t EndOf(const DataFileMeta& file) {
  return *file.first_row_id + file.row_count;
}

Error Damaged(const DataFileMeta& file, std::string_view what) {
  return Error(ErrorCode::kCorruption, fmt::format("the rows of {} {}", file.file_name, what));
}

Result<std::vector<RowRange>> GroupNormalFiles(std::vector<const DataFileMeta*> files) {
  std::sort(files.begin(), files.end(), [](const DataFileMeta* a, const DataFileMeta* b) {
    return std::tie(*a->first_row_id, b->max_sequence_number, b->file_name) <
           std::tie(*b->first_row_id, a->max_sequence_number, a->file_name);
  });
  std::vector<RowRange> ranges;
  for (const DataFileMeta* file : files) {
    if (!ranges.empty() && *file->first_row_id < ranges.back().end_row_id()) {
      RowRange& range = ranges.back();
      if (*file->first_row_id != range.first_row_id || file->row_count != range.row_count) {
        return Damaged(*file, fmt::format("overlap with those of {} in part", range.files.front()->file_name));
      }
      range.files.push_back(file);
      continue;
    }
    ranges.push_back({.first_row_id = *file->first_row_id, .row_count = file->row_count, .files = {file}, .blobs = {}});
  }
  return ranges;
}

}  // namespace

bool IsBlobFile(const DataFileMeta& file) {
  return file.file_name.ends_with(".blob");
}

Result<std::vector<RowRange>> GroupByRowRange(std::span<const DataFileMeta* const> files) {
  std::vector<const DataFileMeta*> normal;
  std::vector<const DataFileMeta*> blobs;
  for (const DataFileMeta* file : files) {
    if (!file->first_row_id) return Damaged(*file, "have no ids");
    (IsBlobFile(*file) ? blobs : normal).push_back(file);
  }
  BRAID_TRY_ASSIGN(std::vector<RowRange> ranges, GroupNormalFiles(std::move(normal)));
  std::sort(blobs.begin(), blobs.end(), [](const DataFileMeta* a, const DataFileMeta* b) {
    return std::tie(*a->first_row_id, b->max_sequence_number) < std::tie(*b->first_row_id, a->max_sequence_number);
  });
  for (const DataFileMeta* blob : blobs) {
    // The last range that does not begin behind it.
    auto range = std::upper_bound(
        ranges.begin(), ranges.end(), *blob->first_row_id,
        [](std::int64_t row_id, const RowRange& other) { return row_id < other.first_row_id; });
    if (range == ranges.begin() || EndOf(*blob) > std::prev(range)->end_row_id()) {
      return Damaged(*blob, "are in no other file");
    }
    std::prev(range)->blobs.push_back(blob);
  }
  return ranges;
}

}  // namespace braid
