// The database `paimon` (alias `sys`): catalog options and lineage as tables (spec lineage.md §2, §6).

#include <array>
#include <functional>
#include <utility>

#include "base/log.h"
#include "base/secret_option.h"
#include "io/request_pool.h"
#include "lineage/lineage.h"

namespace braid {

namespace {

struct ViewColumn {
  const char* name;
  enum class Kind { kText, kNumber, kTime, kFlag } kind;
};

constexpr auto kText = ViewColumn::Kind::kText;
constexpr auto kNumber = ViewColumn::Kind::kNumber;
constexpr auto kTime = ViewColumn::Kind::kTime;
constexpr auto kFlag = ViewColumn::Kind::kFlag;

struct View {
  const char* table;  // in the system database
  const char* view;   // in the store
  std::vector<ViewColumn> columns;
};

const std::vector<View>& Views() {
  static const std::vector<ViewColumn> kJobColumns = {{"job", kText}, {"database", kText}, {"table", kText}, {"create_time", kTime}};
  static const std::vector<ViewColumn> kSnapshotColumns = {{"job", kText}, {"barrier_id", kNumber}, {"database", kText}, {"table", kText}, {"snapshot_id", kNumber}, {"create_time", kTime}};
  static const std::vector<ViewColumn> kTableColumns = {{"database_name", kText}, {"table_name", kText}, {"job_name", kText}, {"create_time", kTime}};
  static const std::vector<View> views = {
      {"source_job_lineage", "source_job_lineage", kJobColumns},
      {"sink_job_lineage", "sink_job_lineage", kJobColumns},
      {"source_snapshot_lineage", "source_snapshot_lineage", kSnapshotColumns},
      {"sink_snapshot_lineage", "sink_snapshot_lineage", kSnapshotColumns},
      {"source_table_lineage", "source_table_lineage", kTableColumns},
      {"sink_table_lineage", "sink_table_lineage", kTableColumns},
      {"job_runs", "job_runs", {{"job", kText}, {"run_id", kText}, {"generation", kNumber}, {"attempt", kNumber}, {"mode", kText}, {"state", kText}, {"start_time", kTime},
                                {"end_time", kTime}, {"commit_user", kText}, {"engine", kText}, {"sql_text", kText}, {"error", kText}}},
      {"job_lineage", "job_lineage", {{"job", kText}, {"run_id", kText}, {"role", kText}, {"database", kText}, {"table", kText}, {"table_uuid", kText}, {"branch", kText},
                                      {"is_current", kFlag}, {"create_time", kTime}}},
      {"snapshot_lineage", "snapshot_lineage", {{"job", kText}, {"run_id", kText}, {"generation", kNumber}, {"barrier_id", kNumber}, {"complete", kFlag}, {"role", kText},
                                                {"database", kText}, {"table", kText}, {"table_uuid", kText}, {"branch", kText}, {"mode", kText}, {"from_snapshot", kNumber},
                                                {"to_snapshot", kNumber}, {"to_identity", kText}, {"first_snapshot", kNumber}, {"last_snapshot", kNumber}, {"state", kText},
                                                {"create_time", kTime}}},
      {"snapshot_ranges", "snapshot_ranges", {{"job", kText}, {"run_id", kText}, {"barrier_id", kNumber}, {"source_table", kText}, {"source_branch", kText}, {"from_snapshot", kNumber},
                                              {"to_snapshot", kNumber}, {"sink_table", kText}, {"sink_branch", kText}, {"sink_snapshot", kNumber}, {"sink_identity", kText},
                                              {"sink_state", kText}}},
      {"snapshot_writers", "snapshot_writers", {{"database", kText}, {"table", kText}, {"branch", kText}, {"snapshot_id", kNumber}, {"identity", kText}, {"kind", kText},
                                                {"commit_time", kTime}, {"commit_user", kText}, {"commit_identifier", kNumber}, {"job", kText}, {"run_id", kText},
                                                {"barrier_id", kNumber}, {"state", kText}}},
      {"datasets", "dataset_list", {{"kind", kText}, {"namespace", kText}, {"name", kText}, {"database", kText}, {"table", kText}, {"table_uuid", kText}, {"create_time", kTime},
                                    {"drop_time", kTime}}},
  };
  return views;
}

DataType TypeOf(ViewColumn::Kind kind) {
  switch (kind) {
    case kText: return DataType::String();
    case kNumber: return DataType::BigInt();
    case kTime: return DataType::Timestamp(3);
    case kFlag: return DataType::Boolean();
  }
  return DataType::String();
}

// What the store gives as a number becomes what the column is.
Datum ToColumn(Datum stored, ViewColumn::Kind kind) {
  if (stored.is_null()) return stored;
  if (kind == kTime) return Timestamp{stored.as_int(), 0};
  if (kind == kFlag) return stored.as_int() != 0;
  return stored;
}

class LineageTable : public VirtualTable {
 public:
  LineageTable(std::weak_ptr<Lineage> lineage, const View& view) : lineage_(std::move(lineage)), view_(view) {
    std::int32_t id = 0;
    for (const ViewColumn& column : view.columns) {
      fields_.push_back({.id = FieldId(id++), .name = column.name, .type = TypeOf(column.kind), .description = {}, .default_value = {}});
    }
  }

