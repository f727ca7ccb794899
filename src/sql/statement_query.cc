// Queries, EXPLAIN, and what all statements share about names and hints.

#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/text.h"
#include "base/uuid.h"
#include "sql/insert_plan.h"
#include "sql/statement_internal.h"
#include "syntax/printer.h"
#include "syntax/source.h"
#include "types/like_pattern.h"

namespace braid {

namespace {

// What a query reads must be stored before a streaming query can be told from a batch one.
Status RefuseStreamingRead(const std::vector<QuerySource>& sources, const SessionState& session) {
  if (sources.empty() || !EqualsIgnoreCase(session.Option("execution.runtime-mode"), "streaming")) return Ok();
  return Error(ErrorCode::kUnsupported, "streaming queries are not supported yet")
      .Hint("SET 'execution.runtime-mode' = 'batch' reads the tables as they are now");
}

// Keeps what a running query reads from.
class QueryRows : public BatchReader {
 public:
  QueryRows(DuckProgram program, std::unique_ptr<QueryResult> rows, const SessionState& session)
      : program_(std::move(program)), rows_(std::move(rows)), session_(session) {}

  Result<std::optional<Batch>> Next() override {
    BRAID_TRY(session_.CheckCancelled());
    return rows_->Next();
  }

 private:
  DuckProgram program_;  // its sources live as long as the rows
  std::unique_ptr<QueryResult> rows_;
  const SessionState& session_;  // the session outlives its results
};

// nullopt: the statement is no DELETE, UPDATE or MERGE.
std::optional<Result<std::string>> ExplainAnyChange(const syntax::StatementNode& node,
                                                    const StatementContext& context) {
  if (const auto* statement = std::get_if<syntax::Delete>(&node)) return ExplainChange(*statement, context);
  if (const auto* statement = std::get_if<syntax::Update>(&node)) return ExplainChange(*statement, context);
  if (const auto* statement = std::get_if<syntax::Merge>(&node)) return ExplainChange(*statement, context);
  return std::nullopt;
}

std::string ExplainInsert(const syntax::Insert& insert, std::string_view query) {
  return fmt::format("Sink(table=[{}]{})\n{}", syntax::ToSql(insert.table),
                     insert.overwrite ? ", overwrite=[true]" : "", query);
}

}  // namespace

Result<StatementResult> Run(const syntax::QueryStatement& statement, const StatementContext& context) {
  SessionState& session = context.session;
  BRAID_TRY_ASSIGN(const AnalyzedQuery query, AnalyzeQuery(*statement.query, context.text, session));
  BRAID_TRY_ASSIGN(DuckEngine * engine, session.Engine());
  BRAID_TRY_ASSIGN(DuckProgram program, EmitDuckSql(query, *engine));
  BRAID_TRY(RefuseStreamingRead(program.sources, session));
  std::vector<DataType> wanted;
  for (const QueryColumn& column : query.columns) wanted.push_back(StorageType(column.type));
  BRAID_TRY_ASSIGN(DuckConnection * connection, session.Connection());
  BRAID_TRY_ASSIGN(auto rows, connection->Query(program.sql, wanted));
  return StatementResult{.kind = StatementResult::Kind::kQuery,
                         .columns = query.columns,
                         .ordered = query.ordered,
                         .rows = std::make_unique<QueryRows>(std::move(program), std::move(rows), session)};
}

Result<StatementResult> Run(const syntax::Explain& statement, const StatementContext& context) {
  const syntax::StatementNode& node = statement.statement->node;
  const bool is_insert = std::holds_alternative<syntax::Insert>(node) || std::holds_alternative<syntax::StatementSet>(node);
  if (is_insert && context.session.jobs() != nullptr && EqualsIgnoreCase(context.session.Option("execution.runtime-mode"), "streaming")) {
    BRAID_TRY_ASSIGN(const JobPlan plan, PlanJobStatement(*statement.statement, context));
    BRAID_TRY_ASSIGN(const std::string text, context.session.jobs()->Explain(plan));
    return TextResult("result", {text});
  }
  std::vector<std::string> plans;
  const auto explain = [&](const syntax::QueryPtr& query) -> Result<std::string> {
    BRAID_TRY_ASSIGN(const AnalyzedQuery analyzed, AnalyzeQuery(*query, context.text, context.session));
    return ExplainQuery(analyzed);
  };
  if (const auto* query = std::get_if<syntax::QueryStatement>(&node)) {
    BRAID_TRY_ASSIGN(std::string plan, explain(query->query));
    plans.push_back(std::move(plan));
  } else if (const auto* insert = std::get_if<syntax::Insert>(&node)) {
    BRAID_TRY(PlanInsert(*insert, context));
    BRAID_TRY_ASSIGN(const std::string plan, explain(insert->query));
    plans.push_back(ExplainInsert(*insert, plan));
  } else if (const auto* set = std::get_if<syntax::StatementSet>(&node)) {
    for (const syntax::StatementPtr& member : set->statements) {
      const auto& part = std::get<syntax::Insert>(member->node);
      BRAID_TRY_ASSIGN(const std::string plan, explain(part.query));
      plans.push_back(ExplainInsert(part, plan));
    }
  } else if (const auto change = ExplainAnyChange(node, context)) {
    if (!*change) return change->error();
    plans.push_back(**change);
  } else {
    return syntax::ErrorAt(ErrorCode::kUnsupported, context.text, statement.statement->position,
                           "only queries and changes of rows can be explained");
  }
  return TextResult("result", {Join(plans, "\n")});
}

Result<StatementResult> Run(const syntax::Execute& statement, const StatementContext& context) {
  return RunStatement(*statement.statement, context);
}

Options ToOptions(const std::vector<syntax::Property>& properties) {
  Options options;
  for (const syntax::Property& property : properties) options.Set(property.key, property.value);
  return options;
}

Result<Options> HintOptions(const std::vector<syntax::Hint>& hints, std::string_view text) {
  Options options;
  for (const syntax::Hint& hint : hints) {
    if (!EqualsIgnoreCase(hint.name.name, "OPTIONS")) continue;
    for (const syntax::HintArgument& argument : hint.arguments) {
      if (!argument.key) return syntax::SyntaxErrorAt(text, hint.name.position, "OPTIONS takes 'key' = 'value' pairs");
      options.Set(*argument.key, argument.value);
    }
  }
  return options;
}

Result<NamedTable> NameTable(const syntax::QualifiedName& name, const StatementContext& context) {
  NamedTable table;
  BRAID_TRY_ASSIGN(table.name, context.session.Qualify(name));
  BRAID_TRY_ASSIGN(table.identifier, Identifier::FromParts(table.name.database, table.name.table));
  BRAID_TRY_ASSIGN(table.catalog, context.session.FindCatalog(table.name.catalog));
  return table;
}

Result<StoredTable> OpenStored(const syntax::QualifiedName& name, const StatementContext& context,
                               const Options& options) {
  const auto open = [&]() -> Result<StoredTable> {
    BRAID_TRY_ASSIGN(NamedTable named, NameTable(name, context));
    if (context.session.FindView(named.name) != nullptr) {
      return Error(ErrorCode::kInvalidArgument, fmt::format("{} is a view", named.name.ToString()))
          .Hint("name the table that the view reads");
    }
    context.session.NoteMisspelt(options, OptionOwner::kTable);
    BRAID_TRY_ASSIGN(Table table, named.catalog->OpenTable(named.identifier, options));
    return StoredTable{.name = std::move(named.name),
                       .identifier = std::move(named.identifier),
                       .catalog = std::move(named.catalog),
                       .table = std::move(table)};
  };
  Result<StoredTable> table = open();
  if (!table) return PlaceError(std::move(table).error(), context.text, name.position());
  return table;
}

std::string NewCommitUser() {
  return RandomUuid();
}

Error PlaceError(Error error, std::string_view text, syntax::Position position) {
  Error placed = syntax::ErrorAt(error.code(), text, position, error.message());
  for (const std::string& line : error.context()) placed = std::move(placed).Context(line);
  if (!error.hint().empty()) placed = std::move(placed).Hint(error.hint());
  return placed;
}

Result<std::vector<std::string>> MatchPattern(std::vector<std::string> names, const syntax::Show& statement) {
  if (!statement.pattern) return names;
  const auto pattern = LikePattern::Parse(statement.ignore_case ? ToLower(*statement.pattern) : *statement.pattern);
  if (!pattern) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is no pattern", *statement.pattern))
        .Hint("a backslash stands only before %, _ or another backslash");
  }
  std::erase_if(names, [&](const std::string& name) {
    return pattern->Matches(statement.ignore_case ? ToLower(name) : name) == statement.negated;
  });
  return names;
}

StatementResult Done() {
  return {};
}

}  // namespace braid
