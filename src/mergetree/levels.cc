#include "mergetree/levels.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace braid {
namespace {

/// Newest first, in Java's order: sequences, then creation time, then name.
bool IsNewer(const DataFileMeta& a, const DataFileMeta& b) {
  const auto key = [](const DataFileMeta& file) {
    return std::make_tuple(-file.max_sequence_number, file.min_sequence_number, file.creation_time_ms.value_or(0));
  };
  return std::tuple_cat(key(a), std::tie(a.file_name)) < std::tuple_cat(key(b), std::tie(b.file_name));
}

}  // namespace

Result<Levels> Levels::Make(std::vector<DataField> key_fields, int level_count, std::vector<DataFileMeta> files) {
  for (const DataFileMeta& file : files) level_count = std::max(level_count, file.level + 1);
  Levels levels(std::move(key_fields));
  levels.upper_.assign(static_cast<std::size_t>(level_count - 1), SortedRun::FromSorted({}));
  BRAID_TRY(levels.Update({}, files));
  return levels;
}

int Levels::run_count() const {
  int count = static_cast<int>(level0_.size());
  for (const SortedRun& run : upper_) count += run.empty() ? 0 : 1;
  return count;
}

int Levels::highest_non_empty_level() const {
  for (int level = max_level(); level > 0; --level) {
    if (!upper_[static_cast<std::size_t>(level - 1)].empty()) return level;
  }
  return level0_.empty() ? -1 : 0;
}

std::vector<LevelRun> Levels::Runs() const {
  std::vector<LevelRun> runs;
  for (const DataFileMeta& file : level0_) runs.push_back({0, SortedRun::Single(file)});
  for (std::size_t i = 0; i < upper_.size(); ++i) {
    if (!upper_[i].empty()) runs.push_back({static_cast<int>(i) + 1, upper_[i]});
  }
  return runs;
}

std::vector<DataFileMeta> Levels::AllFiles() const {
  std::vector<DataFileMeta> files = level0_;
  for (const SortedRun& run : upper_) files.insert(files.end(), run.files().begin(), run.files().end());
  return files;
}

void Levels::AddLevel0(DataFileMeta file) {
  BRAID_CHECK(file.level == 0);
  level0_.insert(std::lower_bound(level0_.begin(), level0_.end(), file, IsNewer), std::move(file));
}

Status Levels::Update(std::span<const DataFileMeta> before, std::span<const DataFileMeta> after) {
  std::vector<std::vector<DataFileMeta>> by_level(upper_.size() + 1);
  by_level[0] = level0_;
  std::vector<bool> changed(by_level.size(), false);
  const auto level_of = [&](const DataFileMeta& file) -> std::vector<DataFileMeta>& {
    const auto level = static_cast<std::size_t>(file.level);
    BRAID_CHECK(level < by_level.size());
    if (level > 0 && !changed[level]) by_level[level] = upper_[level - 1].files();
    changed[level] = true;
    return by_level[level];
  };
  for (const DataFileMeta& file : before) {
    std::vector<DataFileMeta>& files = level_of(file);
    if (std::erase_if(files, [&](const DataFileMeta& other) { return other.file_name == file.file_name; }) == 0) {
      return Error(ErrorCode::kInternal,
                   fmt::format("data file {} is to leave level {}, where it is not", file.file_name, file.level));
    }
  }
  for (const DataFileMeta& file : after) level_of(file).push_back(file);

  std::vector<SortedRun> upper = upper_;
  for (std::size_t level = 1; level < by_level.size(); ++level) {
    if (!changed[level]) continue;
    BRAID_TRY_ASSIGN(upper[level - 1], SortedRun::Make(std::move(by_level[level]), key_fields_));
  }
  upper_ = std::move(upper);
  level0_ = std::move(by_level[0]);
  std::sort(level0_.begin(), level0_.end(), IsNewer);
  return Ok();
}

}  // namespace braid
