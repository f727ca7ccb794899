#include "sql/row_change.h"

#include <algorithm>
#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>

#include "base/text.h"
#include "meta/stores.h"
#include "sql/batch_job.h"
#include "sql/insert_plan.h"
#include "table/column_update.h"
#include "table/commit.h"
#include "table/partition_done_trigger.h"
#include "table/delete_rows.h"
#include "table/drop_partitions.h"
#include "table/row_id_lookup.h"
#include "table/row_tracking.h"
#include "table/write.h"
#include "types/cast.h"
#include "types/column_selection.h"

namespace braid {

namespace {

// Takes the rows of a change's query to where they go.
class ChangeWriter {
 public:
  static Result<std::unique_ptr<ChangeWriter>> Make(const RowChange& change, const StartedJob& start) {
    std::unique_ptr<ChangeWriter> writer(new ChangeWriter(change, start));
    // Also where no rows are written: it refuses tables that this version must not write.
    const Table& table = change.target.stored.table;
    BRAID_TRY_ASSIGN(writer->writer_, TableWriter::Make(table, {.commit_user = start.commit_user,
                                                                .spill_directory = {},
                                                                .ignore_previous_files = false}));
    BRAID_TRY_ASSIGN(const bool evolves, EvolvesData(table));
    if (evolves) {
      BRAID_TRY(writer->UpdateColumns());
      return writer;
    }
    BRAID_TRY_ASSIGN(const bool tracks, TracksRows(table));
    if (!tracks || !change.writes_rows) return writer;
    writer->row_ids_.emplace(change.target.rows);
    BRAID_TRY_ASSIGN(writer->updates_, TableWriter::Make(table, {.commit_user = start.commit_user,
                                                                 .spill_directory = {},
                                                                 .ignore_previous_files = false,
                                                                 .compacts_fully_when_due = true,
                                                                 .rows_are_known = true}));
    return writer;
  }

  Status Write(const Batch& batch) {
    const auto actions = std::static_pointer_cast<arrow::Int8Array>(batch.rows->column(0));
    if (change_.counts_matches) BRAID_TRY(CheckMatches(batch));
    if (change_.target.has_key()) return WriteKinds(batch, *actions);
    Collect(batch, *actions);
    if (!change_.writes_rows) return Ok();
    std::vector<std::int32_t> written;
    std::vector<std::int32_t> updated;  // with the ids that they have
    for (std::int64_t row = 0; row < batch.row_count(); ++row) {
      const RowAction action = ActionAt(*actions, row);
      if (action == RowAction::kDelete) continue;
      const bool keeps_id = action == RowAction::kUpdate && (updates_ != nullptr || column_update_);
      (keeps_id ? updated : written).push_back(static_cast<std::int32_t>(row));
    }
    if (!updated.empty()) BRAID_TRY(WriteUpdates(batch, updated));
    if (written.empty()) return Ok();
    BRAID_TRY_ASSIGN(const Batch rows, TakeRows(TableRows(batch, nullptr), written));
    return writer_->Write(rows);
  }

  Result<std::vector<CommitMessage>> Finish() {
    std::vector<CommitMessage> messages;
    if (!change_.target.has_key()) {
      BRAID_TRY_ASSIGN(messages, RemoveRows(*change_.target.rows, positions_, commit_user_));
    }
    BRAID_TRY_ASSIGN(std::vector<CommitMessage> written, writer_->PrepareCommit(true, kBatchCommitIdentifier));
    messages.insert(messages.end(), std::make_move_iterator(written.begin()), std::make_move_iterator(written.end()));
    written.clear();
    if (updates_ != nullptr) {
      BRAID_TRY_ASSIGN(written, updates_->PrepareCommit(true, kBatchCommitIdentifier));
    } else if (column_update_) {
      BRAID_TRY_ASSIGN(written, column_update_->Finish());
    }
    messages.insert(messages.end(), std::make_move_iterator(written.begin()), std::make_move_iterator(written.end()));
    return messages;
  }

 private:
  ChangeWriter(const RowChange& change, const StartedJob& start) : change_(change), commit_user_(start.commit_user) {}

  int match_column() const { return change_.target.has_key() ? 1 : 3; }
  int first_value() const { return match_column() + (change_.counts_matches ? 1 : 0); }

  static RowAction ActionAt(const arrow::Int8Array& actions, std::int64_t row) {
    return static_cast<RowAction>(actions.Value(row));
  }

  Batch TableRows(const Batch& batch, std::shared_ptr<arrow::Int8Array> kinds) const {
    const std::vector<std::shared_ptr<arrow::Array>>& all = batch.rows->columns();
    std::vector<std::shared_ptr<arrow::Array>> columns(all.begin() + first_value(), all.end());
    return Batch{
        arrow::RecordBatch::Make(ToArrowSchema(change_.target.fields()), batch.row_count(), std::move(columns)),
        std::move(kinds)};
  }

