#include <fmt/format.h>

#include "syntax/printer_internal.h"

namespace braid::syntax {
namespace {

std::string_view ObjectWord(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::kTable: return "TABLE ";
    case ObjectKind::kView: return "VIEW ";
    case ObjectKind::kDatabase: return "DATABASE ";
    case ObjectKind::kCatalog: return "CATALOG ";
    case ObjectKind::kFunction: return "FUNCTION ";
  }
  return "";
}

std::string_view DetailWord(ExplainDetail detail) {
  switch (detail) {
    case ExplainDetail::kEstimatedCost: return "ESTIMATED_COST";
    case ExplainDetail::kChangelogMode: return "CHANGELOG_MODE";
    case ExplainDetail::kJsonExecutionPlan: return "JSON_EXECUTION_PLAN";
    case ExplainDetail::kPlanAdvice: return "PLAN_ADVICE";
  }
  return "";
}

}  // namespace

void Printer::Print(const Statement& statement) {
  std::visit([this](const auto& node) { PrintStatement(node); }, statement.node);
}

// ---- Rows ----

void Printer::PrintStatement(const QueryStatement& statement) {
  Print(*statement.query);
}

void Printer::PrintStatement(const Insert& insert) {
  Add(insert.overwrite ? "INSERT OVERWRITE " : "INSERT INTO ");
  Print(insert.table);
  if (!insert.hints.empty()) {
    Add(" ");
    PrintHints(insert.hints);
  }
  if (!insert.partition.empty()) {
    Add(" PARTITION ");
    PrintPartition(insert.partition);
  }
  if (insert.columns) {
    Add(" ");
    PrintColumnNames(*insert.columns);
  }
  Add(" ");
  Print(*insert.query);
}

void Printer::PrintAssignments(const std::vector<Assignment>& assignments) {
  AddList(assignments, [this](const Assignment& assignment) {
    Print(assignment.column);
    Add(" = ");
    Print(*assignment.value);
  });
}

void Printer::PrintStatement(const Update& update) {
  Add("UPDATE ");
  Print(update.table);
  if (!update.hints.empty()) {
    Add(" ");
    PrintHints(update.hints);
  }
  if (update.alias) {
    Add(" AS ");
    Add(*update.alias);
  }
  Add(" SET ");
  PrintAssignments(update.assignments);
  if (!update.where) return;
  Add(" WHERE ");
  Print(*update.where);
}

void Printer::PrintStatement(const Delete& statement) {
  Add("DELETE FROM ");
  Print(statement.table);
  if (!statement.hints.empty()) {
    Add(" ");
    PrintHints(statement.hints);
  }
  if (statement.alias) {
    Add(" AS ");
    Add(*statement.alias);
  }
  if (!statement.where) return;
  Add(" WHERE ");
  Print(*statement.where);
}

void Printer::PrintStatement(const Merge& merge) {
  Add("MERGE INTO ");
  Print(merge.table);
  if (!merge.hints.empty()) {
    Add(" ");
    PrintHints(merge.hints);
  }
  if (merge.alias) {
    Add(" AS ");
    Add(*merge.alias);
  }
  Add(" USING ");
  PrintJoinSide(*merge.source, std::holds_alternative<Join>(merge.source->node));
  Add(" ON ");
  Print(*merge.on);
  for (const MergeClause& clause : merge.clauses) Print(clause);
}

void Printer::Print(const MergeClause& clause) {
  switch (clause.match) {
    case MergeMatch::kMatched: Add(" WHEN MATCHED"); break;
    case MergeMatch::kNotMatched: Add(" WHEN NOT MATCHED"); break;
    case MergeMatch::kNotMatchedBySource: Add(" WHEN NOT MATCHED BY SOURCE"); break;
  }
  if (clause.condition) {
    Add(" AND ");
    Print(*clause.condition);
  }
  if (std::holds_alternative<MergeDelete>(clause.action)) {
    Add(" THEN DELETE");
  } else if (const auto* update = std::get_if<MergeUpdate>(&clause.action)) {
    Add(" THEN UPDATE SET ");
    if (update->assignments.empty()) Add("*");
    PrintAssignments(update->assignments);
  } else {
    const auto& insert = std::get<MergeInsert>(clause.action);
    Add(" THEN INSERT ");
    if (insert.values.empty()) Add("*");
    if (insert.columns) {
      PrintColumnNames(*insert.columns);
      Add(" ");
    }
    if (insert.values.empty()) return;
    Add("VALUES (");
    AddExpressions(insert.values);
    Add(")");
  }
}

void Printer::PrintStatement(const TruncateTable& truncate) {
  Add("TRUNCATE TABLE ");
  Print(truncate.table);
}

