#include "base/uuid.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(UuidTest, NamesAlwaysGetTheSameUuid) {
  // RFC 9562, appendix A.4, and Python's uuid.uuid5 for a name that needs two blocks.
  const std::string dns = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";
  EXPECT_EQ(NameUuid(dns, "www.example.com"), "2ed6657d-e927-568b-95e1-2665a8aea6a2");
  EXPECT_EQ(NameUuid(dns, std::string(100, 'x')), "897f5b43-a3c8-582d-9c8d-9cfe358a534d");
}

TEST(UuidTest, RandomOnesDiffer) {
  EXPECT_NE(RandomUuid(), RandomUuid());
  EXPECT_EQ(RandomUuid()[14], '4');
}

}  // namespace
}  // namespace braid
