#include "jobs/done_partitions.h"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "jobs/commit_message_json.h"
#include "table/partition_done.h"

namespace braid {

Result<DonePartitions> DonePartitions::Open(const JobPlan& plan, const Clock& clock) {
  DonePartitions partitions(clock);
  for (const PlannedInsert& insert : plan.inserts) {
    std::optional<Sink>& sink = partitions.sinks_.emplace_back();
    const auto* table = std::get_if<Table>(&insert.table);
    if (table == nullptr) continue;
    BRAID_TRY_ASSIGN(std::optional<PartitionDoneTrigger> trigger,
                     PartitionDoneTrigger::Make(*table, /*streaming=*/true));
    if (trigger) sink.emplace(Sink{*table, *std::move(trigger)});
  }
  return partitions;
}

Status DonePartitions::Restore(const std::vector<Json>& pending) {
  for (std::size_t i = 0; i < std::min(pending.size(), sinks_.size()); ++i) {
    if (!sinks_[i] || pending[i].is_null()) continue;
    if (!pending[i].is_array()) return Error(ErrorCode::kCorruption, "the pending partitions of a sink are no list");
    std::vector<std::string> folders;
    for (const Json& folder : pending[i].as_array()) {
      if (!folder.is_string()) return Error(ErrorCode::kCorruption, "a pending partition of a sink is no text");
      folders.push_back(folder.as_string());
    }
    sinks_[i]->trigger.Restore(folders, clock_->NowMs());
  }
  return Ok();
}

Status DonePartitions::Notice(std::size_t sink, const Json& prepared) {
  if (!sinks_[sink]) return Ok();
  const Json* encoded = prepared.Find("messages");
  if (encoded == nullptr) return Error(ErrorCode::kCorruption, "a commit has no messages");
  BRAID_TRY_ASSIGN(const std::vector<CommitMessage> messages, DecodeCommitMessages(*encoded));
  return sinks_[sink]->trigger.Notice(messages, clock_->NowMs());
}

std::vector<Json> DonePartitions::pending() const {
  std::vector<Json> pending;
  for (const std::optional<Sink>& sink : sinks_) {
    Json& of_sink = pending.emplace_back();
    if (!sink) continue;
    Json::Array folders;
    for (std::string& folder : sink->trigger.pending()) folders.emplace_back(std::move(folder));
    of_sink = Json(std::move(folders));
  }
  const bool none = std::all_of(pending.begin(), pending.end(), [](const Json& one) { return one.is_null(); });
  return none ? std::vector<Json>() : pending;
}

Result<bool> DonePartitions::Mark(bool end_of_input) {
  bool any = false;
  for (std::optional<Sink>& sink : sinks_) {
    if (!sink) continue;
    const std::vector<std::string> done = sink->trigger.TakeDone(end_of_input, clock_->NowMs());
    any = any || !done.empty();
    BRAID_TRY(MarkFoldersDone(sink->table, done, *clock_)
                  .Context(fmt::format("while marking partitions of {} as done", sink->table.name())));
  }
  return any;
}

}  // namespace braid