  const std::vector<DataField>& fields() const override { return fields_; }

  Result<std::unique_ptr<BatchReader>> Open(const ReadRequest& /*request*/) const override {
    const std::shared_ptr<Lineage> lineage = lineage_.lock();
    if (lineage == nullptr) return Error(ErrorCode::kUnavailable, "the catalog of this lineage table has been closed");
    BRAID_TRY(lineage->CatchUp());
    BRAID_TRY_ASSIGN(std::vector<DatumList> rows, lineage->store().Query(view_.view));
    for (DatumList& row : rows) {
      for (std::size_t i = 0; i < row.size(); ++i) row[i] = ToColumn(std::move(row[i]), view_.columns[i].kind);
    }
    BRAID_TRY_ASSIGN(Batch batch, MakeBatch(fields_, rows));
    std::vector<Batch> batches;
    batches.push_back(std::move(batch));
    return MakeBatchReader(std::move(batches));
  }

 private:
  std::weak_ptr<Lineage> lineage_;  // the lineage holds the catalog, which holds this table
  View view_;
  std::vector<DataField> fields_;
};

std::shared_ptr<const VirtualTable> CatalogOptionsTable(const Options& options) {
  std::vector<DatumList> rows;
  for (const auto& [key, value] : options.values()) rows.push_back({key, IsSecretOption(key) ? std::string("******") : value});
  return MakeRowsTable({{.id = FieldId(0), .name = "key", .type = DataType::String().NotNull(), .description = {}, .default_value = {}},
                        {.id = FieldId(1), .name = "value", .type = DataType::String(), .description = {}, .default_value = {}}},
                       std::move(rows));
}

}  // namespace

void RegisterSystemDatabase(Catalog& catalog, const Options& options, const std::shared_ptr<Lineage>& lineage,
                            bool is_taken) {
  Catalog::VirtualDatabase tables;
  tables["catalog_options"] = CatalogOptionsTable(options);
  if (lineage != nullptr) {
    for (const View& view : Views()) tables[view.table] = std::make_shared<const LineageTable>(lineage, view);
  }
  if (is_taken) {
    Log(LogLevel::kWarning, "the warehouse has a database paimon of its own; the system database is sys alone", "warehouse=" + catalog.warehouse());
  } else {
    catalog.Register(std::string(kLineageDatabase), tables);
  }
  catalog.Register("sys", std::move(tables));
}

Result<std::shared_ptr<Lineage>> OpenSystemDatabase(const std::shared_ptr<Catalog>& catalog, const Clock& clock) {
  FileSystem& fs = *catalog->file_system();
  CatalogIdentity identity;
  bool is_taken = false;
  const std::array<std::function<Status()>, 2> looks = {
      [&]() -> Status {
        BRAID_TRY_ASSIGN(identity, SettleCatalogIdentity(fs, catalog->warehouse(), catalog->options()));
        return Ok();
      },
      [&]() -> Status {
        const Result<bool> exists = catalog->DatabaseExists(std::string(kLineageDatabase));
        is_taken = exists && *exists;
        return Ok();
      }};
  BRAID_TRY(CallTogether(fs, looks));
  const Options effective = catalog->options().With(identity.immutable);
  std::shared_ptr<Lineage> lineage;
  if (identity.table_lineage()) {
    BRAID_TRY_ASSIGN(lineage, Lineage::Open(catalog, std::move(identity), clock));
  }
  RegisterSystemDatabase(*catalog, effective, lineage, is_taken);
  return lineage;
}

}  // namespace braid
