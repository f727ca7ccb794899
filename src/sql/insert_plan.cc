// From the tree of an INSERT to what it reads and writes.

#include "sql/insert_plan.h"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/text.h"
#include "duck/function_table.h"
#include "duck/type_mapping.h"
#include "sql/sink_cast.h"
#include "syntax/source.h"
#include "types/cast.h"

namespace braid {

namespace {

// A sink by its name.
struct Target {
  FullName name;
  Identifier identifier;
  std::shared_ptr<Catalog> catalog;  // null for a table of a connector
  SinkTable table;

  const std::vector<DataField>& fields() const { return FieldsOf(table); }
};

Error Mismatch(std::string_view cause, const FullName& sink, std::span<const QueryColumn> columns,
               std::span<const DataField* const> wanted) {
  std::vector<std::string> query_schema;
  std::vector<std::string> sink_schema;
  for (const QueryColumn& column : columns)
    query_schema.push_back(fmt::format("{}: {}", column.name, SummaryTypeText(column.type)));
  for (const DataField* field : wanted)
    sink_schema.push_back(fmt::format("{}: {}", field->name, SummaryTypeText(field->type)));
  return Error(ErrorCode::kInvalidArgument, fmt::format("the query does not fit {}: {}", sink.ToString(), cause))
      .Context(fmt::format("query: [{}]", Join(query_schema, ", ")))
      .Context(fmt::format("sink:  [{}]", Join(sink_schema, ", ")));
}

Result<const DataField*> FindSinkColumn(const std::vector<DataField>& fields, const syntax::Identifier& name,
                                        std::string_view text) {
  if (const auto position = FindField(fields, name.name)) return &fields[*position];
  std::vector<std::string> names;
  for (const DataField& field : fields) names.push_back(field.name);
  Error error = syntax::ErrorAt(ErrorCode::kNotFound, text, name.position,
                                fmt::format("the table has no column '{}'", name.name));
  if (const auto nearest = NearestName(name.name, names))
    return std::move(error).Hint(fmt::format("did you mean '{}'?", *nearest));
  return std::move(error).Hint("its columns are " + Join(names, ", "));
}

// SQL of the columns that the statement gives a value, by name.
class SinkColumns {
 public:
  SinkColumns(const Target& target, const StatementContext& context) : target_(target), context_(context) {}

  // The static partition: constants.
  Status AddPartition(const syntax::PartitionSpec& spec, std::map<std::string, std::string>& texts) {
    const Table* table = std::get_if<Table>(&target_.table);
    const std::vector<std::string> keys =
        table == nullptr ? std::vector<std::string>() : table->schema().partition_keys;
    for (const syntax::PartitionKey& key : spec) {
      if (std::find(keys.begin(), keys.end(), key.name.name) == keys.end()) {
        return syntax::ErrorAt(ErrorCode::kInvalidArgument, context_.text, key.name.position,
                               fmt::format("'{}' is no partition column of {}", key.name.name, target_.name.ToString()))
            .Hint(keys.empty() ? "the table is not partitioned" : "its partition columns are " + Join(keys, ", "));
      }
      if (!key.value) continue;
      const DataType& type = table->schema().FindColumn(key.name.name)->type;
      BRAID_TRY_ASSIGN(const Datum value,
                       context_.session.EvaluateConstant(*key.value, context_.text, type.Nullable()));
      BRAID_TRY_ASSIGN(std::string sql, EmitLiteral(value, type.Nullable()));
      sql_.emplace(key.name.name, std::move(sql));
      texts.emplace(key.name.name, value.is_null() ? table->layout().default_partition_name : FormatDatum(value, type));
    }
    return Ok();
  }

