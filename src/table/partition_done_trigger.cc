#include "table/partition_done_trigger.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "table/partition_done.h"
#include "table/partitions.h"
#include "types/local_time.h"

namespace braid {

namespace {

Result<std::optional<std::chrono::milliseconds>> DurationOption(const Options& options, const char* key) {
  if (!options.Has(key)) return std::optional<std::chrono::milliseconds>();
  BRAID_TRY_ASSIGN(const std::chrono::milliseconds duration, options.GetDuration(key, {}));
  return std::optional(duration);
}

// Whether rows may be readable only after a later compaction, so that any change of files counts.
Result<bool> WaitsForCompaction(const Table& table) {
  if (!table.schema().has_primary_key()) return false;
  const Options& options = table.options();
  BRAID_TRY_ASSIGN(const bool vectors, options.GetBool("deletion-vectors.enabled", false));
  BRAID_TRY_ASSIGN(const std::int64_t buckets, options.GetInt("bucket", -1));
  return vectors || buckets == -2 || ToLower(options.Get("merge-engine", "deduplicate")) == "first-row";
}

}  // namespace

PartitionDoneTrigger::PartitionDoneTrigger(const Table& table, PartitionTime time)
    : layout_(table.layout()), time_(std::move(time)) {}

Result<std::optional<PartitionDoneTrigger>> PartitionDoneTrigger::Make(const Table& table, bool streaming) {
  const Options& options = table.options();
  BRAID_TRY_ASSIGN(const bool at_end, options.GetBool("partition.end-input-to-done", false));
  BRAID_TRY_ASSIGN(const auto idle, DurationOption(options, "partition.idle-time-to-done"));
  const bool is_wanted = streaming ? idle.has_value() : at_end;
  if (!is_wanted || !table.schema().is_partitioned()) return std::optional<PartitionDoneTrigger>();
  BRAID_TRY(CheckDoneActions(table));
  const std::string mode = ToLower(options.Get("partition.mark-done-action.mode", "process-time"));
  if (streaming && mode != "process-time") {
    return Error(ErrorCode::kUnsupported,
                 fmt::format("'partition.mark-done-action.mode' of {} is '{}'", table.name(), mode))
        .Hint("Braid knows when a partition is idle by the clock alone: 'process-time'");
  }
  const auto text = [&](const char* key) {
    return options.Has(key) ? std::optional(options.Get(key, "")) : std::nullopt;
  };
  BRAID_TRY_ASSIGN(PartitionTime time,
                   PartitionTime::Make(text("partition.timestamp-pattern"), text("partition.timestamp-formatter")));
  PartitionDoneTrigger trigger(table, std::move(time));
  trigger.idle_time_ = idle;
  trigger.at_end_of_input_ = at_end;
  BRAID_TRY_ASSIGN(trigger.time_interval_, DurationOption(options, "partition.time-interval"));
  BRAID_TRY_ASSIGN(trigger.waits_for_compaction_, WaitsForCompaction(table));
  return std::optional(std::move(trigger));
}

void PartitionDoneTrigger::Restore(const std::vector<std::string>& partitions, std::int64_t now_ms) {
  for (const std::string& partition : partitions) pending_.insert_or_assign(partition, now_ms);
}

bool PartitionDoneTrigger::IsNews(const CommitMessage& message) const {
  return waits_for_compaction_ || !message.new_files.empty() || !message.deleted_files.empty() ||
         !message.changelog_files.empty() || !message.new_index_files.empty() || !message.deleted_index_files.empty();
}

Status PartitionDoneTrigger::Notice(std::span<const CommitMessage> messages, std::int64_t now_ms) {
  const std::vector<DataType> types = PartitionTypes(layout_);
  for (const CommitMessage& message : messages) {
    if (!IsNews(message)) continue;
    BRAID_TRY_ASSIGN(const DatumList values, message.partition.ToDatums(types));
    pending_.insert_or_assign(layout_.PartitionPath(values), now_ms);
  }
  return Ok();
}

std::vector<std::string> PartitionDoneTrigger::pending() const {
  std::vector<std::string> partitions;
  for (const auto& [partition, written_ms] : pending_) partitions.push_back(partition);
  return partitions;
}

std::optional<std::int64_t> PartitionDoneTrigger::LastUpdate(const std::string& partition,
                                                             std::int64_t written_ms) const {
  std::vector<std::string> columns;
  std::vector<std::optional<std::string>> values;
  for (const std::string& part : Split(partition, '/')) {
    const std::size_t equals = part.find('=');
    columns.push_back(UnescapePathPart(std::string_view(part).substr(0, equals)));
    values.emplace_back(UnescapePathPart(equals == std::string::npos ? "" : std::string_view(part).substr(equals + 1)));
  }
  const std::optional<std::int64_t> begins = time_.Of(columns, values);
  if (!begins) return std::nullopt;
  return std::max(written_ms, FromLocalTime({.millis = *begins}) + time_interval_->count());
}

std::vector<std::string> PartitionDoneTrigger::TakeDone(bool end_of_input, std::int64_t now_ms) {
  std::vector<std::string> done;
  if (end_of_input && at_end_of_input_) {
    done = pending();
    pending_.clear();
    return done;
  }
  if (!time_interval_ || !idle_time_) return done;
  for (auto it = pending_.begin(); it != pending_.end();) {
    const std::optional<std::int64_t> updated_ms = LastUpdate(it->first, it->second);
    if (!updated_ms) {
      Log(LogLevel::kWarning, "a partition's values mean no time, so it is never marked as done",
          fmt::format("partition={}", it->first));
    } else if (now_ms - *updated_ms > idle_time_->count()) {
      done.push_back(it->first);
    } else {
      ++it;
      continue;
    }
    it = pending_.erase(it);
  }
  return done;
}

Status MarkAtEndOfInput(const Table& table, std::optional<PartitionDoneTrigger> trigger,
                        std::span<const CommitMessage> messages, const Clock& clock) {
  if (!trigger) return Ok();
  BRAID_TRY(trigger->Notice(messages, clock.NowMs()));
  return MarkFoldersDone(table, trigger->TakeDone(/*end_of_input=*/true, clock.NowMs()), clock)
      .Context("after the rows were committed, while marking their partitions as done");
}

}  // namespace braid
