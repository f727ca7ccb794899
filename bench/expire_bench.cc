// Expiry of all snapshots but the last: B6. The table's files are deleted, so it must be a copy.

#include <filesystem>
#include <string>
#include <utility>

#include "catalog/catalog.h"
#include "measurement.h"
#include "meta/stores.h"
#include "table/expire.h"
#include "table/table_check.h"

namespace braid {
namespace {

std::int64_t CountFiles(const std::string& folder) {
  std::int64_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    files += entry.is_regular_file() ? 1 : 0;
  return files;
}

/// Files of main, tags and branches that are missing afterwards.
Result<std::int64_t> CountDamages(const Table& table) {
  BRAID_TRY_ASSIGN(const CheckResult check, CheckTable(table, {}));
  std::int64_t damages = 0;
  // The data files of the table are empty, whatever its manifests say of their size.
  for (const Damage& damage : check.damages) damages += damage.problem == "is missing" ? 1 : 0;
  return damages;
}

Result<Measurement> Run(const Options& arguments) {
  BRAID_TRY_ASSIGN(const std::string warehouse, RequiredArgument(arguments, "warehouse"));
  const std::string name = arguments.Get("table", "expire");
  BRAID_TRY_ASSIGN(const auto catalog, MakeFileSystemCatalog("paimon", Options({{"warehouse", warehouse}})));
  BRAID_TRY_ASSIGN(const Table table,
                   catalog->OpenTable({.database = "b", .table = name, .branch = {}, .system_table = {}}));
  const std::int64_t files_before = CountFiles(table.paths().root());

  ExpireRequest request;
  request.snapshots.retain_max = 1;
  ExpireResult result;
  Measurement measurement;
  BRAID_TRY(Repeat(
      1,
      [&]() -> Status {
        BRAID_TRY_ASSIGN(result, ExpireSnapshots(table, request, SystemClock()));
        return Ok();
      },
      measurement));
  measurement.rows = result.expired;
  BRAID_TRY_ASSIGN(const std::int64_t damages, CountDamages(table));
  measurement.detail.emplace_back("expired", result.expired);
  measurement.detail.emplace_back("deleted_data_files", result.files.data_files);
  measurement.detail.emplace_back("deleted_metadata_files", result.files.metadata_files);
  measurement.detail.emplace_back("files_before", files_before);
  measurement.detail.emplace_back("files_after", CountFiles(table.paths().root()));
  measurement.detail.emplace_back("missing", damages);
  return measurement;
}

}  // namespace
}  // namespace braid

int main(int argc, char** argv) {
  return braid::RunBenchmark(
      argc, argv,
      {.case_name = "B6", .usage = "warehouse=FOLDER [table=NAME]", .keys = {"warehouse", "table"}, .run = braid::Run});
}
