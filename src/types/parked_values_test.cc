#include "types/parked_values.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include "types/buffer_pool.h"

namespace braid {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

/// Numbers 0, 1, … and a value of each length, its bytes all its number; a negative length is NULL.
Batch MakeRows(const std::vector<std::int64_t>& lengths) {
  arrow::Int64Builder numbers;
  arrow::BinaryBuilder values;
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    EXPECT_TRUE(numbers.Append(static_cast<std::int64_t>(row)).ok());
    const bool is_null = lengths[row] < 0;
    const std::string value(is_null ? 0 : static_cast<std::size_t>(lengths[row]), static_cast<char>('a' + row));
    EXPECT_TRUE((is_null ? values.AppendNull() : values.Append(value)).ok());
  }
  const auto schema = arrow::schema({arrow::field("n", arrow::int64()), arrow::field("v", arrow::binary())});
  return {.rows = arrow::RecordBatch::Make(schema, static_cast<std::int64_t>(lengths.size()),
                                           {numbers.Finish().ValueOrDie(), values.Finish().ValueOrDie()}),
          .kinds = nullptr};
}

/// Of this process, in KiB: memory of its own and pages of files.
std::int64_t ResidentKib(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) return std::stoll(line.substr(name.size() + 1));
  }
  return -1;
}

TEST(ParkedValuesTest, KeepsTheRows) {
  const Batch rows = MakeRows({5 * kMiB, -1, 20 * kMiB, 0});
  ParkedBatch parked = ParkLongValues(rows);
  EXPECT_EQ(parked.parked_bytes, 25 * kMiB);
  EXPECT_TRUE(parked.batch.rows->Equals(*rows.rows));
  EXPECT_EQ(LongValueBytes(parked.batch), 25 * kMiB);
  const ParkedBatch again = ParkLongValues(parked.batch);
  EXPECT_EQ(again.parked_bytes, 25 * kMiB);
  EXPECT_EQ(again.batch.rows->column(1), parked.batch.rows->column(1)) << "what is parked stays where it is";
}

TEST(ParkedValuesTest, KeepsOnlyTheBytesOfASlice) {
  const Batch rows = MakeRows({7, 18 * kMiB, 19 * kMiB, -1, 3});
  const Batch slice{rows.rows->Slice(1, 3), nullptr};
  const ParkedBatch parked = ParkLongValues(slice);
  EXPECT_EQ(parked.parked_bytes, 37 * kMiB);
  EXPECT_TRUE(parked.batch.rows->Equals(*slice.rows));
  EXPECT_EQ(ParkLongValues({parked.batch.rows->Slice(1, 1), nullptr}).parked_bytes, 19 * kMiB);
}

TEST(ParkedValuesTest, LeavesShortRowsInMemory) {
  EXPECT_EQ(LongValueBytes(MakeRows({})), 0);
  EXPECT_EQ(LongValueBytes(MakeRows({15 * kMiB})), 0);
  EXPECT_EQ(LongValueBytes(MakeRows(std::vector<std::int64_t>(40, kMiB))), 0);
  EXPECT_EQ(LongValueBytes(MakeRows({16 * kMiB})), 16 * kMiB);
}

TEST(ParkedValuesTest, TakesNoMemoryOfTheProcess) {
  constexpr std::int64_t kBytes = 200 * kMiB;
  const std::int64_t before = ResidentKib("RssAnon");
  ParkedBatch parked;
  {
    std::shared_ptr<arrow::Buffer> bytes = arrow::AllocateBuffer(kBytes, BufferPool()).ValueOrDie();
    std::memset(bytes->mutable_data(), 'a', static_cast<std::size_t>(kBytes));
    auto offsets = arrow::Buffer::FromVector(std::vector<std::int32_t>{0, static_cast<std::int32_t>(kBytes)});
    const Batch rows = MakeRows({0});
    const auto column = std::make_shared<arrow::BinaryArray>(1, std::move(offsets), std::move(bytes));
    parked = ParkLongValues({rows.rows->SetColumn(1, rows.rows->schema()->field(1), column).ValueOrDie(), nullptr});
    EXPECT_GT(ResidentKib("RssAnon") - before, 190 * 1024);
  }
  ASSERT_EQ(parked.parked_bytes, kBytes);
  const auto& values = static_cast<const arrow::BinaryArray&>(*parked.batch.rows->column(1));
  EXPECT_EQ(values.GetView(0).find_first_not_of('a'), std::string_view::npos);
  EXPECT_LT(ResidentKib("RssAnon") - before, 100 * 1024);
  const std::int64_t mapped = ResidentKib("RssFile");
  ReleasePages(values);
  EXPECT_LT(ResidentKib("RssFile"), mapped - 150 * 1024);
  EXPECT_EQ(values.GetView(0).find_first_not_of('a'), std::string_view::npos);
}

TEST(ParkedValuesTest, StaysInMemoryWhereThereIsNoFolderForIt) {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TMPDIR", "/nonexistent/folder", 1);
  const Batch rows = MakeRows({17 * kMiB});
  const ParkedBatch parked = ParkLongValues(rows);
  before == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", kept.c_str(), 1);
  EXPECT_EQ(parked.parked_bytes, 0);
  EXPECT_TRUE(parked.batch.rows->Equals(*rows.rows));
}

}  // namespace
}  // namespace braid
