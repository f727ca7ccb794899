// Makes the tables that the benchmarks read, with rows equal to those of the peers' tables (docs/benchmarks.md), for
// runs without the peers: `append` and `merge_dedup_<buckets>`.
//
//   make_tables WAREHOUSE S|M|L TABLE…

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "catalog/catalog.h"
#include "rows.h"
#include "table/commit.h"
#include "table/write.h"

namespace braid {
namespace {

constexpr std::int64_t kBatchRows = 65'536;
constexpr std::uint64_t kSeed = 1;
constexpr std::int64_t kRuns = 5;
constexpr std::string_view kMergePrefix = "merge_dedup_";

Result<Table> CreateTable(Catalog& catalog, const std::string& name) {
  const Identifier identifier{.database = "b", .table = name, .branch = {}, .system_table = {}};
  TableDefinition definition{
      .fields = ScanFields(), .partition_keys = {}, .primary_keys = {}, .options = {}, .comment = {}};
  if (name == "append") {
    definition.options = Options({{"bucket", "-1"}, {"target-file-size", "128 mb"}});
  } else if (name.starts_with(kMergePrefix) && ParseInt64(name.substr(kMergePrefix.size())).value_or(0) > 0) {
    definition.primary_keys = {"k"};
    definition.options = Options({{"bucket", name.substr(kMergePrefix.size())}, {"write-only", "true"}});
  } else {
    return Error(ErrorCode::kInvalidArgument, fmt::format("no table '{}' is known", name))
        .Hint("there are append and merge_dedup_<buckets>");
  }
  BRAID_TRY(catalog.CreateDatabase(identifier.database, /*ignore_if_exists=*/true));
  BRAID_TRY(catalog.DropTable(identifier, {.ignore_if_not_exists = true}));
  BRAID_TRY(catalog.CreateTable(identifier, definition, /*ignore_if_exists=*/false));
  return catalog.OpenTable(identifier);
}

/// One commit of the rows whose keys `key_of` gives for 0 … rows - 1.
template <typename KeyOf>
Status WriteRows(const Table& table, std::int64_t rows, std::int64_t version, KeyOf key_of) {
  const std::string user = fmt::format("run{}", version);
  BRAID_TRY_ASSIGN(const auto writer, TableWriter::Make(table, {.commit_user = user, .spill_directory = {}}));
  std::vector<std::int64_t> keys;
  for (std::int64_t row = 0; row < rows; ++row) {
    keys.push_back(key_of(row));
    if (static_cast<std::int64_t>(keys.size()) < kBatchRows && row + 1 < rows) continue;
    BRAID_TRY(writer->Write(ScanRows(keys, static_cast<std::uint64_t>(version), kSeed)));
    keys.clear();
  }
  Committable committable;
  committable.identifier = 0;
  BRAID_TRY_ASSIGN(committable.messages, writer->PrepareCommit(/*wait_compaction=*/true, 0));
  BRAID_TRY(TableCommit(table, user).Commit(committable));
  return Ok();
}

Status Make(Catalog& catalog, const std::string& name, std::int64_t rows) {
  BRAID_TRY_ASSIGN(const Table table, CreateTable(catalog, name));
  if (name == "append") return WriteRows(table, rows, 0, [](std::int64_t row) { return row; });
  // Five runs, each over the whole range of keys; together they hold six keys for ten rows.
  const std::int64_t rows_a_run = rows / kRuns;
  const std::int64_t step = (rows * 6 / 10 - rows_a_run) / (kRuns - 1);
  for (std::int64_t run = 0; run < kRuns; ++run) {
    BRAID_TRY(
        WriteRows(table, rows_a_run, run, [&](std::int64_t row) { return ScatteredKey(run * step + row, kSeed); }));
  }
  return Ok();
}

Status Run(const std::vector<std::string>& words) {
  const Error usage(ErrorCode::kInvalidArgument, "usage: make_tables WAREHOUSE S|M|L TABLE…");
  if (words.size() < 3 || words[1].size() != 1) return usage;
  const std::size_t size = std::string_view("SML").find(words[1]);
  if (size == std::string_view::npos) return usage;
  constexpr std::int64_t kRows[] = {1'000'000, 10'000'000, 100'000'000};
  BRAID_TRY_ASSIGN(const auto catalog, MakeFileSystemCatalog("paimon", Options({{"warehouse", words[0]}})));
  for (std::size_t table = 2; table < words.size(); ++table) BRAID_TRY(Make(*catalog, words[table], kRows[size]));
  return Ok();
}

}  // namespace
}  // namespace braid

int main(int argc, char** argv) {
  const braid::Status status = braid::Run(std::vector<std::string>(argv + 1, argv + argc));
  if (status) return 0;
  fmt::print(stderr, "error: {}\n", status.error().ToString());
  return status.error().code() == braid::ErrorCode::kInvalidArgument ? 2 : 1;
}
