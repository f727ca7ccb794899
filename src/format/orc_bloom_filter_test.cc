#include "format/orc_bloom_filter.h"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/orc_proto.h"

namespace braid {
namespace {

/// What the message of a filter says: hash functions, size in bytes and the bits that are set.
struct Told {
  std::uint64_t hash_count = 0;
  std::size_t byte_count = 0;
  std::set<std::size_t> bits;
};
Told Take(OrcBloomFilter& filter) {
  const std::string message = filter.Take();
  OrcMessageReader reader(message);
  Told told;
  while (const auto field = reader.Next()) {
    if (field->number == 1) told.hash_count = field->value;
    if (field->number != 3) continue;
    told.byte_count = field->bytes.size();
    for (std::size_t i = 0; i < field->bytes.size() * 8; ++i) {
      if ((static_cast<unsigned char>(field->bytes[i / 8]) >> (i % 8) & 1) != 0) told.bits.insert(i);
    }
  }
  return told;
}

// The bits that Java's and C++'s libraries set.
TEST(OrcBloomFilterTest, SetsTheBitsThatJavaLooksFor) {
  OrcBloomFilter filter(128, 0.05);
  filter.AddInteger(1);
  EXPECT_THAT(Take(filter).bits, testing::UnorderedElementsAre(567, 288, 246, 306, 228));
  filter.AddInteger(11);
  EXPECT_THAT(Take(filter).bits, testing::UnorderedElementsAre(228, 285, 342, 399, 456));
  filter.AddInteger(-1111);
  EXPECT_THAT(Take(filter).bits, testing::UnorderedElementsAre(572, 680, 818, 434, 232));
  filter.AddDouble(1.1);
  EXPECT_THAT(Take(filter).bits, testing::UnorderedElementsAre(522, 692, 12, 370, 753));
  filter.AddBytes("");
  EXPECT_THAT(Take(filter).bits, testing::UnorderedElementsAre(656, 807, 480, 151, 304));
  filter.AddBytes("english");
  EXPECT_THAT(Take(filter).bits, testing::UnorderedElementsAre(576, 221, 68, 729, 392));
}

TEST(OrcBloomFilterTest, IsAsLargeAsJavas) {
  // -10000 ln(0.01) / ln(2)^2 = 95850 bits, filled up to the next 64; 95872 / 10000 ln(2) = 6.6.
  OrcBloomFilter filter(10'000, 0.01);
  const Told told = Take(filter);
  EXPECT_EQ(told.hash_count, 7U);
  EXPECT_EQ(told.byte_count, 95'872U / 8);
  EXPECT_TRUE(told.bits.empty());
}

}  // namespace
}  // namespace braid
