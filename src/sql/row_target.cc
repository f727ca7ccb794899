#include "sql/row_target.h"

#include <algorithm>
#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>

#include "base/text.h"
#include "meta/stores.h"
#include "sql/insert_plan.h"
#include "sql/scopes.h"
#include "sql/sink_cast.h"
#include "sql/table_columns.h"
#include "syntax/parser.h"
#include "syntax/printer.h"
#include "syntax/source.h"
#include "table/file_scan.h"
#include "table/time_travel.h"

namespace braid {

namespace {

// Names of columns that no statement can mean by accident.
constexpr std::string_view kFileColumn =
    "\x01"
    "file";
constexpr std::string_view kPositionColumn =
    "\x01"
    "position";
constexpr std::string_view kPartitionColumn =
    "\x01"
    "partition";

DataField ExtraField(std::string_view name, DataType type) {
  return {.id = FieldId(2147483647),
          .name = std::string(name),
          .type = std::move(type).NotNull(),
          .description = {},
          .default_value = {}};
}

// The rows of an append table with two columns more.
class AddressedTable : public VirtualTable {
 public:
  explicit AddressedTable(std::shared_ptr<const AddressedRows> rows)
      : rows_(std::move(rows)), fields_(rows_->table().schema().fields) {
    fields_.push_back(ExtraField(kFileColumn, DataType::Int()));
    fields_.push_back(ExtraField(kPositionColumn, DataType::BigInt()));
  }

  const std::vector<DataField>& fields() const override { return fields_; }

  Result<std::unique_ptr<BatchReader>> Open(const ReadRequest& request) const override;

 private:
  std::shared_ptr<const AddressedRows> rows_;
  std::vector<DataField> fields_;
};

// Puts the columns that were read into their places; nobody looks at the others.
class SpreadingReader : public BatchReader {
 public:
  SpreadingReader(std::unique_ptr<BatchReader> inner, const std::vector<DataField>& fields,
                  std::vector<std::size_t> read)
      : inner_(std::move(inner)), schema_(ToArrowSchema(fields)), read_(std::move(read)) {}

  Result<std::optional<Batch>> Next() override {
    BRAID_TRY_ASSIGN(const std::optional<Batch> batch, inner_->Next());
    if (!batch) return std::optional<Batch>();
    const std::size_t addresses = static_cast<std::size_t>(batch->rows->num_columns()) - 2;
    std::vector<std::shared_ptr<arrow::Array>> columns(static_cast<std::size_t>(schema_->num_fields()));
    for (std::size_t i = 0; i < read_.size(); ++i) columns[read_[i]] = batch->rows->column(static_cast<int>(i));
    for (std::size_t i = 0; i < 2; ++i)
      columns[columns.size() - 2 + i] = batch->rows->column(static_cast<int>(addresses + i));
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i] != nullptr) continue;
      columns[i] = arrow::MakeArrayOfNull(schema_->field(static_cast<int>(i))->type(), batch->row_count()).ValueOrDie();
    }
    return std::optional(Batch{arrow::RecordBatch::Make(schema_, batch->row_count(), std::move(columns)), nullptr});
  }

 private:
  std::unique_ptr<BatchReader> inner_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<std::size_t> read_;  // positions of the columns that `inner_` begins with
};

Result<std::unique_ptr<BatchReader>> AddressedTable::Open(const ReadRequest& request) const {
  std::vector<std::string> table_columns;
  for (const DataField& field : rows_->table().schema().fields) table_columns.push_back(field.name);
  std::set<std::string> wanted;
  if (request.projection) {
    wanted.insert(request.projection->begin(), request.projection->end());
  } else {
    wanted.insert(table_columns.begin(), table_columns.end());
  }
  if (request.filter != nullptr) {
    for (const std::string& column : request.filter->Columns()) wanted.insert(column);
  }
  std::vector<std::size_t> positions;
  std::vector<DataField> fields;
  for (std::size_t i = 0; i < table_columns.size(); ++i) {
    if (!wanted.contains(table_columns[i])) continue;
    positions.push_back(i);
    fields.push_back(fields_[i]);
  }
  BRAID_TRY_ASSIGN(auto rows, rows_->Read(std::move(fields), ConjunctsOn(request.filter, table_columns)));
  return std::unique_ptr<BatchReader>(
      std::make_unique<SpreadingReader>(std::move(rows), fields_, std::move(positions)));
}

