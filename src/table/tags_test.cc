// Making, moving, renaming, deleting and expiring tags.

#include <gtest/gtest.h>

#include "table/expire.h"
#include "table/snapshot_selector.h"
#include "table/tag_change.h"
#include "table/tag_creation.h"
#include "table/tag_removal.h"
#include "table/upkeep_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t kNow = 1'715'681'730'000;  // 2024-05-14 10:15:30 UTC
constexpr std::int64_t kDay = 86'400'000;

class TagsTest : public testing::Test {
 protected:
  void MakeTable(Options::Map options = {}) {
    options.emplace("bucket", "1");
    options.emplace("write-only", "true");
    BRAID_ASSERT_OK_AND_ASSIGN(
        table_, CreateTestTable(
                    fs_, TestDefinition({{"k", DataType::Int()}, {"v", DataType::Int()}}, {"k"}, std::move(options))));
  }

  void Commit(int value, std::optional<std::int64_t> watermark = std::nullopt) {
    Committable committable;
    BRAID_ASSERT_OK_AND_ASSIGN(committable.messages, WriteRows(*table_, {{1, value}}));
    committable.watermark = watermark;
    ASSERT_THAT(TableCommit(*table_, "user", clock_).Commit(committable), IsOk());
  }

  Result<Tag> Create(const std::string& name, SnapshotSelector selector = {}) {
    BRAID_TRY_ASSIGN(const Snapshot snapshot, SelectSnapshot(*table_, selector));
    return CreateTag(*table_, {.name = name, .snapshot = snapshot, .time_retained = {}, .ignore_if_exists = false},
                     clock_);
  }

  Result<std::vector<std::string>> Tags() { return ListTags(*fs_, table_->paths()); }

  void Expire(std::int64_t retain) {
    ExpireRequest request;
    request.snapshots.retain_max = retain;
    ASSERT_THAT(ExpireSnapshots(*table_, request, clock_), IsOk());
  }

  void ExpectNothingToSpare() {
    BRAID_ASSERT_OK_AND_ASSIGN(const std::set<std::string> needed, NeededFiles(*fs_, kTestTableRoot).Find());
    EXPECT_EQ(PresentFiles(*fs_), needed);
  }

  ManualClock clock_{kNow};
  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>(clock_);
  std::optional<Table> table_;
};

