#include "io/storage.h"

#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "io/storage_traits.h"

namespace braid {
namespace {

TEST(StorageTest, TakesPathsForLocalFolders) {
  struct Case {
    std::string address;
    std::string root;
  };
  for (const Case& c : {Case{"/w/h/", "/w/h"}, Case{"file:/w", "/w"}, Case{"FILE:///w//", "/w"}, Case{"relative", "relative"},
                        Case{"/", "/"}, Case{"/with:colon", "/with:colon"}}) {
    SCOPED_TRACE(c.address);
    BRAID_ASSERT_OK_AND_ASSIGN(const Storage storage, OpenStorage(c.address, Options()));
    EXPECT_EQ(storage.root, c.root);
    EXPECT_EQ(storage.files, LocalFileSystem());
    EXPECT_TRUE(CanRename(*storage.files));
    EXPECT_EQ(ParallelCalls(*storage.files), 1);
  }
}

TEST(StorageTest, OpensABucketWithoutAskingTheStore) {
  const Options options(Options::Map{{"s3.endpoint", "http://127.0.0.1:1"}, {"s3.access-key", "ana"}, {"s3.secret-key", "hidden"}});
  BRAID_ASSERT_OK_AND_ASSIGN(const Storage storage, OpenStorage("S3://bucket/w/", options));
  EXPECT_EQ(storage.root, "s3://bucket/w");
  EXPECT_FALSE(CanRename(*storage.files));
  EXPECT_GT(ParallelCalls(*storage.files), 16);
  EXPECT_THAT(storage.files->Rename("s3://bucket/a", "s3://bucket/b"), IsError(ErrorCode::kUnsupported));
}

TEST(StorageTest, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(OpenStorage("ftp://host/w", Options()), IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(OpenStorage("s3://", Options()), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(OpenStorage("s3:///w", Options()), IsError(ErrorCode::kInvalidArgument));
}

TEST(StorageTest, SaysWhatHdfsNeeds) {
  const Result<Storage> storage = OpenStorage("hdfs://127.0.0.1:9/warehouse", Options());
  EXPECT_THAT(storage, IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(storage, HasMessage("libhdfs.so"));
}

}  // namespace
}  // namespace braid
