#include "base/sha2.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

// The examples that NIST publishes beside FIPS 180-4.
TEST(Sha2Test, GivesThePublishedDigests) {
  EXPECT_EQ(Sha2Hex("abc", 256), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha2Hex("", 256), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha2Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 256),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Sha2Hex("abc", 224), "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7");
}

}  // namespace
}  // namespace braid