// What the target's name means to the statement's expressions; every other name is the session's.
class TargetNames : public NameResolver {
 public:
  TargetNames(const SessionState& session, const RowTarget& target, std::shared_ptr<const VirtualTable> rows,
              bool whole)
      : session_(session), target_(target), rows_(std::move(rows)), stored_only_(target.stored.name), whole_(whole) {
    stored_only_.table += kStoredColumns;
  }

  Result<ResolvedTable> ResolveTable(const syntax::QualifiedName& name, const Options& hints) const override {
    if (rows_ == nullptr) return session_.ResolveTable(name, hints);
    const bool is_target = &name == &std::get<syntax::NamedTable>(target_.expression.node).name;
    BRAID_TRY_ASSIGN(const FullName full, session_.Qualify(name));
    const bool is_below_computed = full == stored_only_;
    if (!is_target && !is_below_computed) return session_.ResolveTable(name, hints);
    ResolvedTable resolved;
    resolved.catalog = target_.stored.name.catalog;
    resolved.identifier = target_.stored.identifier;
    resolved.relation = rows_;
    resolved.options = hints;
    const TableColumns columns = ColumnsOf(target_.fields(), target_.stored.table.schema().options);
    if (is_below_computed || !whole_ || !columns.has_computed()) return resolved;
    return ViewOfComputed(std::move(resolved), columns);
  }
  std::string current_catalog() const override { return session_.current_catalog(); }
  std::string current_database() const override { return session_.current_database(); }
  std::string time_zone() const override { return session_.time_zone(); }
  std::int64_t statement_time_ms() const override { return session_.statement_time_ms(); }

 private:
  // As the session makes one, with the columns that a target has more.
  Result<ResolvedTable> ViewOfComputed(ResolvedTable table, const TableColumns& columns) const {
    const std::string from =
        fmt::format("{}.{}.{}", syntax::QuoteIdentifier(stored_only_.catalog),
                    syntax::QuoteIdentifier(stored_only_.database), syntax::QuoteIdentifier(stored_only_.table));
    TableColumns all = columns;
    for (std::size_t i = target_.fields().size(); i < rows_->fields().size(); ++i) {
      all.columns.push_back({.name = rows_->fields()[i].name, .type = rows_->fields()[i].type});
    }
    BRAID_TRY_ASSIGN(syntax::Query query, syntax::ParseQuery(SelectColumns(all, from)));
    table.relation.reset();
    table.view = syntax::QueryPtr::Make(std::move(query));
    for (const TableColumn& column : all.columns) table.view_columns.push_back(column.name);
    return table;
  }

  const SessionState& session_;
  const RowTarget& target_;
  std::shared_ptr<const VirtualTable> rows_;  // null: what the session knows
  FullName stored_only_;                      // in the query that computes columns
  bool whole_;                                // `rows_` has all columns of the table
};

// The partitions that have files.
Result<std::vector<BinaryRow>> PartitionsOf(const Table& table) {
  BRAID_TRY_ASSIGN(const std::optional<Snapshot> snapshot, ReadLatestSnapshot(table.file_system(), table.paths()));
  if (!snapshot) return std::vector<BinaryRow>();
  BRAID_TRY_ASSIGN(const auto scan, FileScan::Make(table, ScanScope{.postponed_buckets = true}));
  BRAID_TRY_ASSIGN(const FilesByBucket files, scan->Files(*snapshot));
  std::set<BinaryRow> partitions;
  for (const BucketFiles& bucket : files.buckets) partitions.insert(bucket.partition);
  return std::vector<BinaryRow>(partitions.begin(), partitions.end());
}

