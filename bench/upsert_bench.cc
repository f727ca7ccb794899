// Upserting rows with random keys into a new key table of two buckets, with compaction: B4. The rows are made inside
// the measured time.

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "catalog/catalog.h"
#include "measurement.h"
#include "meta/stores.h"
#include "rows.h"
#include "table/commit.h"
#include "table/scan.h"
#include "table/write.h"

namespace braid {
namespace {

constexpr std::int64_t kBatchRows = 65'536;
constexpr char kBuckets[] = "2";

struct UpsertSettings {
  std::int64_t rows = 0;
  std::int64_t commits = 0;
  bool wide = false;
};

Result<Table> CreateTable(const std::string& warehouse, const Options& options, bool wide) {
  BRAID_TRY_ASSIGN(const auto catalog, MakeFileSystemCatalog("paimon", Options({{"warehouse", warehouse}})));
  const Identifier identifier{.database = "b", .table = "upsert", .branch = {}, .system_table = {}};
  BRAID_TRY(catalog->CreateDatabase(identifier.database, /*ignore_if_exists=*/true));
  BRAID_TRY(catalog->DropTable(identifier, {.ignore_if_not_exists = true}));
  const TableDefinition definition{
      .fields = UpsertFields(wide), .partition_keys = {}, .primary_keys = {"k"}, .options = options, .comment = {}};
  BRAID_TRY(catalog->CreateTable(identifier, definition, /*ignore_if_exists=*/false));
  return catalog->OpenTable(identifier);
}

/// Writes all rows; seconds of each commit with the writing of its rows.
Result<std::vector<double>> Upsert(const Table& table, const UpsertSettings& settings) {
  BRAID_TRY_ASSIGN(const auto writer, TableWriter::Make(table, {.commit_user = "upsert", .spill_directory = {}}));
  TableCommit commit(table, "upsert");
  const std::int64_t rows_a_commit = settings.rows / settings.commits;
  const auto write_and_commit = [&](std::int64_t number) -> Status {
    const std::int64_t end = (number + 1) * rows_a_commit;
    for (std::int64_t first = number * rows_a_commit; first < end; first += kBatchRows) {
      const std::int64_t count = std::min(kBatchRows, end - first);
      BRAID_TRY(writer->Write(UpsertRows(first, count, settings.rows, settings.wide)));
    }
    Committable committable;
    committable.identifier = number;
    BRAID_TRY_ASSIGN(committable.messages, writer->PrepareCommit(number == settings.commits - 1, number));
    BRAID_TRY(commit.Commit(committable));
    return Ok();
  };
  std::vector<double> steps;
  for (std::int64_t number = 0; number < settings.commits; ++number) {
    BRAID_TRY_ASSIGN(const double seconds, Seconds([&] { return write_and_commit(number); }));
    steps.push_back(seconds);
  }
  return steps;
}

std::int64_t DistinctKeys(const UpsertSettings& settings) {
  std::vector<bool> seen(static_cast<std::size_t>(settings.rows));
  std::int64_t distinct = 0;
  const std::int64_t written = settings.rows / settings.commits * settings.commits;
  for (std::int64_t first = 0; first < written; first += kBatchRows) {
    const Batch batch = UpsertRows(first, std::min(kBatchRows, written - first), settings.rows, false);
    for (std::int64_t row = 0; row < batch.row_count(); ++row) {
      const auto key = static_cast<std::size_t>(DatumAt(*batch.rows->column(0), row, DataType::BigInt()).as_int());
      distinct += seen[key] ? 0 : 1;
      seen[key] = true;
    }
  }
  return distinct;
}

/// What lies there afterwards. Errors: kInternal if the table does not hold one row for each key written.
Result<Json::Object> CheckAndDescribe(const Table& table, const UpsertSettings& settings) {
  BRAID_TRY_ASSIGN(const Plan plan, PlanBatch(table, {}));
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  for (const DataSplit& split : plan.splits) {
    files += static_cast<std::int64_t>(split.files.size());
    for (const DataFileMeta& file : split.files) bytes += file.file_size;
  }
  BRAID_TRY_ASSIGN(const auto reader,
                   ReadPlan(table, plan, {.projection = std::vector<std::string>{"k"}, .filter = {}}));
  std::int64_t keys = 0;
  while (true) {
    BRAID_TRY_ASSIGN(const std::optional<Batch> batch, reader->Next());
    if (!batch) break;
    keys += batch->row_count();
  }
  if (const std::int64_t expected = DistinctKeys(settings); keys != expected) {
    return Error(ErrorCode::kInternal, fmt::format("the table holds {} keys, but {} were written", keys, expected));
  }
  return Json::Object{{"files", files},
                      {"live_mb", bytes >> 20},
                      {"keys", keys},
                      {"snapshots", plan.snapshot ? plan.snapshot->value() : 0}};
}

Result<Measurement> Run(const Options& arguments) {
  BRAID_TRY_ASSIGN(const std::string warehouse, RequiredArgument(arguments, "warehouse"));
  BRAID_TRY_ASSIGN(const std::string width, WordArgument(arguments, "width", {"50", "250"}));
  BRAID_TRY_ASSIGN(const bool changelog, arguments.GetBool("changelog", false));
  BRAID_TRY_ASSIGN(const bool write_only, arguments.GetBool("write_only", false));
  BRAID_TRY_ASSIGN(const std::int64_t runs, CountArgument(arguments, "runs", 1));
  UpsertSettings settings{.wide = width == "250"};
  BRAID_TRY_ASSIGN(settings.rows, CountArgument(arguments, "rows", 1'000'000));
  BRAID_TRY_ASSIGN(settings.commits, CountArgument(arguments, "commits", 10));

  Options options({{"bucket", kBuckets}, {"write-only", write_only ? "true" : "false"}});
  if (changelog) options.Set("changelog-producer", "lookup");
  Measurement measurement{.seconds = {}, .rows = settings.rows};
  measurement.detail = {{"width", width}, {"changelog", changelog ? "lookup" : "none"}, {"compaction", !write_only}};
  for (std::int64_t run = 0; run < runs; ++run) {
    BRAID_TRY_ASSIGN(const Table table, CreateTable(warehouse, options, settings.wide));
    std::vector<double> steps;
    const auto upsert = [&]() -> Status {
      BRAID_TRY_ASSIGN(steps, Upsert(table, settings));
      return Ok();
    };
    BRAID_TRY(Repeat(1, upsert, measurement));
    BRAID_TRY_ASSIGN(Json::Object found, CheckAndDescribe(table, settings));
    if (run + 1 < runs) continue;
    measurement.detail.emplace_back("commit_s", Quantiles(steps));
    std::move(found.begin(), found.end(), std::back_inserter(measurement.detail));
  }
  return measurement;
}

}  // namespace
}  // namespace braid

int main(int argc, char** argv) {
  return braid::RunBenchmark(
      argc, argv,
      {.case_name = "B4",
       .usage = "warehouse=DIR [width=50|250] [rows=N] [commits=N] [changelog=true] [write_only=true] [runs=N]",
       .keys = {"warehouse", "width", "rows", "commits", "changelog", "write_only", "runs"},
       .run = braid::Run});
}
