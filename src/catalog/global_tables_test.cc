#include "catalog/global_tables.h"

#include <cstdlib>
#include <ctime>

#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "types/row_json.h"

namespace braid {
namespace {

using testing::ElementsAre;

// The rows are those that Java's `sys` tables have for this warehouse.
class GlobalTablesTest : public testing::Test {
 protected:
  void SetUp() override {
    setenv("TZ", "UTC", 1);
    tzset();
  }

  Result<std::vector<std::string>> Read(const std::string& name) const {
    const WarehouseFolder warehouse(LocalFileSystem(), root_);
    const Catalog::VirtualDatabase tables = GlobalSystemTables(warehouse, Options(Options::Map{{"warehouse", "/w"}}));
    const VirtualTable& table = *tables.at(name);
    BRAID_TRY_ASSIGN(const auto reader, table.Open({}));
    BRAID_TRY_ASSIGN(const std::vector<Batch> batches, ReadAllBatches(*reader));
    std::vector<std::string> rows;
    for (const Batch& batch : batches) {
      for (std::int64_t row = 0; row < batch.row_count(); ++row) {
        std::string& text = rows.emplace_back();
        AppendRowJson(batch, row, table.fields(), text);
        if (const std::size_t at = text.find(root_); at != std::string::npos)
          text.replace(at, root_.size(), "$WAREHOUSE");
      }
    }
    return rows;
  }

  std::string root_ = std::string(BRAID_SOURCE_DIR) + "/tests/data/catalog/pk_partitioned/warehouse";
};

TEST_F(GlobalTablesTest, TellOptionsAndPathsOfTables) {
  EXPECT_THAT(
      Read("all_table_options"),
      HasValue(ElementsAre(R"({"database_name":"g","table_name":"t","key":"bucket","value":"1"})",
                           R"({"database_name":"g","table_name":"t","key":"path","value":"$WAREHOUSE/g.db/t"})")));
}

TEST_F(GlobalTablesTest, TellTheCatalogsOptions) {
  EXPECT_THAT(Read("catalog_options"), HasValue(ElementsAre(R"({"key":"warehouse","value":"/w"})")));
}

TEST_F(GlobalTablesTest, TellTables) {
  EXPECT_THAT(
      Read("tables"),
      HasValue(ElementsAre(
          R"({"database_name":"g","table_name":"t","table_type":"table","partitioned":true,"primary_key":true,)"
          R"("owner":null,"created_at":null,"created_by":null,"updated_at":null,"updated_by":null,)"
          R"("record_count":null,"file_size_in_bytes":null,"file_count":null,"last_file_creation_time":null})")));
}

TEST_F(GlobalTablesTest, TellPartitions) {
  EXPECT_THAT(
      Read("partitions"),
      HasValue(testing::UnorderedElementsAre(
          R"({"database_name":"g","table_name":"t","partition_name":"dt=2024-01-01/h=0","record_count":1,"file_size_in_bytes":1429,)"
          R"("file_count":1,"last_file_creation_time":1795966942543,"done":false})",
          R"({"database_name":"g","table_name":"t","partition_name":"dt=2024-01-01/h=1","record_count":1,"file_size_in_bytes":1423,)"
          R"("file_count":1,"last_file_creation_time":1795966942495,"done":false})",
          R"({"database_name":"g","table_name":"t","partition_name":"dt=__DEFAULT_PARTITION__/h=5","record_count":1,)"
          R"("file_size_in_bytes":1353,"file_count":1,"last_file_creation_time":1795966942524,"done":false})")));
}

}  // namespace
}  // namespace braid