Result<std::shared_ptr<const VirtualTable>> PartitionTable(const Table& table,
                                                           const std::vector<BinaryRow>& partitions) {
  std::vector<DataField> fields = table.layout().partition_fields;
  std::vector<DataType> types;
  for (const DataField& field : fields) types.push_back(field.type);
  std::vector<DatumList> rows;
  for (const BinaryRow& partition : partitions) {
    BRAID_TRY_ASSIGN(DatumList row, partition.ToDatums(types));
    row.emplace_back(static_cast<std::int64_t>(rows.size()));
    rows.push_back(std::move(row));
  }
  fields.push_back(ExtraField(kPartitionColumn, DataType::Int()));
  return MakeRowsTable(std::move(fields), std::move(rows));
}

Status CheckPresent(const RowTarget& target) {
  const Options& options = target.stored.table.options();
  BRAID_TRY_ASSIGN(const StartupMode mode, StartupModeOf(options));
  const bool travels = mode != StartupMode::kLatestFull && mode != StartupMode::kLatest;
  if (!travels && !options.Has("scan.fallback-branch")) return Ok();
  return Error(ErrorCode::kUnsupported,
               fmt::format("{} changes rows of the newest snapshot, and options of {} ask to read {}", target.statement,
                           target.stored.name.ToString(), travels ? "others" : "another branch beside it"))
      .Hint(travels ? "leave out 'scan.…' and 'incremental-…' options; inner queries may have them"
                    : "change the rows of `t$branch_<name>` where they are");
}

}  // namespace

struct TargetScope::State {
  const RowTarget& target;
  const StatementContext& context;
  std::vector<BinaryRow> partitions;
  std::optional<TargetNames> names;
  std::optional<Analysis> analysis;
  FromClause from;

  Scalar ColumnOf(std::string_view name) const {
    const std::vector<OutputColumn>& columns = from.source->columns;
    return ColumnScalar(
        *std::find_if(columns.begin(), columns.end(), [&](const OutputColumn& column) { return column.name == name; }));
  }
};

TargetScope::TargetScope(std::unique_ptr<State> state) : state_(std::move(state)) {}
TargetScope::~TargetScope() = default;

Result<std::unique_ptr<TargetScope>> TargetScope::Make(const RowTarget& target, TargetView view,
                                                       const StatementContext& context) {
  std::unique_ptr<State> state(
      new State{.target = target, .context = context, .partitions = {}, .names = {}, .analysis = {}, .from = {}});
  std::shared_ptr<const VirtualTable> rows;
  if (view == TargetView::kPartitions) {
    BRAID_TRY_ASSIGN(state->partitions, PartitionsOf(target.stored.table));
    BRAID_TRY_ASSIGN(rows, PartitionTable(target.stored.table, state->partitions));
  } else if (!target.has_key()) {
    rows = std::make_shared<AddressedTable>(target.rows);
  }
  state->names.emplace(context.session, target, std::move(rows), view == TargetView::kRows);
  state->analysis.emplace(context.text, *state->names);
  BRAID_TRY_ASSIGN(state->from, AnalyzeFrom(*state->analysis, target.expression, {}));
  return std::unique_ptr<TargetScope>(new TargetScope(std::move(state)));
}

Analysis& TargetScope::analysis() {
  return *state_->analysis;
}
const FromClause& TargetScope::from() const {
  return state_->from;
}
Scalar TargetScope::Column(const std::string& name) const {
  return state_->ColumnOf(name);
}
std::vector<Scalar> TargetScope::Address() const {
  return {state_->ColumnOf(kFileColumn), state_->ColumnOf(kPositionColumn)};
}
Scalar TargetScope::PartitionNumber() const {
  return state_->ColumnOf(kPartitionColumn);
}
const std::vector<BinaryRow>& TargetScope::partitions() const {
  return state_->partitions;
}

