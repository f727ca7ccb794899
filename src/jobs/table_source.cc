// A Paimon table as the source of a job: rows appended, a changelog, or the difference of two snapshots (spec
// streaming.md §1.5.3). A position is {"next": id, "identity": of the snapshot before it, "line": that both are on}.

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "jobs/followed_line.h"
#include "jobs/job_source.h"
#include "jobs/weighted_scan.h"
#include "lineage/catalog_file.h"
#include "lineage/lineage.h"
#include "meta/stores.h"
#include "table/file_scan.h"
#include "table/kept_rows.h"
#include "table/read_lease.h"
#include "table/reader_line.h"
#include "table/row_tracking.h"
#include "table/split_generator.h"
#include "table/time_travel.h"

namespace braid {

namespace {

// What an epoch reads at most; the next one goes on.
constexpr std::int64_t kDefaultMaxSnapshots = 1000;

// How changes of a table are found.
enum class ChangeRoad {
  kAppended,    ///< the rows of new files
  kChangelog,   ///< the changelog's rows with their kinds
  kDifference,  ///< the rows of touched buckets after, without those before
};

struct Position {
  SnapshotId next;
  std::string identity;   // of the snapshot before; empty: there was none, or nobody knows
  std::string line = {};  // lineId; empty: nobody knows
};

Json ToJson(const Position& position) {
  Json json;
  json.Add("next", position.next.value());
  json.Add("identity", position.identity);
  json.Add("line", position.line);
  return json;
}

Result<Position> ToPosition(const Json& json) {
  BRAID_TRY_ASSIGN(const std::int64_t next, json.GetInteger("next"));
  BRAID_TRY_ASSIGN(std::string identity, json.GetString("identity"));
  BRAID_TRY_ASSIGN(std::optional<std::string> line, json.FindString("line"));
  return Position{
      .next = SnapshotId(next), .identity = std::move(identity), .line = std::move(line).value_or(std::string())};
}

// Splits that only one of two plans has; the files of the others are the same, and so are their rows.
void RemoveCommonSplits(std::vector<DataSplit>& before, std::vector<DataSplit>& after) {
  const auto key = [](const DataSplit& split) {
    std::string text = fmt::format("{}/{}/{}", ToHex(split.partition.bytes()), split.bucket, split.raw_convertible);
    for (const DataFileMeta& file : split.files) text += "/" + file.file_name + ":" + std::to_string(file.level);
    for (const DeletionVectorRef& vector : split.deletion_vectors)
      text += fmt::format("|{}@{}", vector.path, vector.offset);
    return text;
  };
  std::multiset<std::string> after_keys;
  for (const DataSplit& split : after) after_keys.insert(key(split));
  std::multiset<std::string> common;
  std::erase_if(before, [&](const DataSplit& split) {
    const auto found = after_keys.find(key(split));
    if (found == after_keys.end()) return false;
    common.insert(*found);
    after_keys.erase(found);
    return true;
  });
  std::erase_if(after, [&](const DataSplit& split) {
    const auto found = common.find(key(split));
    if (found == common.end()) return false;
    common.erase(found);
    return true;
  });
}

class TableSource : public JobSource {
 public:
  TableSource(std::string name, Table table, ChangeRoad road, StartupMode mode, std::int64_t max_snapshots)
      : name_(std::move(name)),
        table_(std::move(table)),
        road_(road),
        mode_(mode),
        max_snapshots_(max_snapshots),
        consumer_(table_.options().Get("consumer-id", "")) {}

  const std::string& name() const override { return name_; }
  SourceTraits traits() const override { return {.append_only = road_ == ChangeRoad::kAppended, .time_travel = false}; }

  Result<SourceStep> Start(const SourceStart& start) override {
    return Following<SourceStep>([&] { return StartHere(start); });
  }

  Result<std::optional<SourceStep>> Next(const Json& json) override {
    return Following<std::optional<SourceStep>>([&] { return NextHere(json); });
  }