  // The columns that the query's columns go to, in their order.
  Result<std::vector<const DataField*>> Wanted(const std::optional<std::vector<syntax::QualifiedName>>& columns) const {
    std::vector<const DataField*> wanted;
    if (!columns) {
      for (const DataField& field : target_.fields()) {
        if (!sql_.contains(field.name)) wanted.push_back(&field);
      }
      return wanted;
    }
    std::set<std::string> seen;
    for (const syntax::QualifiedName& name : *columns) {
      if (name.parts.size() > 1) {
        return syntax::ErrorAt(ErrorCode::kUnsupported, context_.text, name.position(),
                               "a field of a row cannot be inserted alone")
            .Hint("give the whole row");
      }
      BRAID_TRY_ASSIGN(const DataField* field, FindSinkColumn(target_.fields(), name.parts[0], context_.text));
      if (!seen.insert(field->name).second || sql_.contains(field->name)) {
        return syntax::ErrorAt(ErrorCode::kInvalidArgument, context_.text, name.position(),
                               fmt::format("column '{}' is given twice", field->name));
      }
      wanted.push_back(field);
    }
    return wanted;
  }

  Status AddQuery(const std::vector<QueryColumn>& columns, const std::vector<const DataField*>& wanted) {
    if (columns.size() != wanted.size()) {
      return Mismatch(fmt::format("it gives {} columns and the table takes {}", columns.size(), wanted.size()),
                      target_.name, columns, wanted);
    }
    const LengthRule rule = LengthRuleOf(context_.session.Option("table.exec.sink.type-length-enforcer"));
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!CanStore(columns[i].type, wanted[i]->type)) {
        return Mismatch(fmt::format("column '{}' is {} and cannot take {}", wanted[i]->name,
                                    SummaryTypeText(wanted[i]->type.Nullable()),
                                    SummaryTypeText(columns[i].type.WithNullability(true))),
                        target_.name, columns, wanted)
            .Hint(fmt::format("CAST it to {}", SummaryTypeText(wanted[i]->type.Nullable())));
      }
      BRAID_TRY_ASSIGN(std::string sql, StoreAs({.type = columns[i].type, .sql = fmt::format("q.c{}", i)}, *wanted[i],
                                                rule, {.zone = context_.session.time_zone()}));
      if (sql != fmt::format("q.c{}", i) || ChecksNulls(*wanted[i])) looked_at_.insert(i);
      sql_.emplace(wanted[i]->name, std::move(sql));
    }
    return Ok();
  }

  // The columns and the condition of PlannedInsert.
  Status Emit(PlannedInsert& insert) const {
    insert.query.looked_at = looked_at_;
    for (const DataField& field : target_.fields()) {
      BRAID_TRY_ASSIGN(const std::string item, Item(field));
      insert.columns += (insert.columns.empty() ? "" : ", ") + item;
      if (ChecksNulls(field))
        insert.condition += fmt::format("{}({}) IS NOT NULL", insert.condition.empty() ? " WHERE " : " AND ", item);
    }
    return Ok();
  }

 private:
  bool ChecksNulls(const DataField& field) const {
    return !field.type.nullable() &&
           EqualsIgnoreCase(context_.session.Option("table.exec.sink.not-null-enforcer"), "DROP");
  }

  // What the statement gives, else the default, else NULL.
  Result<std::string> Item(const DataField& field) const {
    if (const auto given = sql_.find(field.name); given != sql_.end()) return given->second;
    return MissingValue(field);
  }

  const Target& target_;
  const StatementContext& context_;
  std::map<std::string, std::string> sql_;
  std::set<std::size_t> looked_at_;  // of the query's columns
};

