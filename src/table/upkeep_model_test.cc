// Random writing and upkeep: after every step the files that are there are those that an independent walk finds needed,
// and every snapshot, tag and branch still reads as it did.

#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "table/branches.h"
#include "table/expire.h"
#include "table/lines.h"
#include "table/rollback.h"
#include "table/tag_change.h"
#include "table/tag_removal.h"
#include "table/upkeep_testing.h"
#include "table/write.h"

namespace braid {
namespace {

constexpr std::int64_t kNow = 1'715'681'730'000;

class UpkeepModel {
 public:
  explicit UpkeepModel(unsigned seed) : random_(seed) {}

  void Start() {
    Options::Map options = {{"bucket", Chance(50) ? "1" : "2"},
                            {"write-only", "true"},
                            {"manifest.merge-min-count", std::to_string(2 + Below(4))}};
    produces_none_ = Chance(50);
    options["changelog-producer"] = produces_none_ ? "none" : "input";
    keeps_changelogs_ = Chance(30);
    const bool partitioned = Chance(50);
    TableDefinition definition =
        TestDefinition({{"p", DataType::Int().NotNull()}, {"k", DataType::Int().NotNull()}, {"v", DataType::Int()}},
                       partitioned ? std::vector<std::string>{"p", "k"} : std::vector<std::string>{"k"}, options,
                       partitioned ? std::vector<std::string>{"p"} : std::vector<std::string>{});
    BRAID_ASSERT_OK_AND_ASSIGN(const Table table, CreateTestTable(fs_, definition));
    tables_.emplace("main", table);
    Write("main");
  }

  void Step() {
    clock_.Advance(1000);
    const std::string line = Pick(Lines());
    switch (Below(12)) {
      case 0:
      case 1:
      case 2: return Write(line);
      case 3: return Compact(line);
      case 4: return Truncate(line);
      case 5: return Tag(line);
      case 6: return DeleteATag(line);
      case 7:
      case 8: return Expire(line);
      case 9: return GoBack(line);
      case 10: return Branch(line);
      default: return Chance(40) ? DropBranch(line) : Write(line);
    }
  }

  void Check() {
    Result<std::set<std::string>> found = NeededFiles(*fs_, kTestTableRoot).Find();
    ASSERT_TRUE(found.has_value()) << found.error().ToString() << " after " << last_;
    const std::set<std::string>& needed = *found;
    const std::set<std::string> present = PresentFiles(*fs_);
    for (const std::string& name : needed) EXPECT_TRUE(present.contains(name)) << name << " is missing after " << last_;
    // Appended files that served as changelog go, as in Java, with the changelog of the snapshot that deleted them.
    if (!(keeps_changelogs_ && produces_none_)) {
      for (const std::string& name : present) EXPECT_TRUE(needed.contains(name)) << name << " was left by " << last_;
    }
    for (const auto& [line, table] : tables_) CheckRows(line, table);
  }

  const std::string& last() const { return last_; }

 private:
  int Below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(random_); }
  bool Chance(int percent) { return Below(100) < percent; }
  const std::string& Pick(const std::vector<std::string>& from) {
    return from[static_cast<std::size_t>(Below(static_cast<int>(from.size())))];
  }
  std::vector<std::string> Lines() const {
    std::vector<std::string> lines;
    for (const auto& [line, table] : tables_) lines.push_back(line);
    return lines;
  }
  const Table& At(const std::string& line) const { return tables_.at(line); }

  void Done(std::string what) { last_ = std::move(what); }

  void Write(const std::string& line) {
    std::vector<DatumList> rows;
    for (int i = 0; i < 3; ++i) rows.push_back({Below(3), Below(6), ++value_});
    Committable committable;
    BRAID_ASSERT_OK_AND_ASSIGN(committable.messages, WriteRows(At(line), rows));
    ASSERT_THAT(TableCommit(At(line), "user", clock_).Commit(committable), IsOk());
    Done("writing to " + line);
  }

  void Compact(const std::string& line) {
    BRAID_ASSERT_OK_AND_ASSIGN(const Table table, At(line).With(Options({{"write-only", "false"},
                                                                         {"snapshot.num-retained.min", "1000"},
                                                                         {"snapshot.num-retained.max", "1000"}})));
    ASSERT_THAT(CompactTable(table, true, nullptr, "user", clock_), IsOk());
    Done("compacting " + line);
  }

  void Truncate(const std::string& line) {
    ASSERT_THAT(TableCommit(At(line), "user", clock_).Overwrite({}, {}), IsOk());
    Done("truncating " + line);
  }

  void Tag(const std::string& line) {
    BRAID_ASSERT_OK_AND_ASSIGN(const auto ids, ListSnapshots(*fs_, At(line).paths()));
    if (ids.empty()) return;
    BRAID_ASSERT_OK_AND_ASSIGN(
        const Snapshot snapshot,
        ReadSnapshot(*fs_, At(line).paths(), ids[static_cast<std::size_t>(Below(static_cast<int>(ids.size())))]));
    const std::string name = "t" + std::to_string(++value_);
    ASSERT_THAT(CreateTag(At(line),
                          {.name = name, .snapshot = snapshot, .time_retained = {}, .ignore_if_exists = false}, clock_),
                IsOk());
    Done("tagging " + line);
  }