  Result<bool> Stands(const Json& json) const override {
    if (json.is_null()) return true;
    BRAID_TRY_ASSIGN(const Position position, ToPosition(json));
    if (position.line.empty() || position.line == table_.line().id) return true;
    if (position.identity.empty()) return position.next.value() <= 1;
    const LinePoint point{.line = {}, .snapshot = position.next.previous(), .identity = position.identity};
    return OnLine<bool>(table_, [&](const Table& here) { return HoldsPoint(here, point); });
  }

  bool HasMoved() const override { return braid::HasMoved(table_); }
  bool CanStartAgain() const override { return StartsWithContent(); }
  bool IsEnd(const Json& /*position*/) const override { return false; }

  Status Pin(const std::string& consumer, const Json& json, bool whole) override {
    if (json.is_null()) {
      lease_.reset();
      return DeleteConsumer(fs(), paths(), consumer);
    }
    BRAID_TRY_ASSIGN(table_, FollowLine(table_));
    BRAID_TRY_ASSIGN(const Position position, ToPosition(json));
    // The user's consumer says what has been read, and stays when the job has ended.
    if (!consumer_.empty() && !whole && told_ != position.next) {
      BRAID_TRY(WriteConsumer(fs(), paths(), {.id = consumer_, .next_snapshot = position.next}));
      told_ = position.next;
    }
    // A difference needs the snapshot before, too.
    const SnapshotId kept = (whole || road_ == ChangeRoad::kDifference) && position.next.value() > 1
                                ? position.next.previous()
                                : position.next;
    if (pinned_ == kept) return Ok();
    BRAID_TRY(WriteConsumer(fs(), paths(), {.id = consumer, .next_snapshot = kept}));
    Claim(kept, consumer);
    pinned_ = kept;
    return Ok();
  }

  Result<bool> Tag(const std::string& name, const Json& json) override {
    if (json.is_null()) return false;
    BRAID_TRY_ASSIGN(const Position position, ToPosition(json));
    if (position.next.value() <= 1) return false;
    BRAID_TRY_ASSIGN(Snapshot snapshot, Following<Snapshot>([&] {
                       return ReadSnapshot(fs(), paths(), position.next.previous());
                     }));
    Status written = WriteTag(fs(), paths(),
                              {.name = name, .snapshot = std::move(snapshot), .create_time = {}, .time_retained = {}});
    if (!written && written.error().code() != ErrorCode::kAlreadyExists) return std::move(written).error();
    return true;
  }

  Result<std::int64_t> Lag(const Json& json) const override {
    return OnLine<std::int64_t>(table_, [&](const Table& here) { return LagOf(here, json); });
  }

  // In the root another line becomes main.
  std::vector<std::string> WatchedFolders() const override { return {paths().SnapshotDirectory(), paths().root()}; }
  std::int64_t poll_interval_ms() const override { return 1000; }

 private:
  bool StartsWithContent() const {
    return mode_ == StartupMode::kLatestFull || mode_ == StartupMode::kFromSnapshotFull ||
           mode_ == StartupMode::kCompactedFull;
  }
  FileSystem& fs() const { return table_.file_system(); }
  const TablePaths& paths() const { return table_.paths(); }

  // Does what reads the line where it lies, and again if folders were exchanged meanwhile. Errors: kConflict, too, if
  // the table's name has come to mean another line.
  template <typename T>
  Result<T> Following(const std::function<Result<T>()>& work) {
    BRAID_TRY_ASSIGN(table_, FollowLine(table_));
    Result<T> done = OnLine<T>(Table(table_), [&](const Table& here) {
      table_ = here;
      return work();
    });
    BRAID_TRY(FollowLine(table_));
    return done;
  }