  // Rows of a data-evolution table stay, and get other values in files of the updated columns.
  Status UpdateColumns() {
    if (change_.deletes_rows) {
      return Error(ErrorCode::kUnsupported, fmt::format("rows of {} cannot be deleted: it has 'data-evolution.enabled'='true'",
                                                        change_.target.stored.name.ToString()))
          .Hint("TRUNCATE TABLE and ALTER TABLE … DROP PARTITION take out all rows, or those of partitions");
    }
    BRAID_TRY_ASSIGN(column_update_, ColumnUpdate::Make(change_.target.rows, change_.updated_columns));
    for (const DataField& field : column_update_->fields())
      updated_places_.push_back(static_cast<int>(*FindField(change_.target.fields(), field.id)));
    return Ok();
  }

  // Rows of a table that tracks them keep their ids; their sequence number is that of the commit.
  Status WriteUpdates(const Batch& batch, const std::vector<std::int32_t>& updated) {
    BRAID_TRY_ASSIGN(const Batch addressed, TakeRows(batch, updated));
    const auto& files = static_cast<const arrow::Int32Array&>(*addressed.rows->column(1));
    const auto& positions = static_cast<const arrow::Int64Array&>(*addressed.rows->column(2));
    if (column_update_) return column_update_->Add(files, positions, TakeColumns(TableRows(addressed, nullptr), updated_places_));
    BRAID_TRY_ASSIGN(auto ids, row_ids_->Find(files, positions));
    BRAID_TRY_ASSIGN(auto unknown, MakeConstantColumn(Datum(), DataType::BigInt(), addressed.row_count()));
    std::vector<std::shared_ptr<arrow::Array>> columns = TableRows(addressed, nullptr).rows->columns();
    columns.push_back(std::move(ids));
    columns.push_back(std::move(unknown));
    const auto schema = ToArrowSchema(TrackedFields(change_.target.stored.table.schema()));
    return updates_->Write(Batch{arrow::RecordBatch::Make(schema, addressed.row_count(), std::move(columns)), nullptr});
  }

  Status WriteKinds(const Batch& batch, const arrow::Int8Array& actions) {
    std::vector<std::int8_t> kinds;
    kinds.reserve(static_cast<std::size_t>(batch.row_count()));
    for (std::int64_t row = 0; row < batch.row_count(); ++row) {
      constexpr RowKind kKinds[] = {RowKind::kInsert, RowKind::kUpdateAfter, RowKind::kDelete};
      kinds.push_back(static_cast<std::int8_t>(kKinds[actions.Value(row)]));
    }
    return writer_->Write(TableRows(
        batch, std::make_shared<arrow::Int8Array>(batch.row_count(), arrow::Buffer::FromVector(std::move(kinds)))));
  }

  void Collect(const Batch& batch, const arrow::Int8Array& actions) {
    const auto files = std::static_pointer_cast<arrow::Int32Array>(batch.rows->column(1));
    const auto positions = std::static_pointer_cast<arrow::Int64Array>(batch.rows->column(2));
    for (std::int64_t row = 0; row < batch.row_count(); ++row) {
      if (column_update_ || ActionAt(actions, row) == RowAction::kInsert) continue;
      positions_[files->Value(row)].push_back(positions->Value(row));
    }
  }

  Status CheckMatches(const Batch& batch) const {
    const auto matches = std::static_pointer_cast<arrow::Int64Array>(batch.rows->column(match_column()));
    for (std::int64_t row = 0; row < batch.row_count(); ++row) {
      if (matches->Value(row) <= 1) continue;
      return Error(ErrorCode::kInvalidArgument,
                   fmt::format("{} rows of the source match one row of {}{}: which of them changes it is not clear",
                               matches->Value(row), change_.target.stored.name.ToString(), KeyText(batch, row)))
          .Hint("make the source's rows unique, or say more in ON");
    }
    return Ok();
  }

  // " (k = 1)", of key tables.
  std::string KeyText(const Batch& batch, std::int64_t row) const {
    std::string text;
    const std::vector<DataField>& fields = change_.target.fields();
    for (std::size_t i = 0; i < fields.size() && change_.writes_rows; ++i) {
      if (!IsKeyColumn(change_.target, fields[i].name)) continue;
      const Datum value = DatumAt(*batch.rows->column(first_value() + static_cast<int>(i)), row, fields[i].type);
      text += fmt::format("{}{} = {}", text.empty() ? " (" : ", ", fields[i].name, FormatDatum(value, fields[i].type));
    }
    return text.empty() ? text : text + ")";
  }

