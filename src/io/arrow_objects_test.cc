#include <arrow/status.h>
#include <gmock/gmock.h>

#include "io/arrow_objects_internal.h"

namespace braid {
namespace {

using testing::HasSubstr;

// Which client of a store answers first depends on what is asked first, so both must say what can be tried.
TEST(ArrowErrorTest, WhatTheStoreRefusesComesWithARemedy) {
  const struct {
    const char* said;
    ErrorCode code;
    const char* remedy;
  } cases[] = {
      {"AWS Error SIGNATURE_DOES_NOT_MATCH during HeadObject", ErrorCode::kPermissionDenied,
       "try: check access key, secret key"},
      {"AWS Error INVALID_ACCESS_KEY_ID during ListObjectsV2", ErrorCode::kPermissionDenied,
       "try: check access key, secret key"},
      {"AWS Error ACCESS_DENIED during ListObjectsV2", ErrorCode::kPermissionDenied,
       "try: check access key, secret key"},
      {"AWS Error UNKNOWN (HTTP status 403) during HeadObject", ErrorCode::kPermissionDenied,
       "try: check access key, secret key"},
      {"AWS Error NO_SUCH_BUCKET during ListObjectsV2", ErrorCode::kNotFound, "try: create the bucket first"},
      {"AWS Error NETWORK_CONNECTION during HeadObject", ErrorCode::kUnavailable,
       "try: check the endpoint and the network"},
      {"AWS Error SLOW_DOWN during PutObject", ErrorCode::kUnavailable, "try: repeat in a while"},
      {"AWS Error INTERNAL_FAILURE during GetObject", ErrorCode::kUnavailable, "try: repeat in a while"},
      {"AWS Error UNKNOWN (HTTP status 502) during GetObject", ErrorCode::kUnavailable, "try: repeat in a while"},
      {"AWS Error UNKNOWN (HTTP status 429) during GetObject", ErrorCode::kUnavailable, "try: repeat in a while"},
      {"AWS Error UNKNOWN (HTTP status 301) during HeadBucket", ErrorCode::kInvalidArgument, "try: give the bucket's own region"},
      {"AWS Error SERVICE_UNAVAILABLE during PutObject", ErrorCode::kUnavailable, "try: repeat in a while"},
  };
  for (const auto& known : cases) {
    const Error error = ArrowError("look at", "s3://bucket/t", arrow::Status::IOError(known.said));
    EXPECT_EQ(error.code(), known.code) << known.said;
    EXPECT_THAT(error.ToString(), HasSubstr("cannot look at s3://bucket/t: ")) << known.said;
    EXPECT_THAT(error.ToString(), HasSubstr(known.remedy)) << known.said;
  }
}

}  // namespace
}  // namespace braid