void Printer::PrintStatement(const AnalyzeTable& analyze) {
  Add("ANALYZE TABLE ");
  Print(analyze.table);
  if (!analyze.partition.empty()) {
    Add(" PARTITION ");
    PrintPartition(analyze.partition);
  }
  Add(" COMPUTE STATISTICS");
  if (analyze.all_columns) Add(" FOR ALL COLUMNS");
  if (analyze.columns.empty()) return;
  Add(" FOR COLUMNS ");
  AddList(analyze.columns, [this](const Identifier& column) { Add(column); });
}

// ---- Statements that hold statements ----

void Printer::PrintStatement(const StatementSet& set) {
  Add("EXECUTE STATEMENT SET BEGIN ");
  for (const StatementPtr& statement : set.statements) {
    Print(*statement);
    Add("; ");
  }
  Add("END");
}

void Printer::PrintStatement(const BeginStatementSet&) {
  Add("BEGIN STATEMENT SET");
}
void Printer::PrintStatement(const EndStatementSet&) {
  Add("END");
}

void Printer::PrintStatement(const Execute& execute) {
  Add("EXECUTE ");
  Print(*execute.statement);
}

void Printer::PrintStatement(const Explain& explain) {
  Add("EXPLAIN ");
  AddList(explain.details, [this](ExplainDetail detail) { Add(DetailWord(detail)); });
  if (!explain.details.empty()) Add(" ");
  Print(*explain.statement);
}

void Printer::PrintStatement(const Call& call) {
  Add("CALL ");
  Print(call.procedure);
  Add("(");
  AddList(call.arguments, [this](const CallArgument& argument) { PrintArgument(argument); });
  Add(")");
}

// ---- Views, databases, catalogs, functions ----

void Printer::PrintStatement(const Drop& drop) {
  Add(drop.temporary_system ? "DROP TEMPORARY SYSTEM " : drop.temporary ? "DROP TEMPORARY " : "DROP ");
  Add(ObjectWord(drop.kind));
  if (drop.if_exists) Add("IF EXISTS ");
  Print(drop.name);
  if (drop.cascade) Add(" CASCADE");
}

void Printer::PrintStatement(const CreateView& view) {
  Add(view.temporary ? "CREATE TEMPORARY VIEW " : "CREATE VIEW ");
  if (view.if_not_exists) Add("IF NOT EXISTS ");
  Print(view.name);
  if (!view.columns.empty()) {
    Add(" ");
    AddNames(view.columns);
  }
  PrintComment(view.comment);
  Add(" AS ");
  Print(*view.query);
}

void Printer::PrintStatement(const AlterView& alter) {
  Add("ALTER VIEW ");
  Print(alter.name);
  Add(" ");
  std::visit([this](const auto& change) { PrintChange(change); }, alter.change);
}

void Printer::PrintChange(const RenameView& change) {
  Add("RENAME TO ");
  Print(change.new_name);
}

void Printer::PrintChange(const ReplaceViewQuery& change) {
  Add("AS ");
  Print(*change.query);
}

void Printer::PrintStatement(const CreateDatabase& database) {
  Add(database.if_not_exists ? "CREATE DATABASE IF NOT EXISTS " : "CREATE DATABASE ");
  Print(database.name);
  PrintComment(database.comment);
  AddWith(database.options);
}

void Printer::PrintStatement(const AlterDatabase& alter) {
  Add("ALTER DATABASE ");
  Print(alter.name);
  Add(" ");
  PrintChange(alter.change);
}

void Printer::PrintStatement(const CreateCatalog& catalog) {
  Add(catalog.if_not_exists ? "CREATE CATALOG IF NOT EXISTS " : "CREATE CATALOG ");
  Add(catalog.name);
  PrintComment(catalog.comment);
  AddWith(catalog.options);
}

void Printer::PrintStatement(const AlterCatalog& alter) {
  Add("ALTER CATALOG ");
  Add(alter.name);
  Add(" ");
  std::visit([this](const auto& change) { PrintChange(change); }, alter.change);
}

void Printer::PrintStatement(const CreateFunction& function) {
  Add(function.alter ? "ALTER " : "CREATE ");
  if (function.temporary || function.temporary_system)
    Add(function.temporary_system ? "TEMPORARY SYSTEM " : "TEMPORARY ");
  Add("FUNCTION ");
  if (function.if_not_exists) Add(function.alter ? "IF EXISTS " : "IF NOT EXISTS ");
  Print(function.name);
  Add(" AS " + QuoteString(function.class_name));
  if (function.language) Add(" LANGUAGE " + *function.language);
  if (function.jars.empty()) return;
  Add(" USING ");
  AddList(function.jars, [this](const std::string& jar) { Add("JAR " + QuoteString(jar)); });
}

}  // namespace braid::syntax