TEST_F(TagsTest, NameTheLatestOrAChosenSnapshot) {
  MakeTable();
  Commit(1);
  clock_.Advance(1000);
  Commit(2);
  ASSERT_THAT(Create("latest"), IsOk());
  ASSERT_THAT(Create("first", {.id = SnapshotId(1)}), IsOk());
  ASSERT_THAT(Create("then", {.timestamp_ms = kNow + 999}), IsOk());
  ASSERT_THAT(Create("same", {.tag = "latest"}), IsOk());
  const std::map<std::string, std::int64_t> expected = {{"first", 1}, {"latest", 2}, {"same", 2}, {"then", 1}};
  for (const auto& [name, id] : expected) {
    BRAID_ASSERT_OK_AND_ASSIGN(const Tag tag, ReadTag(*fs_, table_->paths(), name));
    EXPECT_EQ(tag.snapshot.id, SnapshotId(id)) << name;
    EXPECT_EQ(tag.time_retained, std::nullopt);
  }
  EXPECT_THAT(Create("latest"), IsError(ErrorCode::kAlreadyExists));
  EXPECT_THAT(Create("late", {.id = SnapshotId(3)}), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(Create("two", {.id = SnapshotId(1), .tag = "first"}), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Create(" "), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Create("braid-fork-b"), IsError(ErrorCode::kInvalidArgument));
}

TEST_F(TagsTest, KeepTheirSnapshotUntilTheyAreDeleted) {
  MakeTable();
  for (int value = 1; value <= 4; ++value) Commit(value);
  ASSERT_THAT(Create("t2", {.id = SnapshotId(2)}), IsOk());
  ASSERT_THAT(Create("t3", {.id = SnapshotId(3)}), IsOk());
  Expire(1);
  ExpectNothingToSpare();
  BRAID_ASSERT_OK_AND_ASSIGN(const Table at_tag, table_->With(Options(Options::Map{{"scan.tag-name", "t2"}})));
  EXPECT_THAT(SortedRows(at_tag), HasValue(std::vector<std::string>{R"({"k":1,"v":2})"}));
  ASSERT_THAT(Create("again", {.id = SnapshotId(2)}), IsOk());

  BRAID_ASSERT_OK_AND_ASSIGN(const TagRemoval first, DeleteTags(*table_, {"t2"}, {}, clock_));
  EXPECT_EQ(first.files.data_files + first.files.metadata_files, 0);  // another tag names the snapshot
  EXPECT_THAT(SortedRows(*table_->With(Options(Options::Map{{"scan.tag-name", "again"}}))),
              HasValue(std::vector<std::string>{R"({"k":1,"v":2})"}));

  BRAID_ASSERT_OK_AND_ASSIGN(const TagRemoval preview,
                             DeleteTags(*table_, {"again"}, {.dry_run = true, .progress = {}}, clock_));
  BRAID_ASSERT_OK_AND_ASSIGN(const TagRemoval second, DeleteTags(*table_, {"again", "no-such"}, {}, clock_));
  EXPECT_THAT(second.tags, ElementsAre("again"));
  EXPECT_GT(second.files.metadata_files, 0);
  EXPECT_EQ(static_cast<std::int64_t>(preview.files.paths.size()),
            second.files.data_files + second.files.metadata_files);
  ExpectNothingToSpare();
  EXPECT_THAT(SortedRows(*table_->With(Options(Options::Map{{"scan.tag-name", "t3"}}))),
              HasValue(std::vector<std::string>{R"({"k":1,"v":3})"}));
  ASSERT_THAT(DeleteTags(*table_, {"t3"}, {}, clock_), IsOk());
  ExpectNothingToSpare();
  EXPECT_THAT(SortedRows(*table_), HasValue(std::vector<std::string>{R"({"k":1,"v":4})"}));
}

TEST_F(TagsTest, AreMovedAndRenamed) {
  MakeTable();
  Commit(1);
  Commit(2);
  ASSERT_THAT(Create("a", {.id = SnapshotId(1)}), IsOk());
  ASSERT_THAT(Create("b", {.id = SnapshotId(1)}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot second, SelectSnapshot(*table_, {}));
  EXPECT_THAT(
      MoveTag(*table_, {.name = "c", .snapshot = second, .time_retained = {}, .ignore_if_exists = false}, clock_),
      IsError(ErrorCode::kNotFound));
  ASSERT_THAT(
      MoveTag(*table_, {.name = "a", .snapshot = second, .time_retained = {}, .ignore_if_exists = false}, clock_),
      IsOk());
  EXPECT_EQ(ReadTag(*fs_, table_->paths(), "a")->snapshot.id, SnapshotId(2));
  EXPECT_THAT(RenameTag(*table_, "a", "b"), IsError(ErrorCode::kAlreadyExists));
  EXPECT_THAT(RenameTag(*table_, "c", "d"), IsError(ErrorCode::kNotFound));
  ASSERT_THAT(RenameTag(*table_, "a", "d"), IsOk());
  EXPECT_THAT(Tags(), HasValue(ElementsAre("b", "d")));
}

TEST_F(TagsTest, ExpireWhenTheirTimeIsOver) {
  MakeTable({{"tag.default-time-retained", "1 d"}});
  Commit(1);
  ASSERT_THAT(Create("day"), IsOk());
  EXPECT_EQ(ReadTag(*fs_, table_->paths(), "day")->time_retained, "PT24H");
  BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot snapshot, SelectSnapshot(*table_, {}));
  ASSERT_THAT(CreateTag(*table_,
                        {.name = "week",
                         .snapshot = snapshot,
                         .time_retained = std::chrono::hours(24 * 7),
                         .ignore_if_exists = false},
                        clock_),
              IsOk());
  clock_.Advance(kDay);
  EXPECT_THAT(ExpireTags(*table_, std::nullopt, {}, clock_)->tags, IsEmpty());  // exactly a day is not more than one
  clock_.Advance(1);
  EXPECT_THAT(ExpireTags(*table_, std::nullopt, {}, clock_)->tags, ElementsAre("day"));
  EXPECT_THAT(Tags(), HasValue(ElementsAre("week")));
  EXPECT_THAT(ExpireTags(*table_, kNow + 1, {}, clock_)->tags, ElementsAre("week"));
}

TEST_F(TagsTest, AreMadeForEachPeriodThatIsOver) {
  MakeTable({{"tag.automatic-creation", "watermark"},
             {"tag.creation-period", "daily"},
             {"tag.creation-delay", "10 min"},
             {"tag.num-retained-max", "2"}});
  constexpr std::int64_t kMay14 = 1'715'644'800'000;
  constexpr std::int64_t kMinute = 60'000;
  // Watermarks, and the tags that stand afterwards.
  const std::vector<std::pair<std::int64_t, std::vector<std::string>>> steps = {
      {kMay14 + 5 * kMinute, {"2024-05-13"}},  // without an earlier tag the delay does not count, as in Java
      {kMay14 + kDay + 9 * kMinute, {"2024-05-13"}},
      {kMay14 + kDay + 10 * kMinute, {"2024-05-13", "2024-05-14"}},
      {kMay14 + 5 * kDay, {"2024-05-14", "2024-05-18"}},
  };
  int value = 0;
  for (const auto& [watermark, tags] : steps) {
    Commit(++value, watermark);
    ASSERT_THAT(CreateAutomaticTags(*table_, clock_), IsOk());
    EXPECT_THAT(Tags(), HasValue(tags)) << value;
  }
  EXPECT_THAT(CreateAutomaticTags(*table_, clock_), HasValue(IsEmpty()));
  EXPECT_THAT(Create("2024-05-17", {.id = SnapshotId(4)}), HasMessage("already has the automatic tag '2024-05-18'"));
}

TEST_F(TagsTest, OfBatchJobsTakeThePlaceOfOlderOnes) {
  MakeTable({{"tag.automatic-creation", "batch"}, {"sink.process-time-zone", "UTC"}});
  Commit(1);
  ASSERT_THAT(CreateBatchTag(*table_, clock_), IsOk());
  Commit(2);
  ASSERT_THAT(CreateBatchTag(*table_, clock_), IsOk());
  EXPECT_THAT(Tags(), HasValue(ElementsAre("batch-write-2024-05-14")));
  EXPECT_EQ(ReadTag(*fs_, table_->paths(), "batch-write-2024-05-14")->snapshot.id, SnapshotId(2));
}

}  // namespace
}  // namespace braid
