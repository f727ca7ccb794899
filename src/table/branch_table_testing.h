#pragma once

// A table with branches for tests; include only from tests.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/fault_injecting_file_system.h"
#include "table/branches.h"
#include "table/table_testing.h"

namespace braid {

/// A table of one column whose rows are numbers that commits add one by one, so that what a line holds shows which commits
/// it has. Main starts with the rows 1, 2 and 3, in snapshots of these numbers.
class BranchTableTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NO_FATAL_FAILURE(MakeTable()); }

  void MakeTable() {
    fs_ = std::make_shared<MemoryFileSystem>();
    ASSERT_THAT(CreateTestTable(fs_, TestDefinition({{"k", DataType::Int()}})), IsOk());
    for (int row = 1; row <= 3; ++row) ASSERT_NO_FATAL_FAILURE(Add("main", row));
  }

  Result<Table> Open(std::string_view branch) const { return Table::Open(fs_, kTestTableRoot, "d.t", branch); }

  void Add(std::string_view branch, int row) {
    BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Open(branch));
    ASSERT_THAT(Insert(table, {{row}}), IsOk());
  }

  /// The rows, as texts.
  static Result<std::vector<std::string>> RowsOf(const Table& table) {
    BRAID_TRY_ASSIGN(std::vector<std::string> rows, SortedRows(table));
    for (std::string& row : rows) row = row.substr(5, row.size() - 6);  // {"k":1}
    std::sort(rows.begin(), rows.end());
    return rows;
  }
  Result<std::vector<std::string>> Rows(std::string_view branch, const Options::Map& options = {}) const {
    BRAID_TRY_ASSIGN(const Table table, Table::Open(fs_, kTestTableRoot, "d.t", branch, Options(options)));
    return RowsOf(table);
  }

  void TagSnapshot(std::string_view branch, std::string name, std::int64_t id) {
    BRAID_ASSERT_OK_AND_ASSIGN(const TablePaths paths, ResolveLine(*fs_, kTestTableRoot, branch));
    BRAID_ASSERT_OK_AND_ASSIGN(Snapshot snapshot, ReadSnapshot(*fs_, paths, SnapshotId(id)));
    ASSERT_THAT(WriteTag(*fs_, paths, {.name = std::move(name), .snapshot = std::move(snapshot), .create_time = {}, .time_retained = {}}), IsOk());
  }

  OperationContext Context(std::shared_ptr<FileSystem> fs = nullptr) const {
    OperationContext context;
    context.file_system = fs != nullptr ? std::move(fs) : fs_;
    context.root = kTestTableRoot;
    context.table_name = "d.t";
    context.actor = "ana@here";
    context.lock_timeout = std::chrono::milliseconds(0);
    return context;
  }

  std::vector<std::string> FilesWith(std::string_view text) const {
    std::vector<std::string> files = fs_->AllFiles();
    std::erase_if(files, [&](const std::string& file) { return file.find(text) == std::string::npos; });
    return files;
  }

  using Operation = std::function<Status(const OperationContext&)>;

  /// Fails every call that an operation makes, one after the other, in every way. After each failure `check_either` must
  /// hold, before and after the next command has cleared up; `is_done` when the operation reports success.
  void SweepFailures(const Operation& prepare, const Operation& operation, const std::function<void()>& check_either,
                     const std::function<bool()>& is_done) {
    using Fault = FaultInjectingFileSystem::Fault;
    for (const Fault fault : {Fault::kStop, Fault::kFail, Fault::kFailAfterwards}) {
      for (std::int64_t nth = 1;; ++nth) {
        SCOPED_TRACE("call " + std::to_string(nth) + ", fault " + std::to_string(static_cast<int>(fault)));
        ASSERT_NO_FATAL_FAILURE(MakeTable());
        ASSERT_THAT(prepare(Context()), IsOk());
        const auto faulty = std::make_shared<FaultInjectingFileSystem>(fs_);
        faulty->FailAt(nth, fault);
        const Status done = operation(Context(faulty));
        if (!faulty->struck()) {
          EXPECT_THAT(done, IsOk());
          EXPECT_TRUE(is_done());
          break;
        }
        EXPECT_TRUE(!done || is_done());
        check_either();
        BRAID_ASSERT_OK_AND_ASSIGN(const LockedTable repaired, LockedTable::Acquire(Context()));
        EXPECT_THAT(FilesWith("/.braid/op/"), testing::IsEmpty());
        EXPECT_THAT(FilesWith("/.new-"), testing::IsEmpty());
        EXPECT_THAT(FilesWith("/staging/"), testing::IsEmpty());
        check_either();
        if (HasFatalFailure() || HasNonfatalFailure()) return;
      }
    }
  }

  std::shared_ptr<MemoryFileSystem> fs_;
  const TablePaths root_{kTestTableRoot, "main"};
};

}  // namespace braid
