#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "io/s3_objects_internal.h"

// What a server answers is tried with a real one: tests/object_store/run_s3.

namespace braid {
namespace {

TEST(S3ObjectsTest, TakesAPathApart) {
  BRAID_ASSERT_OK_AND_ASSIGN(const S3Path file, S3Path::Parse("s3a://bucket/db.db/t/snapshot/snapshot-1"));
  EXPECT_EQ(file.bucket, "bucket");
  EXPECT_EQ(file.key, "db.db/t/snapshot/snapshot-1");
  EXPECT_EQ(file.ForArrow(), "bucket/db.db/t/snapshot/snapshot-1");
  BRAID_ASSERT_OK_AND_ASSIGN(const S3Path bucket, S3Path::Parse("s3://bucket/"));
  EXPECT_EQ(bucket.key, "");
  EXPECT_EQ(bucket.ForArrow(), "bucket");
  EXPECT_THAT(S3Path::Parse("s3://"), IsError(ErrorCode::kInvalidArgument));
}

TEST(S3ObjectsTest, EncodesWhatAnAddressMustNotHold) {
  EXPECT_EQ(EncodeUrlPath("t/pt=a b/bucket-0/data_1.parquet"), "t/pt%3Da%20b/bucket-0/data_1.parquet");
  EXPECT_EQ(EncodeUrlPath("\xC3\xA9%?~"), "%C3%A9%25%3F~");
}

TEST(S3ObjectsTest, SaysThatNobodyAnswersWithoutTheKeys) {
  const S3Objects objects(
      {.endpoint = "http://127.0.0.1:1",
       .region = "us-east-1",
       .path_style = true,
       .access_key = {},
       .secret_key = {},
       .session_token = {}},
      [] {
        return HttpSignature{.region = "us-east-1", .access_key = "ana", .secret_key = "hidden", .session_token = {}};
      },
      /*first_pause=*/std::chrono::milliseconds(0));
  BRAID_ASSERT_OK_AND_ASSIGN(const ConditionalPut put, objects.WriteOnce("s3://bucket/f", "x", std::nullopt));
  EXPECT_EQ(put.outcome, PutOutcome::kNotSent) << "so nothing can have arrived";
  EXPECT_THAT(put.failure, testing::HasSubstr("no answer from http://127.0.0.1:1"));
  EXPECT_THAT(put.failure, testing::Not(testing::HasSubstr("hidden")));
  const auto read = objects.Get("s3://bucket/f");
  ASSERT_THAT(read, IsError(ErrorCode::kUnavailable));
  EXPECT_THAT(read.error().ToString(), testing::Not(testing::HasSubstr("hidden")));
}

}  // namespace
}  // namespace braid
