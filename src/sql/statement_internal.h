#pragma once

// One function for each kind of statement; Session::Execute picks it by the type of the tree. A new statement is one of
// these.

#include <string>
#include <string_view>
#include <vector>

#include "sql/job_plan.h"
#include "sql/session_internal.h"

namespace braid {

/// What running a statement needs: the session, and the statement's text for carets.
struct StatementContext {
  SessionState& session;
  std::string_view text;
};

// statement_query.cc
Result<StatementResult> Run(const syntax::QueryStatement& statement, const StatementContext& context);
Result<StatementResult> Run(const syntax::Explain& statement, const StatementContext& context);
Result<StatementResult> Run(const syntax::Execute& statement, const StatementContext& context);

// statement_insert.cc
Result<StatementResult> Run(const syntax::Insert& statement, const StatementContext& context);
Result<StatementResult> Run(const syntax::StatementSet& statement, const StatementContext& context);
Result<StatementResult> Run(const syntax::BeginStatementSet& statement, const StatementContext& context);
Result<StatementResult> Run(const syntax::EndStatementSet& statement, const StatementContext& context);

// statement_change.cc
Result<StatementResult> Run(const syntax::TruncateTable& statement, const StatementContext& context);
Result<StatementResult> Run(const syntax::AnalyzeTable& statement, const StatementContext& context);

// statement_delete.cc, statement_update.cc, statement_merge.cc
Result<StatementResult> Run(const syntax::Delete& statement, const StatementContext& context);
Result<StatementResult> Run(const syntax::Update& statement, const StatementContext& context);
Result<StatementResult> Run(const syntax::Merge& statement, const StatementContext& context);
/// What EXPLAIN shows of them.
Result<std::string> ExplainChange(const syntax::Delete& statement, const StatementContext& context);
Result<std::string> ExplainChange(const syntax::Update& statement, const StatementContext& context);
Result<std::string> ExplainChange(const syntax::Merge& statement, const StatementContext& context);

// statement_table.cc
Result<StatementResult> Run(const syntax::CreateTable& statement, const StatementContext& context);
Result<StatementResult> Run(const syntax::Drop& statement, const StatementContext& context);

// statement_alter.cc
Result<StatementResult> Run(const syntax::AlterTable& statement, const StatementContext& context);

// statement_view.cc
Result<StatementResult> Run(const syntax::CreateView& statement, const StatementContext& context);
Result<StatementResult> Run(const syntax::AlterView& statement, const StatementContext& context);

// statement_catalog.cc
Result<StatementResult> Run(const syntax::CreateCatalog& statement, const StatementContext& context);
Result<StatementResult> Run(const syntax::AlterCatalog& statement, const StatementContext& context);
Result<StatementResult> Run(const syntax::CreateDatabase& statement, const StatementContext& context);
Result<StatementResult> Run(const syntax::AlterDatabase& statement, const StatementContext& context);
Result<StatementResult> Run(const syntax::UseCatalog& statement, const StatementContext& context);
Result<StatementResult> Run(const syntax::UseDatabase& statement, const StatementContext& context);
/// DROP CATALOG and DROP DATABASE.
Status DropCatalog(const syntax::Drop& statement, const StatementContext& context);
Status DropDatabase(const syntax::Drop& statement, const StatementContext& context);

// statement_option.cc
Result<StatementResult> Run(const syntax::Set& statement, const StatementContext& context);
Result<StatementResult> Run(const syntax::Reset& statement, const StatementContext& context);
Result<StatementResult> Run(const syntax::ClientCommand& statement, const StatementContext& context);
Result<StatementResult> Run(const syntax::UseModules& statement, const StatementContext& context);
Result<StatementResult> Run(const syntax::LoadModule& statement, const StatementContext& context);
Result<StatementResult> Run(const syntax::UnloadModule& statement, const StatementContext& context);
Result<StatementResult> Run(const syntax::JarCommand& statement, const StatementContext& context);
Result<StatementResult> Run(const syntax::CreateFunction& statement, const StatementContext& context);

// statement_show.cc, statement_describe.cc
Result<StatementResult> Run(const syntax::Show& statement, const StatementContext& context);
Result<StatementResult> Run(const syntax::Describe& statement, const StatementContext& context);
/// SHOW CREATE TABLE, VIEW and CATALOG.
Result<StatementResult> ShowCreate(const syntax::Show& statement, const StatementContext& context);
/// The rows of DESCRIBE and SHOW COLUMNS.
Result<StatementResult> DescribeTable(const FullName& name, const syntax::Show* filter,
                                      const StatementContext& context);

// statement_job.cc
Result<StatementResult> Run(const syntax::StopJob& statement, const StatementContext& context);
Result<StatementResult> ShowJobs(const StatementContext& context);
Result<StatementResult> DescribeJob(const syntax::Describe& statement, const StatementContext& context);
/// Hands INSERTs to the session's job service. Errors: kUnsupported without one.
Result<StatementResult> SubmitJob(const JobPlan& plan, const StatementContext& context);

// statement_call.cc
Result<StatementResult> Run(const syntax::Call& statement, const StatementContext& context);
/// Names of the procedures, ascending.
std::vector<std::string> ProcedureNames();

/// Plans an INSERT or a statement set, also within EXECUTE. Errors: kInvalidArgument for other statements.
Result<JobPlan> PlanJobStatement(const syntax::Statement& statement, const StatementContext& context);

/// Runs any statement.
Result<StatementResult> RunStatement(const syntax::Statement& statement, const StatementContext& context);

// What several of them use.

Options ToOptions(const std::vector<syntax::Property>& properties);
/// The options that `/*+ OPTIONS(…) */` hints give. Errors: kInvalidArgument.
Result<Options> HintOptions(const std::vector<syntax::Hint>& hints, std::string_view text);
/// A stored table by name, with its catalog. Errors: kNotFound; kInvalidArgument for a view or system table.
struct StoredTable {
  FullName name;
  Identifier identifier;
  std::shared_ptr<Catalog> catalog;
  Table table;
};
Result<StoredTable> OpenStored(const syntax::QualifiedName& name, const StatementContext& context,
                               const Options& options = {});
/// A name within its catalog; the table need not exist.
struct NamedTable {
  FullName name;
  Identifier identifier;
  std::shared_ptr<Catalog> catalog;
};
Result<NamedTable> NameTable(const syntax::QualifiedName& name, const StatementContext& context);
/// A commit user that nobody else has.
std::string NewCommitUser();
/// Puts the place of a name into an error that shows none.
Error PlaceError(Error error, std::string_view text, syntax::Position position);
/// Rows of the pattern of SHOW … LIKE. Errors: kInvalidArgument for a malformed pattern.
Result<std::vector<std::string>> MatchPattern(std::vector<std::string> names, const syntax::Show& statement);
StatementResult Done();
/// Writes the rows of a query into a new table, for CREATE TABLE … AS.
Result<StatementResult> InsertQuery(const syntax::QualifiedName& table, const syntax::QueryPtr& query,
                                    const StatementContext& context);

}  // namespace braid
