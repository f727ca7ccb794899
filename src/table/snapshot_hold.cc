#include "table/snapshot_hold.h"

#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/json.h"
#include "meta/stores.h"
#include "table/operation.h"

namespace braid {

namespace {

// Whoever removes snapshots decides within milliseconds, unless it was killed.
constexpr int kLooks = 400;
constexpr std::chrono::milliseconds kPause{5};
constexpr std::string_view kUndecided = "PLANNED";

bool Lists(const Json* array, const Json& value) {
  if (array == nullptr || !array->is_array()) return false;
  return std::find(array->as_array().begin(), array->as_array().end(), value) != array->as_array().end();
}

// The tags that a journal of deleting tags is about.
std::vector<std::string> TagsIn(const OperationJournal& journal) {
  std::vector<std::string> names;
  const Json* tags = journal.kind == "tag" ? journal.args.Find("tags") : nullptr;
  if (tags == nullptr || !tags->is_array()) return names;
  for (const Json& tag : tags->as_array()) {
    if (Result<std::string> name = tag.GetString("name")) names.push_back(*std::move(name));
  }
  return names;
}

// What removes snapshots or tags of a line: whether it takes this content away.
class Removal {
 public:
  Removal(const Table& table, const SnapshotRef& content) : table_(table), fs_(table.file_system()), content_(content) {}

  // Errors: kNotFound if it goes.
  Status AwaitDecision() const {
    for (int look = 0; look < kLooks; ++look) {
      BRAID_TRY_ASSIGN(const std::optional<OperationJournal> journal, FindJournal());
      if (!journal) return Ok();
      BRAID_TRY_ASSIGN(const bool kept, IsKeptOtherwise(*journal));
      if (kept) return Ok();
      if (journal->state != kUndecided) break;
      // One that was killed is undone by whoever comes next.
      if (look % 50 == 0) RecoverOnOpen(ContextOf(table_));
      std::this_thread::sleep_for(kPause);
    }
    return Error(ErrorCode::kNotFound, fmt::format("snapshot {} of {} is being removed", content_.id, table_.name()))
        .Hint("`braid log` lists the snapshots that stay");
  }

 private:
  Result<std::optional<OperationJournal>> FindJournal() const {
    BRAID_TRY_ASSIGN(std::vector<OperationJournal> journals, ListJournals(fs_, table_.paths()));
    for (OperationJournal& journal : journals) {
      const Json* line = journal.args.Find("lineId");
      if (line == nullptr || *line != Json(table_.line().id)) continue;
      const bool expires = journal.kind == "expire" && Lists(journal.args.Find("ids"), Json(content_.id.value()));
      if (expires) return std::optional(std::move(journal));
      BRAID_TRY_ASSIGN(const bool untags, IsTagged([&](const std::string& name) { return Contains(TagsIn(journal), name); }));
      if (untags) return std::optional(std::move(journal));
    }
    return std::optional<OperationJournal>();
  }

  // Whether a tag keeps the content, or the snapshot itself where tags go.
  Result<bool> IsKeptOtherwise(const OperationJournal& journal) const {
    if (journal.kind == "tag") {
      const Result<Snapshot> snapshot = ReadSnapshot(fs_, table_.paths(), content_.id);
      if (snapshot && RefOf(*snapshot) == content_) return true;
    }
    const std::vector<std::string> going = TagsIn(journal);
    return IsTagged([&](const std::string& name) { return !Contains(going, name); });
  }

  template <typename Accepts>
  Result<bool> IsTagged(const Accepts& accepts) const {
    BRAID_TRY_ASSIGN(const std::vector<std::string> names, ListTags(fs_, table_.paths()));
    for (const std::string& name : names) {
      if (!accepts(name)) continue;
      const Result<Tag> tag = ReadTag(fs_, table_.paths(), name);
      if (tag && RefOf(tag->snapshot) == content_) return true;
      if (!tag && tag.error().code() != ErrorCode::kNotFound) return tag.error();
    }
    return false;
  }

  static bool Contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  const Table& table_;
  const FileSystem& fs_;
  const SnapshotRef& content_;
};

class HoldingReader : public BatchReader {
 public:
  HoldingReader(std::shared_ptr<SnapshotHold> hold, std::unique_ptr<BatchReader> reader)
      : hold_(std::move(hold)), reader_(std::move(reader)) {}

  Result<std::optional<Batch>> Next() override {
    hold_->Touch();
    return reader_->Next();
  }

 private:
  std::shared_ptr<SnapshotHold> hold_;
  std::unique_ptr<BatchReader> reader_;
};

Result<std::chrono::milliseconds> LeaseAfter(const Table& table) {
  return table.options().GetDuration("read.lease-after", std::chrono::seconds(10));
}

}  // namespace

Result<std::shared_ptr<SnapshotHold>> SnapshotHold::Make(const Table& table, const std::vector<Snapshot>& contents) {
  BRAID_TRY_ASSIGN(const std::chrono::milliseconds after, LeaseAfter(table));
  std::vector<SnapshotRef> refs;
  for (const Snapshot& content : contents) refs.push_back(RefOf(content));
  auto hold = std::make_shared<SnapshotHold>(table, std::move(refs), after);
  BRAID_TRY_ASSIGN(const bool is_newest,
                   IsLatestSnapshot(table.file_system(), table.paths(), contents.front().id));
  if (is_newest) return hold;
  hold->decided_ = true;
  BRAID_TRY(hold->TakeLease());
  return hold;
}

Result<std::shared_ptr<SnapshotHold>> SnapshotHold::OfNewest(const Table& table, const Snapshot& snapshot) {
  BRAID_TRY_ASSIGN(const std::chrono::milliseconds after, LeaseAfter(table));
  return std::make_shared<SnapshotHold>(table, std::vector<SnapshotRef>{RefOf(snapshot)}, after);
}

SnapshotHold::SnapshotHold(const Table& table, std::vector<SnapshotRef> contents, std::chrono::milliseconds lease_after)
    : table_(table),
      contents_(std::move(contents)),
      lease_from_(std::chrono::steady_clock::now() + lease_after) {}

void SnapshotHold::Touch() {
  if (decided_.load(std::memory_order_relaxed) || std::chrono::steady_clock::now() < lease_from_) return;
  if (decided_.exchange(true)) return;
  // What is being removed already cannot be held any more; a file that is missing then says so.
  if (!TakeLease()) lease_.reset();
}

Status SnapshotHold::TakeLease() {
  std::vector<SnapshotId> ids;
  for (const SnapshotRef& content : contents_) ids.push_back(content.id);
  lease_ = ReadLease::Take(table_, std::move(ids), ThisReader());
  if (lease_ == nullptr) return Ok();
  // Whoever removes writes that down before it looks for leases, so one of both sees the other.
  for (const SnapshotRef& content : contents_) BRAID_TRY(Removal(table_, content).AwaitDecision());
  return Ok();
}

std::unique_ptr<BatchReader> MakeHoldingReader(std::shared_ptr<SnapshotHold> hold, std::unique_ptr<BatchReader> reader) {
  return std::make_unique<HoldingReader>(std::move(hold), std::move(reader));
}

}  // namespace braid
