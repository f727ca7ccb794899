// Planning a batch read of a table with many files: B1. From opening the table to the list of its splits, again and
// again in one process; the tables are the peers', whose data files need not exist.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/file_system.h"
#include "measurement.h"
#include "table/scan.h"
#include "table/table.h"
#include "types/predicate.h"

namespace braid {
namespace {

/// What the peers ask for: a partition, a bucket of every partition, or a key of the partition.
Result<ReadRequest> RequestOf(const Table& table, const std::string& filter) {
  ReadRequest request{.projection = {}, .filter = {}};
  if (filter == "bucket") request.bucket = BucketId(3);
  std::string text;
  if (filter == "partition") text = "dt = '2026-01-08'";
  if (filter == "key") text = "dt = '2026-01-08' AND k = 5500";
  if (!text.empty()) {
    BRAID_TRY_ASSIGN(request.filter, ParseFilter(text, table.schema().fields));
  }
  return request;
}

Result<Measurement> Run(const Options& arguments) {
  BRAID_TRY_ASSIGN(const std::string warehouse, RequiredArgument(arguments, "warehouse"));
  BRAID_TRY_ASSIGN(const std::string name, WordArgument(arguments, "table", {"plan10", "plan50"}));
  BRAID_TRY_ASSIGN(const std::string filter, WordArgument(arguments, "filter", {"none", "partition", "bucket", "key"}));
  BRAID_TRY_ASSIGN(const std::int64_t runs, CountArgument(arguments, "runs", 12));
  const std::string root = JoinPath(JoinPath(warehouse, "b.db"), name);
  std::size_t splits = 0;
  Measurement measurement{.seconds = {}};
  const auto plan = [&]() -> Status {
    BRAID_TRY_ASSIGN(const Table table, Table::Open(LocalFileSystem(), root, "b." + name));
    BRAID_TRY_ASSIGN(const ReadRequest request, RequestOf(table, filter));
    BRAID_TRY_ASSIGN(const Plan planned, PlanBatch(table, request));
    splits = planned.splits.size();
    measurement.rows = 0;
    for (const DataSplit& split : planned.splits) measurement.rows += static_cast<std::int64_t>(split.files.size());
    return Ok();
  };
  BRAID_TRY(RepeatWarm(runs, plan, measurement));
  measurement.detail.insert(measurement.detail.begin(),
                            {{"table", name}, {"filter", filter}, {"splits", static_cast<std::int64_t>(splits)}});
  return measurement;
}

}  // namespace
}  // namespace braid

int main(int argc, char** argv) {
  return braid::RunBenchmark(
      argc, argv,
      {.case_name = "B1",
       .usage = "warehouse=DIR [table=plan10|plan50] [filter=none|partition|bucket|key] [runs=N]",
       .keys = {"warehouse", "table", "filter", "runs"},
       .run = braid::Run});
}
