// Branches of one table: made from a tag, listed, deleted; then main takes over a branch's snapshots, and another branch
// takes main's place: B7. The table is changed, so it must be a copy.

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "catalog/catalog.h"
#include "measurement.h"
#include "table/branch_list.h"
#include "table/branch_merge.h"
#include "table/branch_replace.h"
#include "table/branches.h"
#include "table/rollback.h"

namespace braid {
namespace {

/// Carries out an operation and notes how long it took.
template <typename Operation>
Status Time(const Operation& operation, std::vector<double>& times) {
  const auto body = [&]() -> Status {
    BRAID_TRY(operation());
    return Ok();
  };
  BRAID_TRY_ASSIGN(const double seconds, Seconds(body));
  times.push_back(seconds);
  return Ok();
}

Status CreateAll(const OperationContext& context, std::int64_t count, std::vector<double>& times) {
  for (std::int64_t number = 0; number < count; ++number) {
    const CreateBranchRequest request{.name = fmt::format("n{}", number), .tag = "start"};
    BRAID_TRY(Time([&] { return CreateBranch(context, request); }, times));
  }
  return Ok();
}

Status ListAll(const OperationContext& context, std::int64_t count, std::vector<double>& times) {
  for (int run = 0; run < 5; ++run) {
    std::size_t seen = 0;
    const auto list = [&]() -> Status {
      BRAID_TRY_ASSIGN(const auto branches, SummarizeBranches(*context.file_system, context.root, /*with_retired=*/false));
      seen = branches.size();
      return Ok();
    };
    BRAID_TRY(Time(list, times));
    // The one that main takes over later is there from the beginning.
    if (seen != static_cast<std::size_t>(count) + 1)
      return Error(ErrorCode::kInternal, fmt::format("{} branches are listed, not {}", seen, count + 1));
  }
  return Ok();
}

Status DeleteAll(const OperationContext& context, std::int64_t count, std::vector<double>& times) {
  for (std::int64_t number = 0; number < count; ++number) {
    const DeleteBranchRequest request{.name = fmt::format("n{}", number)};
    BRAID_TRY(Time([&] { return DeleteBranch(context, request); }, times));
  }
  return Ok();
}

Result<Measurement> Run(const Options& arguments) {
  BRAID_TRY_ASSIGN(const std::string warehouse, RequiredArgument(arguments, "warehouse"));
  BRAID_TRY_ASSIGN(const std::int64_t count, CountArgument(arguments, "branches", 1'000));
  BRAID_TRY_ASSIGN(const auto catalog, MakeFileSystemCatalog("paimon", Options({{"warehouse", warehouse}})));
  BRAID_TRY_ASSIGN(const Table table,
                   catalog->OpenTable({.database = "b", .table = "branches", .branch = {}, .system_table = {}}));
  const OperationContext context = ContextOf(table);

  std::vector<double> create;
  std::vector<double> list;
  std::vector<double> drop;
  BRAID_TRY(CreateAll(context, count, create));
  BRAID_TRY(ListAll(context, count, list));
  BRAID_TRY(DeleteAll(context, count, drop));

  // Main has gone on since the branch was made. Its own snapshots would be lost, so they go beforehand, on purpose.
  BRAID_TRY(RollbackHard(table, {.tag = "start"}, /*dry_run=*/false, SystemClock()));
  Measurement measurement;
  MergeReport merged;
  const auto forward = [&]() -> Status {
    BRAID_TRY_ASSIGN(merged, FastForward(context, {.source = "work", .target = "main"}));
    return Ok();
  };
  BRAID_TRY(Repeat(1, forward, measurement));
  BRAID_TRY(CreateBranch(context, {.name = "next", .tag = "start"}));
  const ReplaceMainRequest replacement{.name = "next", .keep_as = "former"};
  std::vector<double> replace;
  BRAID_TRY(Time([&] { return ReplaceMain(context, replacement); }, replace));

  measurement.rows = static_cast<std::int64_t>(merged.published.size());
  const double create_first_ms = create.front() * 1e3;
  measurement.detail = {{"create", Quantiles(std::move(create))},
                        {"create_first_ms", create_first_ms},
                        {"list", Quantiles(std::move(list))},
                        {"delete", Quantiles(std::move(drop))},
                        {"fast_forward_s", measurement.seconds.front()},
                        {"fast_forward_snapshots", measurement.rows},
                        {"replace_s", replace.front()}};
  return measurement;
}

}  // namespace
}  // namespace braid

int main(int argc, char** argv) {
  return braid::RunBenchmark(argc, argv,
                             {.case_name = "B7",
                              .usage = "warehouse=DIR [branches=N]",
                              .keys = {"warehouse", "branches"},
                              .run = braid::Run});
}
