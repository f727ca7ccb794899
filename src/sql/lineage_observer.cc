#include "sql/lineage_observer.h"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "base/uuid.h"
#include "lineage/lineage.h"

namespace braid {

namespace {

class LineageObserver : public JobObserver {
 public:
  explicit LineageObserver(const Clock& clock) : clock_(&clock) {}

  Status CatalogOpened(const std::shared_ptr<Catalog>& catalog) override {
    BRAID_TRY_ASSIGN(lineages_[catalog->name()], OpenSystemDatabase(catalog, *clock_));
    return Ok();
  }

  // A job is recorded where its first sink lies; tables of other catalogs have no identity there.
  Result<StartedJob> Begin(const JobDescription& job) override {
    StartedJob start;
    start.commit_user = RandomUuid();  // of a job that is not recorded
    if (job.sinks.empty()) return start;
    const std::string& catalog = job.sinks.front().catalog;
    const auto found = lineages_.find(catalog);
    if (found == lineages_.end() || found->second == nullptr) return start;
    LineageJob recorded{.name = job.name, .mode = "batch", .sql_text = job.statement, .sources = {}, .sinks = {}};
    for (const QuerySource& source : job.sources) {
      if (source.catalog != catalog || !source.snapshot) continue;
      LineageInput input{.table = source.table, .mode = SourceMode::kFull, .from = {}, .to = *source.snapshot};
      if (source.changes_after) {
        input.mode = SourceMode::kDelta;
        input.from = source.changes_after->next();
      }
      recorded.sources.push_back(std::move(input));
    }
    for (const JobSink& sink : job.sinks) {
      if (sink.catalog == catalog) recorded.sinks.push_back(sink.table);
    }
    BRAID_TRY_ASSIGN(StartedRun run, found->second->Begin(recorded));
    start.job_id = run.lineage.run;
    start.commit_user = run.commit_user;
    start.properties = run.properties;
    running_.emplace(start.job_id, Running{found->second, std::move(run), std::move(recorded.sinks)});
    return start;
  }

  Status Finished(const StartedJob& start, const std::vector<std::vector<Snapshot>>& /*snapshots*/) override {
    const auto found = running_.find(start.job_id);
    if (found == running_.end()) return Ok();
    const Running running = std::move(found->second);
    running_.erase(found);
    return running.lineage->Finish(running.run, running.sinks);
  }

  void Failed(const StartedJob& start, const Error& error) override {
    const auto found = running_.find(start.job_id);
    if (found == running_.end()) return;
    const Running running = std::move(found->second);
    running_.erase(found);
    const Status recorded = running.lineage->Fail(running.run, error);
    if (!recorded)
      Log(LogLevel::kWarning, "failed run not recorded",
          fmt::format("job={} error={}", running.run.lineage.job, recorded.error().message()));
  }

 private:
  struct Running {
    std::shared_ptr<Lineage> lineage;
    StartedRun run;
    std::vector<Table> sinks;
  };

  const Clock* clock_;
  std::map<std::string, std::shared_ptr<Lineage>> lineages_;  // by catalog; null where none is recorded
  std::map<std::string, Running> running_;                    // by run
};

}  // namespace

std::shared_ptr<JobObserver> MakeLineageObserver(const Clock& clock) {
  return std::make_shared<LineageObserver>(clock);
}

}  // namespace braid
