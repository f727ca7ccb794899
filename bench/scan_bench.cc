// Reading a whole table that others have made, by several threads: B2, a key table whose runs are merged, and B3, a
// table that is only appended to.

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "catalog/catalog.h"
#include "measurement.h"
#include "rows.h"
#include "sql/session.h"
#include "table/scan.h"
#include "types/predicate.h"

namespace braid {
namespace {

constexpr int kFilterBound = 167'772;  // column i is below it in 1 % of the rows, in every file

struct ScanSettings {
  std::string warehouse;
  std::string table;
  std::string what;
  std::int64_t threads = 2;
};

/// What one repetition saw.
struct ScanOutcome {
  std::int64_t rows_out = 0;
  std::int64_t rows_in_files = 0;
  std::int64_t splits = 0;  // 0: not known
};

/// Is told of every batch; by one thread at a time.
using BatchVisitor = std::function<void(const Batch&)>;

Result<Table> OpenTable(const ScanSettings& settings) {
  BRAID_TRY_ASSIGN(const auto catalog, MakeFileSystemCatalog("paimon", Options({{"warehouse", settings.warehouse}})));
  BRAID_TRY_ASSIGN(const Identifier identifier, Identifier::FromParts("b", settings.table));
  return catalog->OpenTable(identifier);
}

ReadRequest RequestOf(const std::string& what) {
  ReadRequest request;
  if (what == "three") request.projection = {"k", "i", "ts"};
  if (what == "count") request.projection = {"k"};
  if (what == "filter") {
    request.filter = Predicate::Leaf(Predicate::Op::kLess, "i", DataType::Int(), {kFilterBound});
  }
  return request;
}

std::int64_t FileRows(const DataSplit& split) {
  std::int64_t rows = 0;
  for (const DataFileMeta& file : split.files) rows += file.row_count;
  return rows;
}

/// Rows of the split as its files' metadata tell them, if they do.
bool IsCounted(const DataSplit& split) {
  return split.raw_convertible && split.deletion_vectors.empty();
}

Result<ScanOutcome> ScanTable(const ScanSettings& settings, const BatchVisitor& visit) {
  BRAID_TRY_ASSIGN(const Table table, OpenTable(settings));
  const ReadRequest request = RequestOf(settings.what);
  BRAID_TRY_ASSIGN(Plan plan, PlanBatch(table, request));
  // The largest first, so that no thread is left with one at the end.
  std::ranges::stable_sort(plan.splits, std::ranges::greater(), FileRows);
  ScanOutcome outcome{.splits = static_cast<std::int64_t>(plan.splits.size())};
  for (const DataSplit& split : plan.splits) outcome.rows_in_files += FileRows(split);

  std::atomic<std::size_t> next{0};
  std::mutex mutex;  // guards outcome and first_error
  Status first_error = Ok();
  const auto read_split = [&](const DataSplit& split) -> Status {
    std::int64_t rows = 0;
    if (settings.what == "count" && IsCounted(split)) {
      rows = FileRows(split);
    } else {
      BRAID_TRY_ASSIGN(const auto reader, ReadSplit(table, split, request));
      while (true) {
        BRAID_TRY_ASSIGN(const std::optional<Batch> batch, reader->Next());
        if (!batch) break;
        rows += batch->row_count();
        if (visit) {
          const std::lock_guard lock(mutex);
          visit(*batch);
        }
      }
    }
    const std::lock_guard lock(mutex);
    outcome.rows_out += rows;
    return Ok();
  };
  const auto read_splits = [&] {
    for (std::size_t split = next++; split < plan.splits.size(); split = next++) {
      const Status status = read_split(plan.splits[split]);
      if (status) continue;
      const std::lock_guard lock(mutex);
      if (first_error) first_error = status;
      return;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::int64_t thread = 1; thread < settings.threads; ++thread) threads.emplace_back(read_splits);
    read_splits();
  }
  BRAID_TRY(first_error);
  return outcome;
}

std::string SelectOf(const ScanSettings& settings) {
  std::string columns = "*";
  if (settings.what == "three") columns = "k, i, ts";
  if (settings.what == "count") columns = "COUNT(*)";
  std::string text = fmt::format("SELECT {} FROM bench.b.{}", columns, settings.table);
  if (settings.what == "filter") text += fmt::format(" WHERE i < {}", kFilterBound);
  return text;
}

Result<ScanOutcome> ScanBySql(Session& session, const ScanSettings& settings, const BatchVisitor& visit) {
  BRAID_TRY_ASSIGN(const StatementResult result, session.Execute(SelectOf(settings)));
  ScanOutcome outcome;
  while (true) {
    BRAID_TRY_ASSIGN(const std::optional<Batch> batch, result.rows->Next());
    if (!batch) break;
    outcome.rows_out += batch->row_count();
    if (settings.what == "count") {
      outcome.rows_out = DatumAt(*batch->rows->column(0), 0, DataType::BigInt()).as_int();
    }
    if (visit) visit(*batch);
  }
  outcome.rows_in_files = outcome.rows_out;
  return outcome;
}

using Scan = std::function<Result<ScanOutcome>(const ScanSettings&, const BatchVisitor&)>;

Result<Measurement> Measure(const ScanSettings& settings, const std::string& engine, std::int64_t runs, bool check,
                            const Scan& scan) {
  ScanOutcome outcome;
  const auto once = [&]() -> Status {
    BRAID_TRY_ASSIGN(outcome, scan(settings, nullptr));
    return Ok();
  };
  Measurement measurement{.seconds = {}};
  measurement.detail = {
      {"table", settings.table}, {"what", settings.what}, {"engine", engine}, {"threads", settings.threads}};
  BRAID_TRY(RepeatWarm(runs, once, measurement));
  measurement.rows = outcome.rows_in_files;
  if (outcome.splits > 0) measurement.detail.emplace_back("splits", outcome.splits);
  measurement.detail.emplace_back("rows_out", outcome.rows_out);
  if (check) {
    ScanSettings all = settings;
    all.what = "all";
    OrderFreeHash hash;
    const auto add = [&](const Batch& batch) { hash.Add(batch); };
    BRAID_TRY_ASSIGN(const ScanOutcome checked, scan(all, add));
    measurement.detail.emplace_back("check_rows", checked.rows_out);
    measurement.detail.emplace_back("check_hash", std::to_string(hash.value()));
  }
  return measurement;
}

Result<Measurement> Run(const Options& arguments) {
  ScanSettings settings;
  BRAID_TRY_ASSIGN(settings.warehouse, RequiredArgument(arguments, "warehouse"));
  BRAID_TRY_ASSIGN(settings.table, RequiredArgument(arguments, "table"));
  BRAID_TRY_ASSIGN(settings.what, WordArgument(arguments, "what", {"all", "three", "filter", "count"}));
  BRAID_TRY_ASSIGN(settings.threads, CountArgument(arguments, "threads", 2));
  BRAID_TRY_ASSIGN(const std::string engine, WordArgument(arguments, "engine", {"native", "sql"}));
  BRAID_TRY_ASSIGN(const std::int64_t runs, CountArgument(arguments, "runs", 6));
  BRAID_TRY_ASSIGN(const bool check, arguments.GetBool("check", false));
  if (engine == "native") return Measure(settings, engine, runs, check, ScanTable);

  Session session(SessionSettings{});
  for (const std::string& statement :
       {fmt::format("SET 'threads' = '{}'", settings.threads),
        fmt::format("CREATE CATALOG bench WITH ('type' = 'paimon', 'warehouse' = '{}')", settings.warehouse)}) {
    BRAID_TRY_ASSIGN(const StatementResult done, session.Execute(statement));
  }
  return Measure(settings, engine, runs, check, [&](const ScanSettings& wanted, const BatchVisitor& visit) {
    return ScanBySql(session, wanted, visit);
  });
}

}  // namespace
}  // namespace braid

int main(int argc, char** argv) {
  return braid::RunBenchmark(argc, argv,
                             {.case_name = "B3",
                              .usage = "[case=B2|B3] warehouse=DIR table=NAME [what=all|three|filter|count] "
                                       "[threads=N] [engine=native|sql] [runs=N] [check=true]",
                              .keys = {"warehouse", "table", "what", "threads", "engine", "runs", "check"},
                              .run = braid::Run});
}
