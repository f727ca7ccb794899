#include "table/reader_line.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "table/lines.h"
#include "table/operation.h"

namespace braid {

namespace {

// A replacement of main moves folders within milliseconds, unless the machine is busy.
constexpr int kLooks = 1500;
constexpr std::chrono::milliseconds kPause{20};
// A line that is being renamed may be missed once by a listing.
constexpr int kMisses = 5;

Result<bool> IsMainBeingReplaced(const Table& table) {
  BRAID_TRY_ASSIGN(const std::vector<OperationJournal> journals, ListJournals(table.file_system(), table.paths()));
  return std::any_of(journals.begin(), journals.end(), [](const OperationJournal& journal) { return journal.kind == "replace"; });
}

Status KeepSchemasOf(const Table& table, const TablePaths& planned, const Plan& plan) {
  for (const DataSplit& split : plan.splits) {
    if (split.branch) continue;  // read with a handle of its own
    for (const DataFileList* files : {&split.files, &split.before_files}) {
      for (const DataFileMeta& file : *files) BRAID_TRY(table.schemas().GetFrom(planned, file.schema_id));
    }
  }
  return Ok();
}

}  // namespace

Status KeepSchemas(const Table& table, const Plan& plan) { return KeepSchemasOf(table, table.paths(), plan); }

Result<bool> internal::IsWhereItWas(const Table& table) {
  if (StaysInPlace(table.file_system(), table.paths())) return true;
  const Result<std::string> id = ReadLineId(table.file_system(), table.paths());
  if (!id && id.error().code() == ErrorCode::kNotFound) return false;
  if (!id) return id.error();
  return *id == table.line().id;
}

Status AwaitMain(const Table& table) {
  for (int look = 0; look < kLooks; ++look) {
    // One that was killed is finished by whoever comes next.
    if (look % 50 == 0) RecoverOnOpen(ContextOf(table));
    BRAID_TRY_ASSIGN(const bool moving, IsMainBeingReplaced(table));
    if (!moving) return Ok();
    std::this_thread::sleep_for(kPause);
  }
  return MovedError(table);
}

Result<Table> internal::FindLineAgain(const Table& table) {
  for (int look = 0; look < kMisses; ++look) {
    if (look > 0) std::this_thread::sleep_for(kPause);
    BRAID_TRY(AwaitMain(table));
    BRAID_TRY_ASSIGN(const TableLines lines, ListLines(table.file_system(), table.paths().root(), Inference::kSkip));
    if (const Line* line = lines.FindById(table.line().id)) return table.MovedTo(line->paths);
  }
  return MovedError(table);
}

Result<Plan> PlanOnLine(const Table& table, const std::function<Result<Plan>(const Table&)>& plan) {
  return OnLine<Plan>(table, [&](const Table& here) -> Result<Plan> {
    BRAID_TRY_ASSIGN(Plan planned, plan(here));
    BRAID_TRY(KeepSchemasOf(table, here.paths(), planned));
    return planned;
  });
}

}  // namespace braid
