#include "catalog/virtual_table.h"

#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "types/predicate.h"
#include "types/row_json.h"

namespace braid {
namespace {

const std::vector<DataField> kFields = {
    {.id = FieldId(0), .name = "n", .type = DataType::BigInt().NotNull(), .description = {}, .default_value = {}},
    {.id = FieldId(1), .name = "s", .type = DataType::String(), .description = {}, .default_value = {}},
};

std::shared_ptr<const VirtualTable> ThreeRows() {
  return MakeRowsTable(kFields, {{1, "one"}, {2, Datum()}, {3, "three"}});
}

Result<std::vector<std::string>> Read(const VirtualTable& table, const ReadRequest& request,
                                      const std::vector<DataField>& fields) {
  BRAID_TRY_ASSIGN(const auto reader, ReadVirtualTable(table, request));
  BRAID_TRY_ASSIGN(const std::vector<Batch> batches, ReadAllBatches(*reader));
  std::vector<std::string> rows;
  for (const Batch& batch : batches) {
    for (std::int64_t row = 0; row < batch.row_count(); ++row) AppendRowJson(batch, row, fields, rows.emplace_back());
  }
  return rows;
}

TEST(VirtualTableTest, GivesAllRowsAndColumnsByDefault) {
  EXPECT_THAT(Read(*ThreeRows(), {}, kFields),
              HasValue(testing::ElementsAre(R"({"n":1,"s":"one"})", R"({"n":2,"s":null})", R"({"n":3,"s":"three"})")));
}

TEST(VirtualTableTest, FiltersByColumnsThatAreNotShown) {
  ReadRequest request;
  request.projection = {"s"};
  BRAID_ASSERT_OK_AND_ASSIGN(request.filter, ParseFilter("n >= 2", kFields));
  EXPECT_THAT(Read(*ThreeRows(), request, {kFields[1]}),
              HasValue(testing::ElementsAre(R"({"s":null})", R"({"s":"three"})")));
}

TEST(VirtualTableTest, RefusesAnUnknownColumn) {
  ReadRequest request;
  request.projection = {"x"};
  EXPECT_THAT(Read(*ThreeRows(), request, kFields), IsError(ErrorCode::kNotFound));
}

TEST(VirtualTableTest, ComputesItsRowsAtEachRead) {
  int reads = 0;
  const auto table = MakeComputedTable(
      kFields, [&reads]() -> Result<std::vector<DatumList>> { return std::vector<DatumList>{{++reads, Datum()}}; });
  EXPECT_EQ(reads, 0);
  EXPECT_THAT(Read(*table, {}, kFields), HasValue(testing::ElementsAre(R"({"n":1,"s":null})")));
  EXPECT_THAT(Read(*table, {}, kFields), HasValue(testing::ElementsAre(R"({"n":2,"s":null})")));
}

TEST(VirtualTableTest, PassesOnTheErrorOfComputing) {
  const auto table =
      MakeComputedTable(kFields, []() -> Result<std::vector<DatumList>> { return Error(ErrorCode::kIo, "no disk"); });
  EXPECT_THAT(Read(*table, {}, kFields), IsError(ErrorCode::kIo));
}

}  // namespace
}  // namespace braid
