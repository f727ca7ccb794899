#include "io/s3_settings.h"

#include <cstdlib>

#include <gmock/gmock.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

class S3SettingsTest : public testing::Test {
 protected:
  S3SettingsTest() {
    for (const char* name : {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
                             "AWS_SESSION_TOKEN"}) {
      unsetenv(name);
    }
  }
};

TEST_F(S3SettingsTest, ReadsPaimonsOptions) {
  const Options options(Options::Map{{"s3.endpoint", "http://127.0.0.1:9000/"},
                                     {"s3.access-key", "ana"},
                                     {"s3.secret-key", "hidden"},
                                     {"s3.region", "eu-west-1"}});
  BRAID_ASSERT_OK_AND_ASSIGN(const S3Settings settings, ReadS3Settings(options, "s3"));
  EXPECT_EQ(settings.endpoint, "http://127.0.0.1:9000");
  EXPECT_EQ(settings.access_key, "ana");
  EXPECT_EQ(settings.secret_key, "hidden");
  EXPECT_EQ(settings.region, "eu-west-1");
  EXPECT_TRUE(settings.path_style) << "a server of one's own";
}

TEST_F(S3SettingsTest, TakesHadoopsPrefixesAndPathStyle) {
  const Options options(Options::Map{{"fs.s3a.access.key", "ana"},
                                     {"s3a.secret-key", "hidden"},
                                     {"s3.endpoint", "store.example"},
                                     {"s3.path.style.access", "false"}});
  BRAID_ASSERT_OK_AND_ASSIGN(const S3Settings settings, ReadS3Settings(options, "s3a"));
  EXPECT_EQ(settings.access_key, "ana");
  EXPECT_EQ(settings.secret_key, "hidden");
  EXPECT_EQ(settings.endpoint, "https://store.example");
  EXPECT_FALSE(settings.path_style);
}

TEST_F(S3SettingsTest, TakesTheEnvironmentWhereNothingIsGiven) {
  setenv("AWS_ENDPOINT_URL", "http://localhost:1", 1);
  setenv("AWS_REGION", "eu-north-1", 1);
  setenv("AWS_ACCESS_KEY_ID", "ana", 1);
  setenv("AWS_SECRET_ACCESS_KEY", "hidden", 1);
  BRAID_ASSERT_OK_AND_ASSIGN(const S3Settings settings, ReadS3Settings(Options(), "s3"));
  EXPECT_EQ(settings.endpoint, "http://localhost:1");
  EXPECT_EQ(settings.region, "eu-north-1");
  EXPECT_EQ(settings.access_key, "ana");
  EXPECT_EQ(settings.secret_key, "hidden");
}

TEST_F(S3SettingsTest, IsAmazonsOwnWithoutAnyEndpoint) {
  BRAID_ASSERT_OK_AND_ASSIGN(const S3Settings settings, ReadS3Settings(Options(), "s3"));
  EXPECT_EQ(settings.endpoint, "");
  EXPECT_EQ(settings.region, "us-east-1");
  EXPECT_FALSE(settings.path_style);
}

TEST_F(S3SettingsTest, ReadsTheOptionsOfOss) {
  const Options options(Options::Map{{"fs.oss.endpoint", "https://oss-cn-hangzhou.aliyuncs.com"},
                                     {"fs.oss.accessKeyId", "ana"},
                                     {"fs.oss.accessKeySecret", "hidden"}});
  BRAID_ASSERT_OK_AND_ASSIGN(const S3Settings settings, ReadS3Settings(options, "oss"));
  EXPECT_EQ(settings.access_key, "ana");
  EXPECT_FALSE(settings.path_style) << "OSS takes the bucket from the host name alone";
  EXPECT_THAT(ReadS3Settings(Options(), "oss"), HasMessage("needs the endpoint"));
}

TEST_F(S3SettingsTest, RefusesHalfAKeyAndWhatIsNoServer) {
  const auto with = [](std::string key, std::string value) { return Options(Options::Map{{std::move(key), std::move(value)}}); };
  EXPECT_THAT(ReadS3Settings(with("s3.access-key", "ana"), "s3"), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(ReadS3Settings(with("s3.endpoint", "ftp://host"), "s3"), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(ReadS3Settings(with("s3.endpoint", "http://host/path"), "s3"), IsError(ErrorCode::kInvalidArgument));
  const auto secret = ReadS3Settings(with("s3.endpoint", "http://ana:hidden@host"), "s3");
  EXPECT_THAT(secret, IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(secret.error().ToString(), testing::Not(testing::HasSubstr("hidden")));
}

}  // namespace
}  // namespace braid
