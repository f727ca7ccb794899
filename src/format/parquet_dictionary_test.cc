#include "format/parquet_dictionary.h"

#include <memory>
#include <string>
#include <vector>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

template <typename Builder, typename ValueOf>
std::shared_ptr<arrow::Array> Column(int rows, ValueOf value_of) {
  Builder builder;
  for (int row = 0; row < rows; ++row) EXPECT_TRUE(builder.Append(value_of(row)).ok());
  return *builder.Finish();
}

TEST(ParquetDictionaryTest, PaysWhereValuesRepeat) {
  const auto repeated = Column<arrow::Int64Builder>(8192, [](int row) { return row % 100; });
  EXPECT_TRUE(DictionaryPays(*repeated));
  const auto texts = Column<arrow::StringBuilder>(8192, [](int row) { return fmt::format("cat-{:010}", row % 1000); });
  EXPECT_TRUE(DictionaryPays(*texts));
}

TEST(ParquetDictionaryTest, DoesNotPayWhereValuesAreUnique) {
  EXPECT_FALSE(DictionaryPays(*Column<arrow::Int64Builder>(8192, [](int row) { return row; })));
  EXPECT_FALSE(
      DictionaryPays(*Column<arrow::StringBuilder>(8192, [](int row) { return fmt::format("user-{}", row); })));
}

// 8 values of 4 bytes are 32 bytes plain. With 7 distinct ones: 28 bytes and 8 indexes of 3 bits, 31 bytes; with 8: 35.
TEST(ParquetDictionaryTest, ComparesTheBytesOfBothEncodings) {
  EXPECT_TRUE(DictionaryPays(*Column<arrow::Int32Builder>(8, [](int row) { return row % 7; })));
  EXPECT_FALSE(DictionaryPays(*Column<arrow::Int32Builder>(8, [](int row) { return row; })));
}

TEST(ParquetDictionaryTest, LooksAtTheRowsOfASliceThatAreThere) {
  arrow::Int32Builder builder;
  for (int row = 0; row < 100; ++row) ASSERT_TRUE(builder.Append(1).ok());
  for (int row = 0; row < 100; ++row) ASSERT_TRUE((row % 2 == 0 ? builder.AppendNull() : builder.Append(row)).ok());
  const std::shared_ptr<arrow::Array> column = *builder.Finish();
  EXPECT_TRUE(DictionaryPays(*column->Slice(0, 100)));
  EXPECT_FALSE(DictionaryPays(*column->Slice(100)));
}

TEST(ParquetDictionaryTest, LeavesOtherTypesAndEmptyColumnsAlone) {
  EXPECT_TRUE(DictionaryPays(*Column<arrow::BooleanBuilder>(3, [](int row) { return row == 1; })));
  EXPECT_TRUE(DictionaryPays(*Column<arrow::Int64Builder>(0, [](int row) { return row; })));
}

}  // namespace
}  // namespace braid