  Result<SourceStep> StartHere(const SourceStart& start) {
    if (!start.again) {
      BRAID_TRY_ASSIGN(const std::optional<SnapshotId> next, NextOfConsumer());
      if (next) {
        BRAID_TRY_ASSIGN(std::string identity, IdentityAt(next->previous()));
        return Nothing({.next = *next, .identity = std::move(identity)});
      }
    }
    BRAID_TRY_ASSIGN(const std::optional<SnapshotId> known, FindOwn(start.made_of));
    BRAID_TRY_ASSIGN(Table from, table_.With(Options(Options::Map{{"consumer.ignore-progress", "true"}})));
    if (known) {
      BRAID_TRY_ASSIGN(from, from.With(Options({{"scan.mode", "from-snapshot-full"},
                                                {"scan.snapshot-id", std::to_string(known->value())}})));
    }
    BRAID_TRY_ASSIGN(auto stream, StreamScan::Open(from, {}));
    // The mode decides where to begin; only the position is taken where no content comes first.
    const bool full = known || StartsWithContent();
    BRAID_TRY_ASSIGN(const auto latest, FindLatestSnapshot(fs(), paths()));
    if (!latest) return Nothing({.next = SnapshotId(1), .identity = {}});
    BRAID_TRY_ASSIGN(std::optional<Plan> plan, stream->Next());
    if (!full) {
      const SnapshotId next = plan ? *plan->snapshot : stream->next_snapshot();
      BRAID_TRY_ASSIGN(std::string identity, IdentityAt(next.previous()));
      return Nothing({.next = next, .identity = std::move(identity)});
    }
    if (!plan) return Nothing({.next = SnapshotId(1), .identity = {}});
    if (road_ == ChangeRoad::kDifference) {
      BRAID_TRY_ASSIGN(plan, BatchPlan(*plan->snapshot));
    }
    BRAID_TRY_ASSIGN(const Snapshot snapshot, ReadSnapshot(fs(), paths(), *plan->snapshot));
    BRAID_TRY(KeepSchemas(table_, *plan));
    std::vector<WeightedSplits> parts = {{.table = table_, .splits = std::move(plan->splits), .weight = 1}};
    return Step({.next = snapshot.id.next(), .identity = IdentityOf(snapshot)}, SourceMode::kFull, snapshot.id,
                std::move(parts));
  }

  Result<std::optional<SourceStep>> NextHere(const Json& json) {
    BRAID_TRY_ASSIGN(const Position position, ToPosition(json));
    BRAID_TRY_ASSIGN(const auto latest, FindLatestSnapshot(fs(), paths()));
    if (!latest || *latest < position.next) {
      if (latest.value_or(SnapshotId(0)) < position.next.previous()) return Moved(position, latest);
      return std::optional<SourceStep>();
    }
    BRAID_TRY_ASSIGN(std::vector<Snapshot> snapshots, ReadRange(position, *latest));
    BRAID_TRY(CheckLine(position));
    // Behind a seal the table goes on elsewhere, perhaps from before it.
    if (snapshots.back().id == *latest && EndsLine(table_, snapshots.back())) snapshots.pop_back();
    if (snapshots.empty()) return std::optional<SourceStep>();
    BRAID_TRY_ASSIGN(std::vector<WeightedSplits> parts, Changes(position, snapshots));
    const Snapshot& last = snapshots.back();
    BRAID_TRY_ASSIGN(SourceStep step, Step({.next = last.id.next(), .identity = IdentityOf(last)}, SourceMode::kDelta,
                                           position.next, std::move(parts)));
    return std::optional(std::move(step));
  }

  static Result<std::int64_t> LagOf(const Table& table, const Json& json) {
    const FileSystem& fs = table.file_system();
    BRAID_TRY_ASSIGN(const auto latest, FindLatestSnapshot(fs, table.paths()));
    if (!latest) return 0;
    if (json.is_null()) return latest->value();
    BRAID_TRY_ASSIGN(const Position position, ToPosition(json));
    const std::int64_t lag = std::max<std::int64_t>(0, latest->value() - position.next.value() + 1);
    if (lag != 1) return lag;
    const Result<Snapshot> head = ReadSnapshot(fs, table.paths(), *latest);
    return head && EndsLine(table, *head) ? 0 : lag;
  }

  Result<SourceStep> Nothing(Position position) const {
    position.line = table_.line().id;
    return SourceStep{.to = ToJson(position), .changes = nullptr, .table = {}, .outside = {}};
  }

