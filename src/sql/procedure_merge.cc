// CALL sys.merge_into(…): MERGE INTO in the arguments of Paimon's procedure.

#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "sql/procedure.h"
#include "syntax/parser.h"

namespace braid {

namespace {

std::string Given(const ProcedureArguments& arguments, std::string_view name) {
  return std::string(Trim(arguments.Text(name).value_or("")));
}

Status RunText(const std::string& text, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const syntax::Statement tree, syntax::ParseStatement(text));
  BRAID_TRY(RunStatement(tree, {.session = context.session, .text = text}));
  return Ok();
}

// A clause of the statement, and the arguments that stand for it.
struct Clause {
  const char* match;
  const char* condition;
  const char* value;  // nullptr: it has none
  const char* before;
  const char* after;
  const char* all;  // where the value is '*'; nullptr: it cannot be
};

constexpr Clause kClauses[] = {
    {"MATCHED", "matched_upsert_condition", "matched_upsert_setting", "UPDATE SET ", "", "UPDATE SET *"},
    {"MATCHED", "matched_delete_condition", nullptr, "DELETE", "", nullptr},
    {"NOT MATCHED", "not_matched_insert_condition", "not_matched_insert_values", "INSERT VALUES (", ")", "INSERT *"},
    {"NOT MATCHED BY SOURCE", "not_matched_by_source_upsert_condition", "not_matched_by_source_upsert_setting",
     "UPDATE SET ", "", nullptr},
    {"NOT MATCHED BY SOURCE", "not_matched_by_source_delete_condition", nullptr, "DELETE", "", nullptr},
};

// Empty if the clause is not wanted.
Result<std::string> ClauseText(const Clause& clause, const ProcedureArguments& arguments) {
  const std::string condition = Given(arguments, clause.condition);
  const std::string value = clause.value == nullptr ? "" : Given(arguments, clause.value);
  if (condition.empty() && value.empty()) return std::string();
  if (clause.value != nullptr && value.empty()) {
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("'{}' is given without '{}'", clause.condition, clause.value));
  }
  if (value == "*" && clause.all == nullptr) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' cannot be '*'", clause.value))
        .Hint("there is no row of the source to take the values from");
  }
  return fmt::format(" WHEN {}{} THEN {}", clause.match, condition.empty() ? "" : fmt::format(" AND ({})", condition),
                     value == "*" ? clause.all : clause.before + value + clause.after);
}

Result<std::string> MergeText(const ProcedureArguments& arguments) {
  for (const char* name : {"source_table", "merge_condition"}) {
    if (Given(arguments, name).empty()) {
      return Error(ErrorCode::kInvalidArgument, fmt::format("argument '{}' is missing", name));
    }
  }
  std::string sql = "MERGE INTO " + Given(arguments, "target_table");
  if (const std::string alias = Given(arguments, "target_alias"); !alias.empty()) sql += " AS " + alias;
  sql += " USING " + Given(arguments, "source_table") + " ON " + Given(arguments, "merge_condition");
  const std::size_t without_clauses = sql.size();
  for (const Clause& clause : kClauses) {
    BRAID_TRY_ASSIGN(const std::string text, ClauseText(clause, arguments));
    sql += text;
  }
  if (sql.size() == without_clauses) {
    return Error(ErrorCode::kInvalidArgument, "it is not said what to do")
        .Hint("matched_upsert_setting => '*', not_matched_insert_values => '*'");
  }
  return sql;
}

Result<StatementResult> MergeInto(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const std::string merge, MergeText(arguments));
  for (const std::string& statement : Split(arguments.Text("source_sqls").value_or(""), ';')) {
    if (!Trim(statement).empty()) BRAID_TRY(RunText(statement, context).Context("in argument 'source_sqls'"));
  }
  BRAID_TRY(RunText(merge, context).Context("while running " + merge));
  return ProcedureSuccess();
}

}  // namespace

Procedure MergeIntoProcedure() {
  const DataType text = DataType::String();
  return {"merge_into",
          {{"target_table", text},
           {"target_alias", text, true},
           {"source_sqls", text, true},
           {"source_table", text, true},
           {"merge_condition", text, true},
           {"matched_upsert_condition", text, true},
           {"matched_upsert_setting", text, true},
           {"not_matched_insert_condition", text, true},
           {"not_matched_insert_values", text, true},
           {"matched_delete_condition", text, true},
           {"not_matched_by_source_upsert_condition", text, true},
           {"not_matched_by_source_upsert_setting", text, true},
           {"not_matched_by_source_delete_condition", text, true}},
          MergeInto};
}

}  // namespace braid
