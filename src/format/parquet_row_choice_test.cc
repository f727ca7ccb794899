#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/parquet_format.h"
#include "format/rows_testing.h"

namespace braid {
namespace {

// Rows of which a filter wants few are chosen before their other columns are read.
TEST(ParquetTest, LeavesOutSingleRowsWhereItMay) {
  const std::vector<DataField> fields = MakeFields(
      {{"k", DataType::Int()}, {"s", DataType::String()}, {"a", DataType::Array(DataType::Int())}, {"d", DataType::Decimal(12, 2)}});
  std::vector<DatumList> rows;
  for (int k = 0; k < 30'000; ++k) {
    const Datum text = k % 7 == 0 ? Datum() : Datum("text " + std::to_string(k));
    rows.push_back({k % 5 == 0 ? Datum() : Datum(k), text, DatumList{k, k + 1}, Decimal{k}});
  }
  MemoryFileSystem files;
  const Options options(Options::Map{{"parquet.block.size", "200000"}});
  ASSERT_THAT(WriteFile(ParquetFormat(), files, "/f.parquet", fields, rows, options), IsOk());
  using Op = Predicate::Op;
  const auto leaf = [](Op op, DatumList literals) { return Predicate::Leaf(op, "k", DataType::Int(), std::move(literals)); };
  struct Case {
    PredicatePtr filter;
    bool leaves_out;  // single rows, not only row groups
  };
  const std::vector<Case> cases = {
      {leaf(Op::kIn, {3, 4, 6, 9'001, 29'999}), true},
      {leaf(Op::kBetween, {1'000, 1'300}), true},
      {Predicate::And({leaf(Op::kGreater, {20}), Predicate::Leaf(Op::kEndsWith, "s", DataType::String(), {"77"})}), true},
      {leaf(Op::kIsNotNull, {}), false},  // most rows
      // The column "gone" is not read: what is known of k alone decides.
      {Predicate::And({leaf(Op::kIn, {17, 21'001}), Predicate::Leaf(Op::kEqual, "gone", DataType::Int(), {1})}), true},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.filter->ToString());
    BRAID_ASSERT_OK_AND_ASSIGN(
        const auto reader,
        ParquetFormat().OpenReader(files, "/f.parquet", {.columns = fields, .filter = c.filter, .drops_rows = true}));
    const PredicatePtr tested = Predicate::Project(c.filter, std::vector<std::string>{"k", "s"});
    std::vector<DatumList> read;
    std::vector<DatumList> expected;
    std::int64_t next = 0;
    for (;;) {
      BRAID_ASSERT_OK_AND_ASSIGN(const auto batch, reader->Next());
      if (!batch) break;
      const auto positions = reader->positions_of_last_batch();
      ASSERT_TRUE(positions.empty() || static_cast<std::int64_t>(positions.size()) == batch->row_count());
      for (std::int64_t row = 0; row < batch->row_count(); ++row) {
        const std::int64_t position =
            positions.empty() ? reader->first_row_of_last_batch() + row : positions[static_cast<std::size_t>(row)];
        ASSERT_GE(position, next);
        // Whatever was left out does not pass.
        for (; next < position; ++next) ASSERT_FALSE(tested->Test(fields, rows[static_cast<std::size_t>(next)])) << next;
        ++next;
        expected.push_back(rows[static_cast<std::size_t>(position)]);
        DatumList values;
        for (std::size_t i = 0; i < fields.size(); ++i) {
          values.push_back(DatumAt(*batch->rows->column(static_cast<int>(i)), row, fields[i].type));
        }
        read.push_back(std::move(values));
      }
    }
    for (; next < 30'000; ++next) ASSERT_FALSE(tested->Test(fields, rows[static_cast<std::size_t>(next)])) << next;
    ExpectSameRows(read, expected, fields);
    const auto passing = std::ranges::count_if(rows, [&](const DatumList& row) { return tested->Test(fields, row); });
    EXPECT_EQ(read.size(), c.leaves_out ? static_cast<std::size_t>(passing) : rows.size());
  }
}

}  // namespace
}  // namespace braid