Result<const DataField*> TargetScope::FindColumn(const syntax::QualifiedName& name) const {
  BRAID_TRY_ASSIGN(const ResolvedColumn found, ResolveColumn(*state_->analysis, state_->from.scope, name));
  if (!found.fields.empty()) {
    return state_->analysis
        ->ErrorAt(name.position(), fmt::format("a field of the row '{}' cannot be given alone", found.column->name),
                  ErrorCode::kUnsupported)
        .Hint("give the whole row");
  }
  const std::vector<DataField>& fields = state_->target.fields();
  if (const auto position = FindField(fields, found.column->name)) return &fields[*position];
  return state_->analysis->ErrorAt(name.position(),
                                   fmt::format("column '{}' is computed and cannot be given", found.column->name));
}

Result<Scalar> TargetScope::Store(const Scalar& value, const DataField& field, syntax::Position position) const {
  const SessionState& session = state_->context.session;
  const DataType type = field.type.Nullable();
  if (!CanStore(value.type, type)) {
    return state_->analysis
        ->ErrorAt(position, fmt::format("column '{}' is {} and cannot take {}", field.name, SummaryTypeText(type),
                                        SummaryTypeText(value.type.WithNullability(true))))
        .Hint(fmt::format("CAST it to {}", SummaryTypeText(type)));
  }
  const LengthRule rule = LengthRuleOf(session.Option("table.exec.sink.type-length-enforcer"));
  BRAID_TRY_ASSIGN(std::string sql, StoreAs(ToArgument(value), field, rule, {.zone = session.time_zone()}));
  const bool as_it_is = sql == value.sql;
  return Scalar{.type = type,
                .sql = std::move(sql),
                .literal = {},
                .is_json = false,
                .columns = value.columns,
                .handed_on = as_it_is ? value.handed_on : std::vector<ColumnId>()};
}

Result<RowTarget> OpenRowTarget(std::string_view statement, const syntax::QualifiedName& name,
                                const std::vector<syntax::Hint>& hints, const std::optional<syntax::Identifier>& alias,
                                const StatementContext& context) {
  if (EqualsIgnoreCase(context.session.Option("execution.runtime-mode"), "streaming")) {
    return Error(ErrorCode::kUnsupported, fmt::format("{} has no meaning in streaming mode", statement))
        .Hint("SET 'execution.runtime-mode' = 'batch'");
  }
  BRAID_TRY_ASSIGN(const Options options, HintOptions(hints, context.text));
  BRAID_TRY_ASSIGN(const FullName full, context.session.Qualify(name));
  if (const TemporaryTable* temporary = context.session.FindTemporaryTable(full)) {
    return PlaceError(
        Error(ErrorCode::kUnsupported, fmt::format("{} of rows behind the connector '{}' is not supported", statement,
                                                   temporary->table->connector())),
        context.text, name.position());
  }
  BRAID_TRY_ASSIGN(const syntax::QualifiedName on_branch, OnSessionBranch(name, options, context));
  BRAID_TRY_ASSIGN(StoredTable stored, OpenStored(on_branch, context, options));
  syntax::TableExpression expression{.position = name.position(),
                                     .node = syntax::NamedTable{.name = on_branch, .hints = hints}};
  if (alias) expression.alias = syntax::TableAlias{.name = *alias};
  // Its columns are known by the name that the statement has for it.
  if (!alias && !(on_branch == name)) expression.alias = syntax::TableAlias{.name = name.parts.back()};
  RowTarget target{
      .statement = statement, .expression = std::move(expression), .stored = std::move(stored), .rows = nullptr};
  if (Status present = CheckPresent(target); !present)
    return PlaceError(std::move(present).error(), context.text, name.position());
  if (target.stored.table.schema().has_primary_key()) return target;
  BRAID_TRY_ASSIGN(target.rows, AddressedRows::Make(target.stored.table));
  return target;
}