  // The consumer holds the snapshots; the lease tells who reads the line, and goes when the job is killed.
  void Claim(SnapshotId next, const std::string& consumer) {
    if (lease_ == nullptr) {
      lease_ = ReadLease::Take(table_, {next}, consumer);
    } else if (const Status moved = lease_->MoveTo({next}); !moved) {
      lease_.reset();
    }
  }

  // Where the user's consumer has left off. From the middle, the rows before are not known.
  Result<std::optional<SnapshotId>> NextOfConsumer() const {
    BRAID_TRY_ASSIGN(const bool ignored, table_.options().GetBool("consumer.ignore-progress", false));
    if (consumer_.empty() || ignored) return std::optional<SnapshotId>();
    BRAID_TRY_ASSIGN(const std::optional<Consumer> consumer, ReadConsumer(fs(), paths(), consumer_));
    if (!consumer) return std::optional<SnapshotId>();
    if (road_ != ChangeRoad::kDifference) return std::optional(consumer->next_snapshot);
    return Error(ErrorCode::kUnsupported,
                 fmt::format("a job cannot read {} from where consumer {} is, since it has no changelog and the rows "
                             "before are not known",
                             name_, consumer_))
        .Hint(
            "add 'consumer.ignore-progress' = 'true', or use a table with 'changelog-producer' = 'input' or 'lookup'");
  }

  // The snapshot of this table among those, if it is on the line.
  Result<std::optional<SnapshotId>> FindOwn(const std::vector<LineageSource>& made_of) const {
    if (made_of.empty()) return std::optional<SnapshotId>();
    BRAID_TRY_ASSIGN(const std::string uuid, TableUuid(fs(), paths().root()));
    for (const LineageSource& source : made_of) {
      if (source.table_uuid != uuid) continue;
      const Result<Snapshot> snapshot = ReadSnapshot(fs(), paths(), SnapshotId(source.to));
      if (snapshot && IdentityOf(*snapshot) == source.to_identity) return std::optional(snapshot->id);
    }
    return std::optional<SnapshotId>();
  }

  Result<std::string> IdentityAt(SnapshotId id) const {
    if (id.value() < 1) return std::string();
    const Result<Snapshot> snapshot = ReadSnapshot(fs(), paths(), id);
    return snapshot ? IdentityOf(*snapshot) : std::string();
  }

  Result<SourceStep> Step(Position to, SourceMode mode, SnapshotId from, std::vector<WeightedSplits> parts) const {
    to.line = table_.line().id;
    BRAID_TRY_ASSIGN(std::string uuid, TableUuid(fs(), paths().root()));
    SourceStep step{.to = ToJson(to),
                    .changes = nullptr,
                    .table = LineageSource{.table = table_.name(),
                                           .table_uuid = std::move(uuid),
                                           .branch = paths().branch(),
                                           .line = LineOf(paths().branch()),
                                           .mode = mode,
                                           .from = from.value(),
                                           .to = to.next.value() - 1,
                                           .to_identity = to.identity},
                    .outside = {}};
    const bool any =
        std::any_of(parts.begin(), parts.end(), [](const WeightedSplits& part) { return !part.splits.empty(); });
    if (any) step.changes = MakeWeightedScan(name_, table_.schema().fields, std::move(parts));
    return step;
  }

  // All snapshots behind the position, up to as many as an epoch takes.
  Result<std::vector<Snapshot>> ReadRange(const Position& position, SnapshotId latest) const {
    std::vector<Snapshot> snapshots;
    for (SnapshotId id = position.next; id <= latest && static_cast<std::int64_t>(snapshots.size()) < max_snapshots_;
         id = id.next()) {
      Result<Snapshot> snapshot = ReadSnapshot(fs(), paths(), id);
      if (!snapshot && snapshot.error().code() == ErrorCode::kNotFound && road_ != ChangeRoad::kDifference)
        snapshot = ReadChangelog(fs(), paths(), id);
      if (!snapshot && snapshot.error().code() == ErrorCode::kNotFound) return Expired(id);
      if (!snapshot) return std::move(snapshot).error();
      snapshots.push_back(*std::move(snapshot));
    }
    return snapshots;
  }