  void DeleteATag(const std::string& line) {
    BRAID_ASSERT_OK_AND_ASSIGN(std::vector<std::string> names, ListTags(*fs_, At(line).paths()));
    std::erase_if(names, [](const std::string& name) { return IsGuardTag(name); });
    if (names.empty()) return;
    const std::string name = Pick(names);
    ASSERT_THAT(DeleteTags(At(line), {name}, {}, clock_), IsOk());
    Done("deleting tag " + name + " of " + line);
  }

  void Expire(const std::string& line) {
    ExpireRequest request;
    request.snapshots.retain_max = 1 + Below(4);
    request.keep_changelogs = keeps_changelogs_;
    request.changelogs.retain_max = request.snapshots.retain_max + 2;
    ASSERT_THAT(ExpireSnapshots(At(line), request, clock_), IsOk());
    if (keeps_changelogs_) {
      ASSERT_THAT(ExpireChangelogs(At(line), request, Chance(10), clock_), IsOk());
    }
    Done("expiring " + line);
  }

  void GoBack(const std::string& line) {
    BRAID_ASSERT_OK_AND_ASSIGN(const auto ids, ListSnapshots(*fs_, At(line).paths()));
    if (ids.empty()) return;
    const SnapshotId id = ids[static_cast<std::size_t>(Below(static_cast<int>(ids.size())))];
    ASSERT_THAT(RollbackAsLatest(At(line), {.id = id}, clock_), IsOk());
    Done("giving " + line + " an older content");
  }

  void Branch(const std::string& line) {
    if (tables_.size() >= 4) return;
    BRAID_ASSERT_OK_AND_ASSIGN(const auto ids, ListSnapshots(*fs_, At(line).paths()));
    if (ids.empty()) return;
    const std::string name = "b" + std::to_string(++value_);
    BRAID_ASSERT_OK_AND_ASSIGN(
        const Snapshot snapshot,
        ReadSnapshot(*fs_, At(line).paths(), ids[static_cast<std::size_t>(Below(static_cast<int>(ids.size())))]));
    const std::string parent_id = line == "main" ? std::string(kRootLineId) : "line-of-" + line;
    BRAID_ASSERT_OK_AND_ASSIGN(const Table table, MakeTestBranch(At(line), parent_id, name, snapshot, Chance(50)));
    tables_.emplace(name, table);
    Done("branching " + line);
  }

  // Branches made from it get its parent.
  void DropBranch(const std::string& line) {
    if (line == "main") return;
    OperationContext context = ContextOf(At("main"));
    context.clock = &clock_;
    tables_.erase(line);
    BRAID_ASSERT_OK_AND_ASSIGN(const DeletedBranch deleted, DeleteBranch(context, {.name = line, .force = true}));
    EXPECT_EQ(deleted.unreclaimed, "") << deleted.unreclaimed_reason;
    Done("deleting " + line);
  }

  void CheckRows(const std::string& line, const Table& table) {
    BRAID_ASSERT_OK_AND_ASSIGN(const auto ids, ListSnapshots(*fs_, table.paths()));
    for (const SnapshotId id : ids) {
      BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot snapshot, ReadSnapshot(*fs_, table.paths(), id));
      ExpectSameRows(line, table, snapshot, {"scan.snapshot-id", std::to_string(id.value())});
    }
    BRAID_ASSERT_OK_AND_ASSIGN(const auto names, ListTags(*fs_, table.paths()));
    for (const std::string& name : names) {
      BRAID_ASSERT_OK_AND_ASSIGN(const braid::Tag tag, ReadTag(*fs_, table.paths(), name));
      ExpectSameRows(line, table, tag.snapshot, {"scan.tag-name", name});
    }
  }

  void ExpectSameRows(const std::string& line, const Table& table, const Snapshot& snapshot,
                      const std::pair<std::string, std::string>& option) {
    BRAID_ASSERT_OK_AND_ASSIGN(const Table at, table.With(Options({option})));
    const Result<std::vector<std::string>> rows = SortedRows(at);
    ASSERT_TRUE(rows.has_value()) << option.second << " of " << line << " after " << last_ << ": "
                                  << rows.error().ToString();
    EXPECT_EQ(rows_.emplace(snapshot.delta_manifest_list, *rows).first->second, *rows)
        << option.second << " of " << line << " after " << last_;
  }

  std::mt19937 random_;
  ManualClock clock_{kNow};
  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>(clock_);
  std::map<std::string, Table> tables_;                   // by line
  std::map<std::string, std::vector<std::string>> rows_;  // of each snapshot, by identity
  int value_ = 0;
  bool keeps_changelogs_ = false;
  bool produces_none_ = false;
  std::string last_;
};

TEST(UpkeepModelTest, DeletesExactlyWhatNothingNeeds) {
  const char* given = std::getenv("BRAID_TEST_SEED");
  const unsigned first = given != nullptr ? static_cast<unsigned>(std::atoi(given)) : 1;
  const unsigned last = given != nullptr ? first : 8;
  for (unsigned seed = first; seed <= last; ++seed) {
    SCOPED_TRACE(testing::Message() << "BRAID_TEST_SEED=" << seed);
    UpkeepModel model(seed);
    model.Start();
    for (int step = 0; step < 40; ++step) {
      model.Step();
      model.Check();
      if (testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace braid
