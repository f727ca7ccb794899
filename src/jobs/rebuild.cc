#include "jobs/rebuild.h"

#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "jobs/weighted_scan.h"
#include "meta/stores.h"
#include "table/scan.h"

namespace braid {

namespace {

constexpr const char* kAsIsHint =
    "`braid job restart … --as-is` leaves it as it is and goes on where the job stopped; a new job begins without a "
    "look "
    "at it with 'job.state' = 'new'";

}  // namespace

Result<WhenReplaced> ParseWhenReplaced(std::string_view text) {
  if (EqualsIgnoreCase(text, "verify")) return WhenReplaced::kVerify;
  if (EqualsIgnoreCase(text, "rebuild")) return WhenReplaced::kRebuild;
  if (EqualsIgnoreCase(text, "fail")) return WhenReplaced::kFail;
  return Error(ErrorCode::kInvalidArgument, fmt::format("'job.when-replaced' = '{}' means nothing", text))
      .Hint("verify, rebuild or fail");
}

Result<std::vector<LineageSource>> SourcesOf(const std::vector<std::unique_ptr<EpochSink>>& sinks) {
  std::optional<SnapshotLineage> newest;
  for (const auto& sink : sinks) {
    const Table* table = sink->table();
    if (table == nullptr) continue;
    BRAID_TRY_ASSIGN(const LinePoint head, ContentHead(*table));
    if (head.snapshot.value() < 1) continue;
    const Result<Snapshot> snapshot = ReadSnapshot(table->file_system(), table->paths(), head.snapshot);
    std::optional<SnapshotLineage> lineage = snapshot ? DecodeLineage(*snapshot) : std::nullopt;
    // Another writer was last, so nothing says what the content is.
    if (!lineage) return std::vector<LineageSource>();
    // A sink that later barriers did not change stands for them, too.
    if (newest && newest->run != lineage->run) return std::vector<LineageSource>();
    if (!newest || newest->barrier < lineage->barrier) newest = std::move(lineage);
  }
  return newest ? newest->sources : std::vector<LineageSource>();
}

Result<std::shared_ptr<const ScanSource>> ContentOf(const EpochSink& sink) {
  const Table* table = sink.table();
  if (table == nullptr)
    return Error(ErrorCode::kUnsupported, fmt::format("{} cannot be compared with the query's result", sink.name()))
        .Hint(kAsIsHint);
  if (!EqualsIgnoreCase(table->options().Get("merge-engine", "deduplicate"), "deduplicate")) {
    return Error(ErrorCode::kUnsupported,
                 fmt::format("{} merges rows, so it cannot be compared with the query's result", sink.name()))
        .Hint(kAsIsHint);
  }
  BRAID_TRY_ASSIGN(Plan plan, PlanBatch(*table, {}));
  return MakeWeightedScan(sink.name(), table->schema().fields,
                          {{.table = *table, .splits = std::move(plan.splits), .weight = -1}});
}

}  // namespace braid
