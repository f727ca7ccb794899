#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "table/commit.h"
#include "table/partition_time.h"
#include "table/table.h"

namespace braid {

/// Notices the partitions that a writer commits rows to, and says when they are complete (spec data.md §13.4, Java
/// PartitionMarkDoneTrigger): at the end of its input, where `partition.end-input-to-done` is set; in a stream, when
/// nothing came for `partition.idle-time-to-done` since the last row and since the partition's time and
/// `partition.time-interval` are over. Marking is up to the caller. One thread.
class PartitionDoneTrigger {
 public:
  /// nullopt if nothing is ever to be marked: the table has no partitions; in batch `partition.end-input-to-done` is
  /// not true; in a stream `partition.idle-time-to-done` is not set. Errors: kInvalidArgument for values that are none;
  /// kUnsupported for actions and modes that Braid does not do.
  static Result<std::optional<PartitionDoneTrigger>> Make(const Table& table, bool streaming);

  /// Partitions that were pending when a former process ended: to it they have just been written.
  void Restore(const std::vector<std::string>& partitions, std::int64_t now_ms);
  /// What a commit that has landed brought.
  Status Notice(std::span<const CommitMessage> messages, std::int64_t now_ms);

  /// Folders of partitions that have rows and are not done, "dt=1/hh=2"; ascending.
  std::vector<std::string> pending() const;
  /// The folders of those that are done; they are pending no more. Partitions whose values mean no time are never done
  /// but at the end of the input, and no longer pending.
  std::vector<std::string> TakeDone(bool end_of_input, std::int64_t now_ms);

 private:
  PartitionDoneTrigger(const Table& table, PartitionTime time);
  bool IsNews(const CommitMessage& message) const;
  /// When the partition was last written to, or was over if that is later; nullopt if its values mean no time.
  std::optional<std::int64_t> LastUpdate(const std::string& partition, std::int64_t written_ms) const;

  DataLayout layout_;
  PartitionTime time_;
  std::optional<std::chrono::milliseconds> time_interval_;
  std::optional<std::chrono::milliseconds> idle_time_;
  bool at_end_of_input_ = false;
  bool waits_for_compaction_ = false;
  std::map<std::string, std::int64_t> pending_;  // by folder: when rows last came
};

/// Marks the partitions that a batch job has committed rows to, behind its commit. `trigger` was made before anything was
/// written; nullopt: nothing is to be marked. Errors: those of writing; the rows stay committed.
Status MarkAtEndOfInput(const Table& table, std::optional<PartitionDoneTrigger> trigger,
                        std::span<const CommitMessage> messages, const Clock& clock);

}  // namespace braid
