#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "mergetree/sorted_run.h"
#include "meta/manifest.h"
#include "types/data_type.h"

namespace braid {

/// A sorted run and the level that it lives on.
struct LevelRun {
  int level = 0;
  SortedRun run;
};

/// The files of one bucket by level (spec data.md §3.5). One thread at a time.
class Levels {
 public:
  /// `level_count` is raised to the deepest file's level + 1. Errors: kCorruption if files of a level above 0 overlap.
  static Result<Levels> Make(std::vector<DataField> key_fields, int level_count, std::vector<DataFileMeta> files);

  int level_count() const { return static_cast<int>(upper_.size()) + 1; }
  int max_level() const { return level_count() - 1; }
  int run_count() const;
  /// The deepest level that has files; -1 if none has.
  int highest_non_empty_level() const;
  /// Level 0 from the newest file to the oldest, each a run, then levels 1, 2, … that have files.
  std::vector<LevelRun> Runs() const;
  std::vector<DataFileMeta> AllFiles() const;
  const std::vector<DataFileMeta>& level0() const { return level0_; }

  void AddLevel0(DataFileMeta file);
  /// Takes `before` out and puts `after` in, each on the level that the file states.
  /// Errors: kInternal if a file of `before` is not there; kCorruption as Make.
  Status Update(std::span<const DataFileMeta> before, std::span<const DataFileMeta> after);

 private:
  explicit Levels(std::vector<DataField> key_fields) : key_fields_(std::move(key_fields)) {}

  std::vector<DataField> key_fields_;
  std::vector<DataFileMeta> level0_;  // newest first
  std::vector<SortedRun> upper_;      // level i + 1
};

}  // namespace braid
