#include "jobs/sink_change.h"

#include <memory>
#include <utility>
#include <vector>

#include <arrow/api.h>
#include <fmt/format.h>

#include "jobs/weighted_scan.h"

namespace braid {

Status SinkChange::Compute(const std::string& output, bool append_only, Rebuild rebuild) {
  // A comparison may take rows back where the query never does.
  rows_.emplace(table_, FieldsOf(insert_.table), sink_.traits(), append_only && rebuild == Rebuild::kNone);
  std::string columns;
  for (std::size_t i = 0; i < insert_.query.columns.size(); ++i) columns += fmt::format("c{}, ", i);
  std::string rows = insert_.Select(fmt::format("SELECT {}w FROM {}", columns, output), {"w"});
  std::vector<ScanRegistration> registrations;
  if (rebuild != Rebuild::kNone) {
    BRAID_TRY_ASSIGN(const auto content, ContentOf(sink_));
    std::string names;
    for (std::size_t i = 0; i < FieldsOf(insert_.table).size(); ++i) names += fmt::format("f{}, ", i);
    rows += fmt::format(" UNION ALL SELECT {}w FROM {}", names, ScanSql(state_.engine(), content, {}, registrations));
  }
  BRAID_TRY(
      state_.connection().Execute(rows_->CreateSql(rows)).Context("while computing what changes in " + insert_.name));
  return rebuild == Rebuild::kVerify ? Ok() : Check();
}

Status SinkChange::Check() {
  const std::string faults = rows_->FaultsSql();
  if (faults.empty()) return Ok();
  BRAID_TRY_ASSIGN(const std::int64_t count, state_.CountOf(faults));
  if (count == 0) return Ok();
  BRAID_TRY_ASSIGN(const auto example, state_.TextOf(rows_->FaultExampleSql()));
  if (sink_.traits().key.empty()) {
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("{} has no primary key and cannot take a deletion ({})", sink_.name(), example))
        .Hint("write the query's result into a table with a primary key");
  }
  return Error(ErrorCode::kInvalidArgument,
               fmt::format("the query gives several rows of one primary key of {} ({})", sink_.name(), example))
      .Hint("the sink's key must tell the query's rows apart: GROUP BY it, or keep one row a key by ROW_NUMBER()");
}

Status SinkChange::Write() {
  std::vector<DataType> wanted;
  for (const DataField& field : FieldsOf(insert_.table)) wanted.push_back(field.type.Nullable());
  wanted.push_back(DataType::TinyInt());
  BRAID_TRY_ASSIGN(const auto rows, state_.connection().Query(rows_->RowsSql(), wanted));
  for (;;) {
    BRAID_TRY_ASSIGN(std::optional<Batch> batch, rows->Next());
    if (!batch) return Ok();
    const int last = batch->rows->num_columns() - 1;
    batch->kinds = std::static_pointer_cast<arrow::Int8Array>(batch->rows->column(last));
    auto without_kind = batch->rows->RemoveColumn(last);
    if (!without_kind.ok()) return Error(ErrorCode::kInternal, without_kind.status().ToString());
    batch->rows = *std::move(without_kind);
    BRAID_TRY(sink_.Write(*batch));
  }
}

}  // namespace braid
