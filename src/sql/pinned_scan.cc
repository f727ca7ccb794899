#include "sql/pinned_scan.h"

#include <algorithm>
#include <utility>

#include "meta/stores.h"
#include "table/reader_line.h"
#include "table/time_travel.h"

namespace braid {
namespace {

Result<std::shared_ptr<const Plan>> PlanNow(const Table& table, const PredicatePtr& filter) {
  BRAID_TRY_ASSIGN(Plan plan, PlanBatch(table, ReadRequest{.projection = {}, .filter = filter}));
  return std::make_shared<const Plan>(std::move(plan));
}

std::int64_t FileRows(const Plan& plan) {
  std::int64_t rows = 0;
  for (const DataSplit& split : plan.splits) {
    for (const DataFileMeta& file : split.files) rows += file.row_count;
  }
  return rows;
}

/// The newest snapshot, if reading it by its id shows the same rows with the same columns.
Result<std::optional<Snapshot>> SnapshotToPin(const Table& table) {
  // Snapshots of a fallback branch have ids of their own.
  if (table.options().Has("scan.fallback-branch")) return std::optional<Snapshot>();
  BRAID_TRY_ASSIGN(std::optional<Snapshot> snapshot, ReadLatestSnapshot(table.file_system(), table.paths()));
  // Travelling to a snapshot takes its schema, which ALTER TABLE may have left behind.
  if (snapshot && snapshot->schema_id != table.schema().id) snapshot.reset();
  return snapshot;
}

}  // namespace

Result<std::shared_ptr<const PinnedScan>> PinnedScan::Make(const Table& table) {
  // Another branch may become main between the opening of a table and the reading of it.
  return OnLine<std::shared_ptr<const PinnedScan>>(table, MakeHere);
}

Result<std::shared_ptr<const PinnedScan>> PinnedScan::MakeHere(const Table& table) {
  std::shared_ptr<PinnedScan> scan(new PinnedScan(table));
  BRAID_TRY_ASSIGN(const StartupMode mode, StartupModeOf(table.options()));
  if (mode == StartupMode::kLatestFull || mode == StartupMode::kLatest) {
    BRAID_TRY_ASSIGN(const std::optional<Snapshot> snapshot, SnapshotToPin(table));
    if (snapshot) {
      scan->table_ = table.ReadingAt(*snapshot);
      scan->prunes_ = true;
      scan->snapshot_ = snapshot->id;
      scan->snapshot_rows_ = snapshot->total_record_count;
      return std::shared_ptr<const PinnedScan>(std::move(scan));
    }
  } else {
    scan->prunes_ = mode == StartupMode::kFromSnapshot || mode == StartupMode::kFromSnapshotFull;
  }
  BRAID_TRY_ASSIGN(scan->plan_, PlanNow(scan->table_, nullptr));
  scan->snapshot_ = scan->plan_->snapshot;
  return std::shared_ptr<const PinnedScan>(std::move(scan));
}

Result<std::shared_ptr<const PinnedScan>> PinnedScan::Planned() const {
  auto planned = std::make_shared<PinnedScan>(*this);
  BRAID_TRY_ASSIGN(planned->plan_, MakePlan(nullptr));
  return std::shared_ptr<const PinnedScan>(std::move(planned));
}

Result<std::shared_ptr<const Plan>> PinnedScan::MakePlan(const PredicatePtr& filter) const {
  if (plan_ != nullptr && (filter == nullptr || !prunes_)) return plan_;
  return PlanNow(table_, filter);
}

std::optional<std::int64_t> PinnedScan::exact_row_count() const {
  if (plan_ == nullptr) return std::nullopt;
  const auto counted = [](const DataSplit& split) {
    const bool vectors = std::any_of(split.deletion_vectors.begin(), split.deletion_vectors.end(),
                                     [](const DeletionVectorRef& vector) { return !vector.path.empty(); });
    return split.raw_convertible && !split.is_changes && !vectors && split.before_files.empty();
  };
  if (!std::all_of(plan_->splits.begin(), plan_->splits.end(), counted)) return std::nullopt;
  return FileRows(*plan_);
}

std::int64_t PinnedScan::estimated_row_count() const {
  return plan_ == nullptr ? snapshot_rows_ : FileRows(*plan_);
}

}  // namespace braid