  Error Expired(SnapshotId id) const {
    const auto earliest = FindEarliestSnapshot(fs(), paths());
    const std::string left = earliest && *earliest ? fmt::format("; the earliest one is {}", **earliest) : "";
    return Error(ErrorCode::kNotFound,
                 fmt::format("snapshot {} of {}, the next to read, has expired{}", id, name_, left))
        .Hint(
            "`braid job restart … --rebuild-state` evaluates the query on what is there and writes the difference to "
            "the "
            "sink; a savepoint may know an older position");
  }

  Error Moved(const Position& position, const std::optional<SnapshotId>& latest) const {
    return Error(
               ErrorCode::kConflict,
               fmt::format("{} is not what the job has read: snapshot {} was, and {}", name_, position.next.previous(),
                           latest ? fmt::format("the newest is {}", *latest) : std::string("there is none")))
        .Hint(
            "the table was rolled back or replaced; `braid job restart … --rebuild-state` evaluates the query on what "
            "is there");
  }

  // The last snapshot that was read must still be on this line.
  Status CheckLine(const Position& position) const {
    if (position.identity.empty()) return Ok();
    const Result<Snapshot> snapshot = ReadSnapshot(fs(), paths(), position.next.previous());
    if (!snapshot) {
      if (snapshot.error().code() != ErrorCode::kNotFound) return snapshot.error();
      if (road_ == ChangeRoad::kDifference) return Expired(position.next.previous());
      return Ok();  // expired: nothing tells
    }
    if (IdentityOf(*snapshot) == position.identity) return Ok();
    return Error(ErrorCode::kConflict,
                 fmt::format("snapshot {} of {} is another one than the job has read", snapshot->id, name_))
        .Hint(
            "the table was rolled back or replaced; `braid job restart … --rebuild-state` evaluates the query on what "
            "is there");
  }

  Result<Plan> BatchPlan(SnapshotId id) const {
    BRAID_TRY_ASSIGN(
        const Table at,
        table_.With(Options({{"scan.snapshot-id", std::to_string(id.value())}, {"scan.mode", "default"}})));
    return PlanBatch(at, {});
  }

  Result<std::vector<WeightedSplits>> Changes(const Position& position, const std::vector<Snapshot>& snapshots) const {
    const bool overwritten = std::any_of(snapshots.begin(), snapshots.end(), [](const Snapshot& snapshot) {
      return snapshot.commit_kind == CommitKind::kOverwrite && !KeepsRows(snapshot);
    });
    if (road_ == ChangeRoad::kDifference) return Difference(position, snapshots.back().id);
    for (const Snapshot& snapshot : snapshots) BRAID_TRY(RequireKnownKind(snapshot).Context("while reading changes of " + name_));
    if (overwritten) {
      return Error(ErrorCode::kConflict,
                   fmt::format("rows of {} were overwritten, and the job reads what is {} alone", name_,
                               road_ == ChangeRoad::kAppended ? "appended" : "in its changelog"))
          .Hint(
              "`braid job restart … --rebuild-state` evaluates the query on what is there and writes the difference to "
              "the sink");
    }
    BRAID_TRY_ASSIGN(Plan plan, PlanOnLine(table_, [&](const Table& table) { return ChangesOf(table, snapshots); }));
    return std::vector<WeightedSplits>{{.table = table_, .splits = std::move(plan.splits), .weight = 1}};
  }

