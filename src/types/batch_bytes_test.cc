#include "types/batch_bytes.h"

#include <string>
#include <vector>

#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include "types/batch.h"

namespace braid {
namespace {

std::shared_ptr<arrow::RecordBatch> Texts(const std::vector<std::size_t>& lengths) {
  std::vector<DatumList> rows;
  for (const std::size_t length : lengths) rows.push_back({Datum(std::string(length, 'x'))});
  const std::vector<DataField> fields = {
      {.id = FieldId(0), .name = "text", .type = DataType::String(), .description = {}, .default_value = {}}};
  return MakeBatch(fields, rows).value().rows;
}

TEST(BatchBytesTest, ASliceUsesLessThanItHolds) {
  const auto rows = Texts({1000, 1000, 1000, 1000});
  const RowBytes bytes = BytesOf(*rows->Slice(1, 1));
  EXPECT_GE(bytes.used, 1000);
  EXPECT_LT(bytes.used, 1100);
  EXPECT_GE(bytes.held, 4000);
}

TEST(BatchBytesTest, TakesRowsUpToABoundOfRowsAndOfBytes) {
  const auto narrow = Texts(std::vector<std::size_t>(100, 1));
  EXPECT_EQ(RowsWithin(*narrow, 0, 64, 1 << 20), 64);
  EXPECT_EQ(RowsWithin(*narrow, 90, 64, 1 << 20), 10);
  const auto wide = Texts(std::vector<std::size_t>(100, 1000));
  const std::int64_t count = RowsWithin(*wide, 0, 64, 10'000);
  EXPECT_GE(count, 4);
  EXPECT_LT(count, 10);
}

TEST(BatchBytesTest, TakesOneRowHoweverLong) {
  const auto rows = Texts({1, 100'000, 1});
  EXPECT_EQ(RowsWithin(*rows, 1, 8192, 1000), 1);
}

}  // namespace
}  // namespace braid
