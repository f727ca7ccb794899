// System tables over tables that Java wrote, against the rows that Java reads of them (tests/data/catalog).

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "catalog/catalog.h"
#include "types/predicate.h"
#include "types/row_json.h"

namespace braid {
namespace {

std::string FolderOf(const std::string& name) {
  return std::string(BRAID_SOURCE_DIR) + "/tests/data/catalog/" + name;
}

Result<std::shared_ptr<Catalog>> CatalogOf(const std::string& fixture) {
  return MakeFileSystemCatalog("paimon", Options({{"warehouse", FolderOf(fixture) + "/warehouse"}}));
}

Result<std::shared_ptr<const VirtualTable>> OpenVirtual(const Catalog& catalog, const std::string& name,
                                                        const Options& options = {}) {
  BRAID_TRY_ASSIGN(const Identifier identifier, Identifier::Parse(name));
  BRAID_TRY_ASSIGN(const Relation relation, catalog.Open(identifier, options));
  return std::get<std::shared_ptr<const VirtualTable>>(relation);
}

// Rows as `braid read` prints them, with the warehouse's folder replaced by its name, sorted.
Result<std::vector<std::string>> ReadLines(const Catalog& catalog, const std::string& name, const Options& options,
                                           const ReadRequest& request) {
  BRAID_TRY_ASSIGN(const auto table, OpenVirtual(catalog, name, options));
  std::vector<DataField> fields = table->fields();
  if (request.projection) {
    fields.clear();
    for (const std::string& column : *request.projection)
      fields.push_back(table->fields()[*FindField(table->fields(), column)]);
  }
  BRAID_TRY_ASSIGN(const auto reader, ReadVirtualTable(*table, request));
  BRAID_TRY_ASSIGN(const std::vector<Batch> batches, ReadAllBatches(*reader));
  std::vector<std::string> lines;
  for (const Batch& batch : batches) {
    for (std::int64_t row = 0; row < batch.row_count(); ++row) {
      std::string line = R"({"kind":")" + std::string(RowKindName(batch.kind(row))) + R"(","row":)";
      AppendRowJson(batch, row, fields, line);
      line += "}";
      if (const std::size_t at = line.find(catalog.warehouse()); at != std::string::npos)
        line.replace(at, catalog.warehouse().size(), "$WAREHOUSE");
      lines.push_back(std::move(line));
    }
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::vector<std::string> LinesOf(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  EXPECT_TRUE(file.is_open()) << path;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

struct Golden {
  std::string fixture;
  std::string table;
  std::string expected;
  Options options = {};
  std::optional<std::vector<std::string>> projection = {};
};

class SystemTablesTest : public testing::TestWithParam<Golden> {
 protected:
  void SetUp() override {
    setenv("TZ", "UTC", 1);
    tzset();
  }
};

TEST_P(SystemTablesTest, HaveTheRowsThatJavaReads) {
  const Golden& golden = GetParam();
  BRAID_ASSERT_OK_AND_ASSIGN(const auto catalog, CatalogOf(golden.fixture));
  ReadRequest request;
  request.projection = golden.projection;
  BRAID_ASSERT_OK_AND_ASSIGN(const auto lines, ReadLines(*catalog, golden.table, golden.options, request));
  EXPECT_EQ(lines, LinesOf(FolderOf(golden.fixture) + "/expected/" + golden.expected + ".jsonl"));
}

INSTANTIATE_TEST_SUITE_P(
    Golden, SystemTablesTest,
    testing::Values(
        Golden{"append_unaware", "g.t$manifests", "t-_manifests"},
        Golden{"append_unaware", "g.t$options", "t-_options"},
        Golden{"branches_fallback", "g.t$partitions", "t-_partitions"},
        Golden{"branches_fast_forward", "g.t$snapshots", "t-_snapshots"},
        Golden{"branches_fast_forward", "g.t$branches", "t-_branches", {}, {{"branch_name"}}},
        Golden{"data_evolution", "g.t$files", "t-_files"},
        Golden{"deletion_vectors_32", "g.pk$table_indexes", "pk-_table_indexes"},
        Golden{"evolution_avro", "g.append$files", "append-_files"},
        Golden{"pk_aggregation", "g.t$aggregation_fields", "t-_aggregation_fields"},
        Golden{"pk_deduplicate", "g.t$files", "t-_files"}, Golden{"pk_deduplicate", "g.t$audit_log", "t-_audit_log"},
        Golden{"pk_deduplicate", "g.t$binlog", "t-_binlog"}, Golden{"pk_deduplicate", "g.t$ro", "t-_ro"},
        Golden{"pk_partitioned", "g.t$partitions", "t-_partitions"},
        Golden{"pk_partitioned", "g.t$buckets", "t-_buckets"}, Golden{"statistics", "g.t$statistics", "t-_statistics"},
        Golden{"statistics", "g.t$statistics", "statistics-3", Options(Options::Map{{"scan.snapshot-id", "3"}})},
        Golden{"tags", "g.t$tags", "t-_tags"}),
    [](const testing::TestParamInfo<Golden>& golden) {
      std::string name = golden.param.fixture + "_" + golden.param.expected;
      std::replace_if(name.begin(), name.end(), [](char c) { return c == '-' || c == '$'; }, '_');
      return name;
    });

// Columns as Java's classes declare them.
TEST(SystemTableColumnsTest, AreThoseOfJava) {
  struct Case {
    std::string table;
    std::string columns;
  };
  const std::vector<Case> cases = {
      {"snapshots",
       "snapshot_id BIGINT NOT NULL, schema_id BIGINT NOT NULL, commit_user STRING NOT NULL, commit_identifier BIGINT "
       "NOT NULL, "
       "commit_kind STRING NOT NULL, commit_time TIMESTAMP(3) NOT NULL, base_manifest_list STRING NOT NULL, "
       "delta_manifest_list STRING NOT NULL, changelog_manifest_list STRING, total_record_count BIGINT, "
       "delta_record_count BIGINT, "
       "changelog_record_count BIGINT, watermark BIGINT, next_row_id BIGINT"},
      {"schemas",
       "schema_id BIGINT NOT NULL, fields STRING NOT NULL, partition_keys STRING NOT NULL, primary_keys STRING NOT "
       "NULL, "
       "options STRING NOT NULL, comment STRING, update_time TIMESTAMP(3) NOT NULL"},
      {"consumers", "consumer_id STRING NOT NULL, next_snapshot_id BIGINT NOT NULL"},
      {"branches",
       "branch_name STRING NOT NULL, create_time TIMESTAMP(3) NOT NULL, tag_name STRING, tagged_snapshot_id BIGINT, "
       "parent_branch STRING, fork_snapshot_id BIGINT, latest_snapshot_id BIGINT, origin STRING NOT NULL, "
       "is_main BOOLEAN NOT NULL, branch_id STRING"},
      {"merges",
       "source STRING, target STRING, base_snapshot_id BIGINT, source_snapshot_id BIGINT NOT NULL, "
       "target_snapshot_id BIGINT NOT NULL, strategy STRING NOT NULL, merge_time TIMESTAMP(3) NOT NULL"},
      {"buckets",
       "partition STRING, bucket INT NOT NULL, record_count BIGINT NOT NULL, file_size_in_bytes BIGINT NOT NULL, "
       "file_count BIGINT NOT NULL, last_update_time TIMESTAMP(3)"},
      {"audit_log", "rowkind STRING, k INT NOT NULL, v STRING, n BIGINT"},
      {"binlog", "rowkind STRING, k ARRAY<INT>, v ARRAY<STRING>, n ARRAY<BIGINT>"},
      {"ro", "k INT NOT NULL, v STRING, n BIGINT"},
  };
  BRAID_ASSERT_OK_AND_ASSIGN(const auto catalog, CatalogOf("pk_deduplicate"));
  for (const Case& c : cases) {
    SCOPED_TRACE(c.table);
    BRAID_ASSERT_OK_AND_ASSIGN(const auto table, OpenVirtual(*catalog, "g.t$" + c.table));
    std::string columns;
    for (const DataField& field : table->fields())
      columns += (columns.empty() ? "" : ", ") + field.name + " " + field.type.ToString();
    EXPECT_EQ(columns, c.columns);
  }
}

TEST(SystemTablesOfTableTest, FilterOnKindsAndColumnsOfTheLog) {
  BRAID_ASSERT_OK_AND_ASSIGN(const auto catalog, CatalogOf("pk_deduplicate"));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto log, OpenVirtual(*catalog, "g.t$audit_log"));
  ReadRequest request;
  request.projection = {"rowkind", "k"};
  BRAID_ASSERT_OK_AND_ASSIGN(request.filter, ParseFilter("rowkind = '-D' AND k < 3", log->fields()));
  EXPECT_THAT(ReadLines(*catalog, "g.t$audit_log", {}, request),
              HasValue(testing::ElementsAre(R"({"kind":"+I","row":{"rowkind":"-D","k":1}})")));
}

TEST(SystemTablesOfTableTest, NameTheSystemTablesThereAreForAnUnknownOne) {
  BRAID_ASSERT_OK_AND_ASSIGN(const auto catalog, CatalogOf("pk_deduplicate"));
  const auto opened = OpenVirtual(*catalog, "g.t$nothing");
  EXPECT_THAT(opened, IsError(ErrorCode::kNotFound));
  EXPECT_THAT(opened, HasMessage("$snapshots"));
}

TEST(SystemTablesOfTableTest, RefuseRowIdsWhereRowsAreNotTracked) {
  BRAID_ASSERT_OK_AND_ASSIGN(const auto catalog, CatalogOf("pk_deduplicate"));
  const auto opened = OpenVirtual(*catalog, "g.t$row_tracking");
  EXPECT_THAT(opened, IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(opened, HasMessage("does not track its rows"));
}

}  // namespace
}  // namespace braid