Result<ColumnValues> AnalyzeAssignments(const std::vector<syntax::Assignment>& assignments, const RowTarget& target,
                                        TargetScope& scope, const ExpressionSite& site) {
  Analysis& analysis = scope.analysis();
  ColumnValues values;
  for (const syntax::Assignment& assignment : assignments) {
    const syntax::Position position = assignment.column.position();
    BRAID_TRY_ASSIGN(const DataField* field, scope.FindColumn(assignment.column));
    if (IsKeyColumn(target, field->name)) {
      return analysis
          .ErrorAt(position,
                   fmt::format("column '{}' is part of the primary key of {} and cannot be set", field->name,
                               target.stored.name.ToString()),
                   ErrorCode::kUnsupported)
          .Hint("INSERT a row with the new key and DELETE the old one");
    }
    BRAID_TRY_ASSIGN(const Scalar value, AnalyzeExpression(analysis, site, *assignment.value));
    BRAID_TRY_ASSIGN(Scalar stored, scope.Store(value, *field, assignment.value->position));
    if (!values.emplace(field->name, std::move(stored)).second)
      return analysis.ErrorAt(position, fmt::format("column '{}' is given twice", field->name));
  }
  return values;
}

bool IsKeyColumn(const RowTarget& target, const std::string& name) {
  const std::vector<std::string>& key = target.stored.table.schema().primary_keys;
  return std::find(key.begin(), key.end(), name) != key.end();
}

namespace {

Error CannotChange(const RowTarget& target, std::string cause, std::string hint, const StatementContext& context) {
  return PlaceError(
      Error(ErrorCode::kUnsupported, fmt::format("rows of {} cannot be {}: {}", target.stored.name.ToString(),
                                                 target.statement == "UPDATE" ? "updated" : "deleted", cause))
          .Hint(std::move(hint)),
      context.text, target.expression.position);
}

}  // namespace

Status CheckDeletable(const RowTarget& target, const StatementContext& context) {
  if (target.has_key()) {
    const Options& options = target.stored.table.options();
    const std::string engine = ToLower(options.Get("merge-engine", "deduplicate"));
    const std::string drop = "ALTER TABLE … DROP PARTITION and TRUNCATE TABLE take out whole partitions";
    bool removes = engine == "deduplicate";
    std::string option;
    if (engine == "partial-update") {
      option = "partial-update.remove-record-on-delete";
      removes = options.Has("partial-update.remove-record-on-sequence-group");
    } else if (engine == "aggregation") {
      option = "aggregation.remove-record-on-delete";
    }
    if (!option.empty() && !removes) {
      BRAID_TRY_ASSIGN(removes, options.GetBool(option, false));
    }
    if (!removes) {
      return CannotChange(
          target,
          fmt::format("its merge engine is {}{}", engine, option.empty() ? ", which keeps the first row of a key" : ""),
          option.empty() ? drop : fmt::format("set its option '{}' to 'true'; {}", option, drop), context);
    }
    if (options.Has("rowkind.field")) {
      return CannotChange(
          target, fmt::format("its column '{}' says what kind a written row is", options.Get("rowkind.field", "")),
          "INSERT a row that has '-D' there", context);
    }
  }
  return Ok();
}

Status CheckUpdatable(const RowTarget& target, const StatementContext& context) {
  if (!target.has_key()) return Ok();
  const std::string engine = ToLower(target.stored.table.options().Get("merge-engine", "deduplicate"));
  if (engine == "deduplicate" || engine == "partial-update") return Ok();
  return PlaceError(Error(ErrorCode::kUnsupported, fmt::format("rows of {} cannot be updated: its merge engine is {}",
                                                               target.stored.name.ToString(), engine))
                        .Hint("INSERT rows, which the merge engine merges with those that are there"),
                    context.text, target.expression.position);
}

}  // namespace braid
