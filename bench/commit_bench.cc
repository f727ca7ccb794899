// Commits of one row each, by one committer or several at once: B5. Into a new append table, or into a table with many
// files that others have made; that table is changed, so it must be a copy.

#include <algorithm>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "catalog/catalog.h"
#include "measurement.h"
#include "meta/stores.h"
#include "table/commit.h"
#include "table/scan.h"
#include "table/write.h"

namespace braid {
namespace {

struct CommitSettings {
  std::int64_t commits = 0;  // of each committer
  std::int64_t committers = 0;
};

/// Of all committers.
struct CommitTimes {
  std::vector<double> write;   // writing a row, up to the commit message
  std::vector<double> commit;  // the commit itself
};

Result<Table> CreateEmptyTable(Catalog& catalog) {
  const Identifier identifier{.database = "b", .table = "tiny", .branch = {}, .system_table = {}};
  BRAID_TRY(catalog.CreateDatabase(identifier.database, /*ignore_if_exists=*/true));
  BRAID_TRY(catalog.DropTable(identifier, {.ignore_if_not_exists = true}));
  const auto column = [](std::int32_t id, std::string name) {
    return DataField{FieldId(id), std::move(name), DataType::BigInt(), std::nullopt, std::nullopt};
  };
  const TableDefinition definition{.fields = {column(0, "k"), column(1, "v")},
                                   .partition_keys = {},
                                   .primary_keys = {},
                                   .options = Options({{"bucket", "-1"}, {"write-only", "true"}}),
                                   .comment = {}};
  BRAID_TRY(catalog.CreateTable(identifier, definition, /*ignore_if_exists=*/false));
  return catalog.OpenTable(identifier);
}

/// A row that no other commit writes: the committer's own partition where there are any, NULL where that may be.
Result<Batch> RowOf(const TableSchema& schema, std::int64_t committer, std::int64_t number) {
  DatumList row;
  for (const DataField& field : schema.fields) {
    if (field.name == "dt")
      row.emplace_back(fmt::format("2026-01-{:02}", committer + 1));
    else if (field.name == "k")
      row.emplace_back((committer << 32) + number);
    else
      row.emplace_back();
  }
  return MakeBatch(schema.fields, std::span(&row, 1));
}

Result<CommitTimes> CommitRows(const Table& table, std::int64_t committer, std::int64_t commits) {
  const std::string user = fmt::format("committer-{}", committer);
  BRAID_TRY_ASSIGN(const auto writer, TableWriter::Make(table, {.commit_user = user, .spill_directory = {}}));
  TableCommit commit(table, user);
  CommitTimes times;
  for (std::int64_t number = 0; number < commits; ++number) {
    BRAID_TRY_ASSIGN(const Batch row, RowOf(table.schema(), committer, number));
    Committable committable;
    committable.identifier = number;
    const auto write_row = [&]() -> Status {
      BRAID_TRY(writer->Write(row));
      BRAID_TRY_ASSIGN(committable.messages, writer->PrepareCommit(/*wait_compaction=*/false, number));
      return Ok();
    };
    const auto commit_row = [&]() -> Status {
      BRAID_TRY(commit.Commit(committable));
      return Ok();
    };
    BRAID_TRY_ASSIGN(const double write_seconds, Seconds(write_row));
    BRAID_TRY_ASSIGN(const double commit_seconds, Seconds(commit_row));
    times.write.push_back(write_seconds);
    times.commit.push_back(commit_seconds);
  }
  return times;
}

Result<CommitTimes> CommitAtOnce(const Table& table, const CommitSettings& settings) {
  std::mutex mutex;  // guards all and first_error
  CommitTimes all;
  Status first_error = Ok();
  const auto run_one = [&](std::int64_t committer) {
    const Result<CommitTimes> times = CommitRows(table, committer, settings.commits);
    const std::lock_guard lock(mutex);
    if (!times) {
      if (first_error) first_error = times.error();
      return;
    }
    all.write.insert(all.write.end(), times->write.begin(), times->write.end());
    all.commit.insert(all.commit.end(), times->commit.begin(), times->commit.end());
  };
  {
    std::vector<std::jthread> threads;
    for (std::int64_t committer = 0; committer < settings.committers; ++committer) {
      threads.emplace_back(run_one, committer);
    }
  }
  BRAID_TRY(first_error);
  return all;
}

Result<std::int64_t> LatestSnapshot(const Table& table) {
  BRAID_TRY_ASSIGN(const auto latest, FindLatestSnapshot(table.file_system(), table.paths()));
  return latest ? latest->value() : 0;
}

/// Rows of an append table, by its files' metadata.
Result<std::int64_t> CountRows(const Table& table) {
  BRAID_TRY_ASSIGN(const Plan plan, PlanBatch(table, {}));
  std::int64_t rows = 0;
  for (const DataSplit& split : plan.splits) {
    for (const DataFileMeta& file : split.files) rows += file.row_count;
  }
  return rows;
}

Result<Measurement> Run(const Options& arguments) {
  BRAID_TRY_ASSIGN(const std::string warehouse, RequiredArgument(arguments, "warehouse"));
  const std::string name = arguments.Get("table", "empty");
  BRAID_TRY_ASSIGN(const std::int64_t commits, CountArgument(arguments, "commits", 1'000));
  CommitSettings settings;
  BRAID_TRY_ASSIGN(settings.committers, CountArgument(arguments, "committers", 1));
  settings.commits = std::max<std::int64_t>(1, commits / settings.committers);

  BRAID_TRY_ASSIGN(const auto catalog, MakeFileSystemCatalog("paimon", Options({{"warehouse", warehouse}})));
  const bool empty = name == "empty";
  const Identifier identifier{.database = "b", .table = name, .branch = {}, .system_table = {}};
  BRAID_TRY_ASSIGN(const Table opened, empty ? CreateEmptyTable(*catalog) : catalog->OpenTable(identifier));
  // The default of ten tries is not enough for eight committers; the peers are given as many.
  BRAID_TRY_ASSIGN(const Table table, opened.With(Options(Options::Map{{"commit.max-retries", "1000"}})));
  BRAID_TRY_ASSIGN(const std::int64_t before, LatestSnapshot(table));
  CommitTimes times;
  const auto commit_all = [&]() -> Status {
    BRAID_TRY_ASSIGN(times, CommitAtOnce(table, settings));
    return Ok();
  };
  Measurement measurement{.seconds = {}};
  BRAID_TRY(Repeat(1, commit_all, measurement));
  BRAID_TRY_ASSIGN(const std::int64_t after, LatestSnapshot(table));

  const auto done = static_cast<std::int64_t>(times.commit.size());
  measurement.rows = done;
  measurement.detail = {{"table", name},
                        {"committers", settings.committers},
                        {"commits", done},
                        {"new_snapshots", after - before},
                        {"commits_per_s", static_cast<double>(done) / measurement.seconds.front()},
                        {"write", Quantiles(times.write)},
                        {"commit", Quantiles(times.commit)}};
  if (empty) {
    BRAID_TRY_ASSIGN(const std::int64_t rows, CountRows(table));
    measurement.detail.emplace_back("rows_after", rows);
  }
  if (settings.committers == 1 && done > 200) {
    measurement.detail.emplace_back("commit_last_100", Quantiles({times.commit.end() - 100, times.commit.end()}));
  }
  return measurement;
}

}  // namespace
}  // namespace braid

int main(int argc, char** argv) {
  return braid::RunBenchmark(argc, argv,
                             {.case_name = "B5",
                              .usage = "warehouse=DIR [table=empty|NAME] [commits=N] [committers=N]",
                              .keys = {"warehouse", "table", "commits", "committers"},
                              .run = braid::Run});
}
