#include "io/file_system.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(FileSystemPathTest, JoinsWithExactlyOneSlash) {
  EXPECT_EQ(JoinPath("/a", "b"), "/a/b");
  EXPECT_EQ(JoinPath("/a/", "/b/c"), "/a/b/c");
  EXPECT_EQ(JoinPath("/", "b"), "/b");
}

TEST(FileSystemPathTest, SplitsAtTheLastSlash) {
  EXPECT_EQ(BaseName("/a/b"), "b");
  EXPECT_EQ(DirectoryName("/a/b"), "/a");
  EXPECT_EQ(BaseName("b"), "b");
  EXPECT_EQ(DirectoryName("b"), "");
  EXPECT_EQ(DirectoryName("/b"), "");
}

}  // namespace
}  // namespace braid