  // The files that the snapshots brought.
  Result<Plan> ChangesOf(const Table& table, const std::vector<Snapshot>& snapshots) const {
    BRAID_TRY_ASSIGN(const auto scan, FileScan::Make(table, nullptr));
    std::vector<ManifestEntry> files;
    for (const Snapshot& snapshot : snapshots) {
      std::vector<ManifestEntry> more;
      if (road_ == ChangeRoad::kChangelog) {
        BRAID_TRY_ASSIGN(more, scan->ChangelogFiles(snapshot));
      } else if (snapshot.commit_kind == CommitKind::kAppend) {
        BRAID_TRY_ASSIGN(more, scan->DeltaFiles(snapshot));
      }
      std::erase_if(more, [](const ManifestEntry& entry) { return entry.kind != FileKind::kAdd; });
      files.insert(files.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    }
    Plan plan;
    BRAID_TRY_ASSIGN(plan.splits, GenerateChangeSplits(table, GroupByBucket(std::move(files))));
    return plan;
  }

  Result<std::vector<WeightedSplits>> Difference(const Position& position, SnapshotId last) const {
    BRAID_TRY_ASSIGN(Plan after, BatchPlan(last));
    Plan before;
    if (position.next.value() > 1) {
      BRAID_TRY_ASSIGN(before, BatchPlan(position.next.previous()));
    }
    for (const Plan* plan : {&before, &after}) BRAID_TRY(KeepSchemas(table_, *plan));
    RemoveCommonSplits(before.splits, after.splits);
    return std::vector<WeightedSplits>{{.table = table_, .splits = std::move(before.splits), .weight = -1},
                                       {.table = table_, .splits = std::move(after.splits), .weight = 1}};
  }

  std::string name_;
  Table table_;
  ChangeRoad road_;
  StartupMode mode_;
  std::int64_t max_snapshots_;
  std::string consumer_;  // `consumer-id`; empty: none
  std::optional<SnapshotId> pinned_;
  std::optional<SnapshotId> told_;  // to that consumer
  std::unique_ptr<ReadLease> lease_;
};

Result<ChangeRoad> RoadOf(const Table& table) {
  const std::string producer = ToLower(table.options().Get("changelog-producer", "none"));
  BRAID_TRY_ASSIGN(const bool vectors, table.options().GetBool("deletion-vectors.enabled", false));
  BRAID_TRY_ASSIGN(const bool evolves, EvolvesData(table));
  if (!table.schema().has_primary_key()) return vectors || evolves ? ChangeRoad::kDifference : ChangeRoad::kAppended;
  return producer == "none" ? ChangeRoad::kDifference : ChangeRoad::kChangelog;
}

}  // namespace

Result<std::unique_ptr<JobSource>> OpenTableSource(const ResolvedTable& resolved) {
  const Table& table = std::get<Table>(*resolved.relation);
  std::string name = resolved.catalog + "." + resolved.identifier.ToString();
  const auto refuse = [&](std::string what, std::string hint) {
    return Error(ErrorCode::kUnsupported, fmt::format("a job cannot read {} {}", name, what)).Hint(std::move(hint));
  };
  for (const char* key : {"incremental-between", "scan.fallback-branch", "scan.bounded.watermark", "scan.tag-name",
                          "scan.watermark", "scan.version"}) {
    if (table.options().Has(key))
      return refuse(fmt::format("with '{}'", key), "SET 'execution.runtime-mode' = 'batch' does");
  }
  BRAID_TRY_ASSIGN(const StartupMode mode, StartupModeOf(table.options()));
  BRAID_TRY_ASSIGN(const ChangeRoad road, RoadOf(table));
  const bool full =
      mode == StartupMode::kLatestFull || mode == StartupMode::kFromSnapshotFull || mode == StartupMode::kCompactedFull;
  if (!full && road == ChangeRoad::kDifference) {
    return refuse("from the middle, since it has no changelog and the rows before are not known",
                  "leave out the scan options, or use a table with 'changelog-producer' = 'input' or 'lookup'");
  }
  BRAID_TRY_ASSIGN(std::int64_t max_snapshots, table.options().GetInt("scan.max-snapshot.count", kDefaultMaxSnapshots));
  BRAID_TRY_ASSIGN(const bool aligned, table.options().GetBool("source.checkpoint-align.enabled", false));
  if (aligned) max_snapshots = 1;
  // What is read behind the start is said by snapshots, not by scan options.
  return std::unique_ptr<JobSource>(
      new TableSource(std::move(name), table, road, mode, std::max<std::int64_t>(1, max_snapshots)));
}

}  // namespace braid
