#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "io/memory_file_system.h"
#include "meta/stores.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::Eq;
using testing::IsEmpty;

Tag TagOf(std::string name, std::int64_t snapshot_id) {
  Tag tag;
  tag.name = std::move(name);
  tag.snapshot.id = SnapshotId(snapshot_id);
  tag.snapshot.base_manifest_list = "base";
  tag.snapshot.delta_manifest_list = "delta";
  tag.snapshot.commit_user = "u";
  return tag;
}

class TagStoreTest : public testing::Test {
 protected:
  MemoryFileSystem fs_;
  const TablePaths paths_{"/w/sales.db/orders", "main"};
};

TEST_F(TagStoreTest, ReadsBackATagWithItsRetention) {
  Tag tag = TagOf("Tag with späce", 3);
  tag.create_time = "2024-05-14T10:15:30";
  tag.time_retained = "PT24H";
  ASSERT_THAT(WriteTag(fs_, paths_, tag), IsOk());
  EXPECT_THAT(ReadTag(fs_, paths_, "Tag with späce"), HasValue(Eq(tag)));
}

TEST_F(TagStoreTest, ListsTagsSortedWithoutTheFolderOfMarkers) {
  ASSERT_THAT(WriteTag(fs_, paths_, TagOf("b", 1)), IsOk());
  ASSERT_THAT(WriteTag(fs_, paths_, TagOf("a", 2)), IsOk());
  ASSERT_THAT(fs_.Replace(JoinPath(paths_.TagDirectory(), "tag-success-file/a_SUCCESS"), "{}"), IsOk());
  ASSERT_THAT(fs_.Replace(JoinPath(paths_.TagDirectory(), ".tag-c.0.tmp"), "{}"), IsOk());
  EXPECT_THAT(ListTags(fs_, paths_), HasValue(ElementsAre("a", "b")));
  EXPECT_THAT(ListTags(fs_, paths_.OnBranch("x")), HasValue(IsEmpty()));
}

TEST_F(TagStoreTest, RefusesToWriteATagTwiceEvenWithTheSameContent) {
  ASSERT_THAT(WriteTag(fs_, paths_, TagOf("a", 1)), IsOk());
  EXPECT_THAT(WriteTag(fs_, paths_, TagOf("a", 1)), IsError(ErrorCode::kAlreadyExists));
  EXPECT_THAT(WriteTag(fs_, paths_, TagOf("a", 1)), HasMessage("sales.orders has a tag 'a' already"));
}

TEST_F(TagStoreTest, ReplacesOnlyATagThatIsThere) {
  EXPECT_THAT(ReplaceTag(fs_, paths_, TagOf("a", 2)), IsError(ErrorCode::kNotFound));
  ASSERT_THAT(WriteTag(fs_, paths_, TagOf("a", 1)), IsOk());
  ASSERT_THAT(ReplaceTag(fs_, paths_, TagOf("a", 2)), IsOk());
  EXPECT_EQ(ReadTag(fs_, paths_, "a")->snapshot.id, SnapshotId(2));
}

TEST_F(TagStoreTest, OffersTheNearestTag) {
  ASSERT_THAT(WriteTag(fs_, paths_, TagOf("release", 1)), IsOk());
  const Result<Tag> missing = ReadTag(fs_, paths_, "relaese");
  EXPECT_THAT(missing, IsError(ErrorCode::kNotFound));
  EXPECT_THAT(missing, HasMessage("sales.orders has no tag 'relaese'\n  try: did you mean 'release'?"));
}

TEST_F(TagStoreTest, RefusesNamesThatAreNoFileNames) {
  EXPECT_THAT(WriteTag(fs_, paths_, TagOf(" ", 1)), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(WriteTag(fs_, paths_, TagOf("../x", 1)), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(ReadTag(fs_, paths_, "a/b"), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(fs_.AllFiles(), IsEmpty());
}

TEST_F(TagStoreTest, KeepsTheProgressOfConsumers) {
  ASSERT_THAT(WriteConsumer(fs_, paths_, {"job", SnapshotId(6)}), IsOk());
  EXPECT_THAT(fs_.ReadAll("/w/sales.db/orders/consumer/consumer-job"), HasValue(Eq("{\n  \"nextSnapshot\" : 6\n}")));
  ASSERT_THAT(WriteConsumer(fs_, paths_, {"job", SnapshotId(7)}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const std::optional<Consumer> consumer, ReadConsumer(fs_, paths_, "job"));
  ASSERT_TRUE(consumer.has_value());
  EXPECT_EQ(consumer->next_snapshot, SnapshotId(7));
  EXPECT_EQ(ListConsumers(fs_, paths_)->size(), 1U);
  ASSERT_THAT(DeleteConsumer(fs_, paths_, "job"), IsOk());
  EXPECT_FALSE(ReadConsumer(fs_, paths_, "job")->has_value());
  EXPECT_TRUE(ListConsumers(fs_, paths_)->empty());
}

TEST_F(TagStoreTest, ReportsAHalfWrittenConsumerByPath) {
  ASSERT_THAT(fs_.Replace(paths_.ConsumerFile("job"), ""), IsOk());
  const auto torn = ReadConsumer(fs_, paths_, "job");
  EXPECT_THAT(torn, IsError(ErrorCode::kCorruption));
  EXPECT_THAT(torn, HasMessage("consumer-job\n  try: repeat"));
}

TEST_F(TagStoreTest, ListsBranchesByTheirFolders) {
  ASSERT_THAT(fs_.Replace("/w/sales.db/orders/branch/branch-z/schema/schema-0", ""), IsOk());
  ASSERT_THAT(fs_.Replace("/w/sales.db/orders/branch/branch-a b/schema/schema-0", ""), IsOk());
  ASSERT_THAT(fs_.Replace("/w/sales.db/orders/branch/branch-file", ""), IsOk());
  ASSERT_THAT(fs_.Replace("/w/sales.db/orders/branch/other/x", ""), IsOk());
  EXPECT_THAT(ListBranches(fs_, paths_), HasValue(ElementsAre("a b", "z")));
}

}  // namespace
}  // namespace braid
