#include "base/secret_option.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(SecretOptionTest, KnowsWhatMustNotBeShown) {
  for (const char* key : {"s3.secret-key", "s3.access-key", "fs.s3a.access.key", "fs.oss.accessKeySecret", "metadata.jdbc.password",
                          "s3.session-token", "fs.azure.account.key"}) {
    EXPECT_TRUE(IsSecretOption(key)) << key;
  }
  for (const char* key : {"warehouse", "s3.endpoint", "s3.region", "bucket-key", "primary-key", "sequence.field"}) {
    EXPECT_FALSE(IsSecretOption(key)) << key;
  }
}

}  // namespace
}  // namespace braid