Result<Target> OpenTarget(const syntax::Insert& insert, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Options hints, HintOptions(insert.hints, context.text));
  BRAID_TRY_ASSIGN(FullName name, context.session.Qualify(insert.table));
  const TemporaryTable* temporary = context.session.FindTemporaryTable(name);
  if (temporary == nullptr) {
    BRAID_TRY_ASSIGN(const syntax::QualifiedName on_branch, OnSessionBranch(insert.table, hints, context));
    BRAID_TRY_ASSIGN(StoredTable stored, OpenStored(on_branch, context, hints));
    return Target{.name = std::move(stored.name),
                  .identifier = std::move(stored.identifier),
                  .catalog = std::move(stored.catalog),
                  .table = std::move(stored.table)};
  }
  if (insert.overwrite) {
    return PlaceError(
        Error(ErrorCode::kUnsupported,
              fmt::format("INSERT OVERWRITE into the connector '{}' is not supported", temporary->table->connector()))
            .Hint("INSERT INTO adds rows"),
        context.text, insert.table.position());
  }
  Target target{.name = std::move(name), .identifier = {}, .catalog = {}, .table = temporary->table};
  target.identifier.database = target.name.database;
  target.identifier.table = target.name.table;
  if (!hints.empty()) {
    ConnectorTableDefinition definition = temporary->definition;
    definition.options = definition.options.With(hints);
    BRAID_TRY_ASSIGN(const Connectors* connectors, context.session.FindConnectors());
    Result<std::shared_ptr<const ConnectorTable>> table = connectors->Open(definition);
    if (!table) return PlaceError(std::move(table).error(), context.text, insert.table.position());
    target.table = *std::move(table);
  }
  return target;
}

}  // namespace

const std::vector<DataField>& FieldsOf(const SinkTable& table) {
  if (const auto* stored = std::get_if<Table>(&table)) return stored->schema().fields;
  return std::get<std::shared_ptr<const ConnectorTable>>(table)->fields();
}

std::string PlannedInsert::Select(const std::string& query_sql, const std::vector<std::string>& extra) const {
  std::string names;
  for (std::size_t i = 0; i < query.columns.size(); ++i) names += fmt::format("{}c{}", i > 0 ? ", " : "", i);
  std::string items = columns;
  for (const std::string& column : extra) {
    names += ", " + column;
    items += ", q." + column;
  }
  return fmt::format("SELECT {} FROM ({}) AS q({}){}", items, query_sql, names, condition);
}

Result<InsertPlan> PlanInsert(const syntax::Insert& insert, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Target target, OpenTarget(insert, context));
  InsertPlan plan{.insert = {.name = target.name.ToString(),
                             .catalog = target.name.catalog,
                             .identifier = target.identifier,
                             .owner = target.catalog,
                             .table = target.table,
                             .query = {},
                             .columns = {},
                             .condition = {}},
                  .overwrite = insert.overwrite,
                  .partition = {}};
  SinkColumns columns(target, context);
  BRAID_TRY(columns.AddPartition(insert.partition, plan.partition));
  BRAID_TRY_ASSIGN(const auto wanted, columns.Wanted(insert.columns));
  BRAID_TRY_ASSIGN(plan.insert.query, AnalyzeQuery(*insert.query, context.text, context.session));
  BRAID_TRY(columns.AddQuery(plan.insert.query.columns, wanted));
  BRAID_TRY(columns.Emit(plan.insert));
  return plan;
}

// A table without that branch is not written to.
Result<syntax::QualifiedName> OnSessionBranch(const syntax::QualifiedName& written, const Options& hints,
                                              const StatementContext& context) {
  syntax::QualifiedName on_branch = written;
  BRAID_TRY_ASSIGN(const FullName name, context.session.Qualify(written));
  BRAID_TRY_ASSIGN(const Identifier identifier, Identifier::FromParts(name.database, name.table));
  if (const auto branch = context.session.SessionBranch(identifier, hints))
    on_branch.parts.back().name += "$branch_" + *branch;
  return on_branch;
}

std::string PipelineName(const SessionState& session) {
  const std::string name = session.Option("pipeline.name");
  const std::string branch = session.Option(kBranchOption);
  // The job that does the same on main keeps its name.
  return name.empty() || branch.empty() ? name : fmt::format("{}@{}", name, branch);
}

std::string JobName(const std::vector<InsertPlan>& plans, const SessionState& session) {
  std::string name = PipelineName(session);
  if (!name.empty()) return name;
  name = "insert-into";
  for (std::size_t i = 0; i < plans.size(); ++i) name += (i == 0 ? "_" : ",") + plans[i].insert.name;
  return name;
}

}  // namespace braid
