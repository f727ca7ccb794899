#include "jobs/run_lineage.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/uuid.h"

namespace braid {

namespace {

std::uint64_t Fnv(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

// Two sets of files as one.
Json JoinFiles(const Json& before, const Json& after) {
  Json joined;
  for (const auto& [key, value] : after.as_object()) {
    const Json* old = before.Find(key);
    if (key == "count" && old != nullptr && old->is_integer()) {
      joined.Add(key, old->as_integer() + value.as_integer());
    } else if (key == "digest" && old != nullptr && old->is_string()) {
      joined.Add(key, fmt::format("{:016x}", Fnv(old->as_string() + value.as_string())));
    } else {
      joined.Add(key, value);
    }
  }
  return joined;
}

}  // namespace

Json ToJson(const LineageSource& source) {
  return LineageSourceJson(source);
}

Json JoinRanges(const Json& before, const Json& after) {
  if (before.is_null()) return after;
  if (after.is_null()) return before;
  if (after.Find("table") == nullptr) return JoinFiles(before, after);
  const Result<LineageSource> first = ParseLineageSource(before);
  Result<LineageSource> last = ParseLineageSource(after);
  if (!first || !last) return after;
  if (first->mode == SourceMode::kFull) {
    // Read whole, then its changes: the whole of a later snapshot.
    last->mode = SourceMode::kFull;
    last->from = last->to;
  } else if (first->mode == SourceMode::kDelta) {
    last->from = first->from;
  }
  return LineageSourceJson(*last);
}

Json NothingNew(const Json& last) {
  if (last.is_null() || last.Find("table") == nullptr) return {};
  Result<LineageSource> source = ParseLineageSource(last);
  if (!source) return {};
  source->mode = SourceMode::kNone;
  source->from.reset();
  return LineageSourceJson(*source);
}

Result<std::unique_ptr<RunLineage>> RunLineage::Open(const JobPlan& plan, const Clock& clock) {
  auto run = std::make_unique<RunLineage>();
  run->clock_ = &clock;
  std::shared_ptr<Catalog> catalog;
  for (const PlannedInsert& insert : plan.inserts) {
    const auto* table = std::get_if<Table>(&insert.table);
    if (table == nullptr || (catalog != nullptr && catalog != insert.owner)) continue;
    catalog = insert.owner;
    run->sinks_.push_back(*table);
  }
  if (catalog == nullptr) return run;
  BRAID_TRY_ASSIGN(CatalogIdentity identity,
                   SettleCatalogIdentity(*catalog->file_system(), catalog->warehouse(), catalog->options()));
  if (!identity.table_lineage()) return run;
  BRAID_TRY_ASSIGN(run->lineage_, Lineage::Open(catalog, std::move(identity), clock));
  return run;
}

Result<JobIdentity> RunLineage::Begin(const JobPlan& plan, const std::vector<Table>& sources,
                                      const JobIdentity& before) {
  JobIdentity identity = before;
  identity.attempt = 0;
  identity.start_ms = clock_->NowMs();
  if (lineage_ == nullptr) {
    identity.run = RandomUuid();
    identity.generation = before.generation + 1;
    SnapshotLineage names;
    names.job = plan.name;
    names.run = identity.run;
    names.generation = identity.generation;
    identity.commit_user = CommitUserOf(names);
    return identity;
  }
  LineageJob job{.name = plan.name, .mode = "streaming", .sql_text = plan.statement, .sources = {}, .sinks = sinks_};
  for (const Table& source : sources)
    job.sources.push_back({.table = source, .mode = SourceMode::kDelta, .from = {}, .to = {}});
  BRAID_TRY_ASSIGN(const StartedRun started, lineage_->Begin(job));
  identity.run = started.lineage.run;
  identity.generation = started.lineage.generation;
  identity.commit_user = started.commit_user;
  // Barriers only grow, over all runs of the job.
  identity.barrier = std::max(before.barrier, started.lineage.barrier - 1);
  return identity;
}

Result<EncodedLineage> RunLineage::Encode(const JobPlan& plan, const JobIdentity& identity, std::int64_t barrier,
                                          std::int64_t sinks, const std::vector<Json>& sources) const {
  if (lineage_ == nullptr) return EncodedLineage();
  SnapshotLineage lineage;
  lineage.job = plan.name;
  lineage.run = identity.run;
  lineage.attempt = identity.attempt;
  lineage.generation = identity.generation;
  lineage.barrier = barrier;
  lineage.type = "streaming";
  lineage.sinks = sinks;
  lineage.start_ms = identity.start_ms;
  for (const Json& source : sources) {
    if (source.is_null()) continue;
    if (source.Find("table") == nullptr) {
      lineage.outside.push_back(source);
      continue;
    }
    BRAID_TRY_ASSIGN(LineageSource table, ParseLineageSource(source));
    lineage.sources.push_back(std::move(table));
  }
  return EncodeLineage(lineage);
}

Status RunLineage::Index() {
  if (lineage_ == nullptr || sinks_.empty()) return Ok();
  return lineage_->Index("", sinks_);
}

Status RunLineage::End(const JobIdentity& identity, JobState state, const std::string& error) {
  if (lineage_ == nullptr) return Ok();
  return lineage_->End(identity.run, std::string(JobStateName(state)), error);
}

}  // namespace braid