  const RowChange& change_;
  std::string commit_user_;
  std::unique_ptr<TableWriter> writer_;
  std::unique_ptr<TableWriter> updates_;  // of rows that keep their ids; null: all rows go to writer_
  std::optional<RowIdLookup> row_ids_;    // for updates_
  std::optional<ColumnUpdate> column_update_;  // of a data-evolution table
  std::vector<int> updated_places_;            // of its columns among the table's
  RowPositions positions_;  // that go from an append table
};

std::vector<DataType> ColumnTypes(const RowChange& change) {
  std::vector<DataType> types = {DataType::TinyInt()};
  if (!change.target.has_key()) types.insert(types.end(), {DataType::Int(), DataType::BigInt()});
  if (change.counts_matches) types.push_back(DataType::BigInt());
  if (!change.writes_rows) return types;
  for (const DataField& field : change.target.fields()) types.push_back(field.type.Nullable());
  return types;
}

Result<std::vector<Snapshot>> WriteAndCommit(const RowChange& change, const DuckProgram& program,
                                             const StartedJob& start, SessionState& session) {
  const Table& table = change.target.stored.table;
  BRAID_TRY_ASSIGN(std::optional<PartitionDoneTrigger> done, PartitionDoneTrigger::Make(table, /*streaming=*/false));
  BRAID_TRY_ASSIGN(const auto writer, ChangeWriter::Make(change, start));
  BRAID_TRY_ASSIGN(DuckConnection * connection, session.Connection());
  BRAID_TRY_ASSIGN(const auto rows, connection->Query(program.sql, ColumnTypes(change)));
  for (;;) {
    BRAID_TRY(session.CheckCancelled());
    BRAID_TRY_ASSIGN(const std::optional<Batch> batch, rows->Next());
    if (!batch) break;
    BRAID_TRY(writer->Write(*batch));
  }
  Committable committable{
      .identifier = kBatchCommitIdentifier, .watermark = std::nullopt, .properties = start.properties, .messages = {}};
  BRAID_TRY_ASSIGN(committable.messages, writer->Finish());
  TableCommit commit(table, start.commit_user, session.clock());
  Result<std::vector<Snapshot>> snapshots = commit.Commit(committable);
  if (!snapshots && snapshots.error().code() == ErrorCode::kConflict) BRAID_TRY(commit.Abort(committable.messages));
  if (!snapshots)
    return std::move(snapshots).error().Context("while committing to " + change.target.stored.name.ToString());
  BRAID_TRY(MarkAtEndOfInput(table, std::move(done), committable.messages, session.clock()));
  return snapshots;
}

std::string_view DefaultJobPrefix(const RowTarget& target) {
  if (target.statement == "DELETE") return "delete-from_";
  return target.statement == "UPDATE" ? "update_" : "merge-into_";
}

// `sources`: what the statement reads beside its target.
JobDescription Describe(const RowTarget& target, std::vector<QuerySource> sources, const StatementContext& context) {
  JobDescription job{.name = PipelineName(context.session),
                     .statement = std::string(context.text),
                     .sources = std::move(sources),
                     .sinks = {{.catalog = target.stored.name.catalog,
                                .identifier = target.stored.identifier,
                                .table = target.stored.table}}};
  if (job.name.empty()) job.name = std::string(DefaultJobPrefix(target)) + target.stored.name.ToString();
  return job;
}

// A target is no source of its own change: every snapshot comes from the one before it. Rows of append tables are read
// by their addresses and are not among the sources; those of key tables are, once.
std::vector<QuerySource> WithoutTarget(std::vector<QuerySource> sources, const RowTarget& target) {
  if (!target.has_key()) return sources;
  const auto is_target = [&](const QuerySource& source) {
    return source.catalog == target.stored.name.catalog && source.identifier == target.stored.identifier &&
           source.table.dynamic_options() == target.stored.table.dynamic_options();
  };
  const auto found = std::find_if(sources.begin(), sources.end(), is_target);
  if (found != sources.end()) sources.erase(found);
  return sources;
}

StatementResult Written(const RowTarget& target, SinkSnapshots snapshots) {
  StatementResult result{.kind = StatementResult::Kind::kWritten};
  result.sinks.push_back({.catalog = target.stored.name.catalog,
                          .identifier = target.stored.identifier,
                          .snapshots = std::move(snapshots.front())});
  return result;
}

// Rows of kind -D that the table will not heed.
Result<bool> IgnoresDeletions(const RowChange& change) {
  if (!change.target.has_key() || !change.deletes_rows) return false;
  const Options& options = change.target.stored.table.options();
  BRAID_TRY_ASSIGN(const bool of_engine,
                   options.GetBool(options.Get("merge-engine", "deduplicate") + ".ignore-delete", false));
  return options.GetBool("ignore-delete", of_engine);
}

Result<StatementResult> RunOnce(const RowChange& change, const StatementContext& context) {
  SessionState& session = context.session;
  BRAID_TRY_ASSIGN(DuckEngine * engine, session.Engine());
  BRAID_TRY_ASSIGN(const DuckProgram program, EmitDuckSql(change.query, *engine));
  const JobDescription job = Describe(change.target, WithoutTarget(program.sources, change.target), context);
  BRAID_TRY_ASSIGN(SinkSnapshots snapshots,
                   RunBatchJob(job, session, [&](const StartedJob& start) -> Result<SinkSnapshots> {
                     BRAID_TRY_ASSIGN(auto snapshots, WriteAndCommit(change, program, start, session));
                     return SinkSnapshots{std::move(snapshots)};
                   }));
  BRAID_TRY_ASSIGN(const bool ignores, IgnoresDeletions(change));
  StatementResult result = Written(change.target, std::move(snapshots));
  if (ignores) {
    result.notices.push_back(fmt::format("{} ignores deletions ('ignore-delete'='true'): no row was deleted",
                                           change.target.stored.name.ToString()));
  }
  return result;
}

}  // namespace

Scalar ActionScalar(RowAction action) {
  return Scalar{.type = DataType::TinyInt(),
                .sql = fmt::format("CAST({} AS TINYINT)", static_cast<int>(action)),
                .literal = {},
                .is_json = false,
                .columns = {}};
}

AnalyzedQuery ChangeQuery(Analysis& analysis, OperatorPtr source, std::vector<Scalar> values) {
  AnalyzedQuery query;
  std::vector<OutputColumn> columns;
  for (const Scalar& value : values) {
    columns.push_back(
        {.id = analysis.NextColumn(), .name = fmt::format("EXPR${}", columns.size()), .type = value.type});
    query.columns.push_back({.name = columns.back().name, .type = value.type});
  }
  query.root = MakeOperator(std::move(columns), op::Project{.input = std::move(source), .values = std::move(values)});
  return query;
}

Result<StatementResult> RunRowChange(const std::function<Result<RowChange>()>& plan, const StatementContext& context) {
  for (std::int64_t attempt = 0;; ++attempt) {
    BRAID_TRY_ASSIGN(const RowChange change, plan());
    Result<StatementResult> result = RunOnce(change, context);
    if (result || result.error().code() != ErrorCode::kConflict || change.target.has_key()) return result;
    BRAID_TRY_ASSIGN(const std::int64_t retries, change.target.stored.table.options().GetInt("commit.max-retries", 10));
    if (attempt >= retries) return result;
  }
}

Result<StatementResult> RunDrop(const RowTarget& target, const std::optional<std::set<BinaryRow>>& partitions,
                                const StatementContext& context) {
  const Table& table = target.stored.table;
  BRAID_TRY_ASSIGN(const auto latest, FindLatestSnapshot(table.file_system(), table.paths()));
  const bool nothing = !latest || (partitions && partitions->empty());
  BRAID_TRY_ASSIGN(SinkSnapshots snapshots,
                   RunBatchJob(Describe(target, {}, context), context.session,
                               [&](const StartedJob& start) -> Result<SinkSnapshots> {
                                 if (nothing) return SinkSnapshots(1);
                                 Committable committable;
                                 committable.properties = start.properties;
                                 BRAID_TRY_ASSIGN(auto snapshots, DropPartitions(table, partitions, start.commit_user,
                                                                                 committable, context.session.clock()));
                                 return SinkSnapshots{std::move(snapshots)};
                               }));
  return Written(target, std::move(snapshots));
}

Result<std::string> WayOfChange(const RowTarget& target) {
  if (target.has_key()) {
    if (target.statement == "DELETE") return std::string("rows of kind -D");
    return std::string(target.statement == "UPDATE" ? "rows of kind +U" : "rows of kinds +I, +U and -D");
  }
  BRAID_TRY_ASSIGN(const bool evolves, EvolvesData(target.stored.table));
  if (evolves) return std::string("files of the changed columns");
  BRAID_TRY_ASSIGN(const bool vectors, target.stored.table.options().GetBool("deletion-vectors.enabled", false));
  return std::string(vectors ? "deletion vectors" : "files written anew");
}

std::string ExplainRowChange(const RowTarget& target, std::string_view way, const AnalyzedQuery* query) {
  return fmt::format("{}(table=[{}], by=[{}])\n{}", target.statement, target.stored.name.ToString(), way,
                     query == nullptr ? "" : ExplainQuery(*query));
}

}  // namespace braid
