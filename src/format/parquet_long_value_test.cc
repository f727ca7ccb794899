#include "format/parquet_long_value.h"

#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/memory_pool.h>
#include <gtest/gtest.h>
#include <parquet/column_page.h>
#include <parquet/schema.h>

namespace braid {
namespace {

using parquet::Encoding;

/// Pages as given.
class Pages : public parquet::PageReader {
 public:
  explicit Pages(std::shared_ptr<parquet::Page> page) : page_(std::move(page)) {}
  std::shared_ptr<parquet::Page> NextPage() override { return std::exchange(page_, nullptr); }
  void set_max_page_header_size(std::uint32_t) override {}

 private:
  std::shared_ptr<parquet::Page> page_;
};

parquet::ColumnDescriptor Column(bool optional) {
  const auto repetition = optional ? parquet::Repetition::OPTIONAL : parquet::Repetition::REQUIRED;
  return {parquet::schema::PrimitiveNode::Make("c", repetition, parquet::Type::BYTE_ARRAY),
          static_cast<std::int16_t>(optional), 0};
}

arrow::Result<std::shared_ptr<arrow::Array>> Read(std::shared_ptr<parquet::Page> page, bool optional) {
  Pages pages(std::move(page));
  const std::shared_ptr<arrow::MemoryPool> pool(arrow::default_memory_pool(), [](arrow::MemoryPool*) {});
  return ReadLongValue(pages, Column(optional), pool);
}

std::shared_ptr<parquet::Page> Version1(const std::string& bytes, Encoding::type encoding = Encoding::PLAIN,
                                        int values = 1) {
  return std::make_shared<parquet::DataPageV1>(arrow::Buffer::FromString(bytes), values, encoding, Encoding::RLE,
                                               Encoding::RLE, bytes.size());
}

std::shared_ptr<parquet::Page> Version2(const std::string& bytes, int definition_bytes, int repetition_bytes = 0) {
  return std::make_shared<parquet::DataPageV2>(arrow::Buffer::FromString(bytes), 1, 0, 1, Encoding::PLAIN,
                                               definition_bytes, repetition_bytes, bytes.size());
}

std::string Bytes(std::initializer_list<int> bytes) {
  std::string text;
  for (const int byte : bytes) text += static_cast<char>(byte);
  return text;
}

// A run of one level is its length twice, then the level; before it version 1 has the number of bytes.
TEST(ParquetLongValueTest, TakesTheValueFromAPageOfEitherVersion) {
  const std::string value = Bytes({3, 0, 0, 0}) + "abc";
  for (const auto& [page, optional] :
       {std::pair(Version1(value), false), std::pair(Version1(Bytes({2, 0, 0, 0, 2, 1}) + value), true),
        std::pair(Version2(value, 0), false), std::pair(Version2(Bytes({2, 1}) + value, 2), true)}) {
    const auto read = Read(page, optional);
    ASSERT_TRUE(read.ok()) << read.status().ToString();
    EXPECT_EQ(static_cast<const arrow::BinaryArray&>(**read).GetString(0), "abc");
  }
}

TEST(ParquetLongValueTest, KnowsANullByItsLevel) {
  const auto read = Read(Version1(Bytes({2, 0, 0, 0, 2, 0})), true);
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_TRUE((*read)->IsNull(0));
}

TEST(ParquetLongValueTest, RefusesPagesThatAreDamaged) {
  const std::string value = Bytes({3, 0, 0, 0}) + "abc";
  const std::vector<std::shared_ptr<parquet::Page>> pages = {
      nullptr,
      Version1(""),
      Version1(Bytes({3, 0, 0})),
      Version1(Bytes({3, 0, 0, 0}) + "ab"),
      Version1(Bytes({255, 255, 255, 255}) + "abc"),
      Version1(value, Encoding::DELTA_BYTE_ARRAY),
      Version1(value, Encoding::PLAIN, 2),
      Version2(value, 100),
      Version2(value, -1),
      Version2(value, 0, 4),
      std::make_shared<parquet::DictionaryPage>(arrow::Buffer::FromString(value), 1, Encoding::PLAIN)};
  for (std::size_t i = 0; i < pages.size(); ++i) EXPECT_FALSE(Read(pages[i], false).ok()) << i;
}

}  // namespace
}  // namespace braid
