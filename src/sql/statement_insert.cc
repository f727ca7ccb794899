// INSERT and statement sets: query → columns of the sink → writer → commit, as one job with one commit user. Or, in
// streaming mode, handed to whoever keeps jobs.

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/text.h"
#include "sql/batch_job.h"
#include "sql/insert_plan.h"
#include "sql/operator.h"
#include "table/commit.h"
#include "table/partition_done_trigger.h"
#include "table/write.h"

namespace braid {

namespace {

// An INSERT ready for the engine.
struct Sink {
  InsertPlan plan;
  DuckProgram program;
  std::string sql;  // gives the table's columns in their types
};

// Data files that nobody sees yet. They go with it, unless their messages were taken to be committed.
class WrittenFiles {
 public:
  WrittenFiles(const Table& table, std::unique_ptr<TableWriter> writer) : table_(table), writer_(std::move(writer)) {}
  WrittenFiles(WrittenFiles&&) = default;
  WrittenFiles& operator=(WrittenFiles&&) = delete;
  ~WrittenFiles() {
    // What cannot be deleted here is an orphan, which no snapshot names.
    if (!messages_.empty()) static_cast<void>(TableCommit(table_, NewCommitUser()).Abort(messages_));
  }

  Status Write(const Batch& rows) { return writer_->Write(rows); }
  Status Finish() {
    BRAID_TRY_ASSIGN(messages_, writer_->PrepareCommit(true, kBatchCommitIdentifier));
    return Ok();
  }
  std::vector<CommitMessage> TakeMessages() { return std::exchange(messages_, {}); }

 private:
  Table table_;
  std::unique_ptr<TableWriter> writer_;  // deletes what it has not handed over
  std::vector<CommitMessage> messages_;
};

// Written, not committed: rows of a Paimon table or of a connector's.
struct Written {
  std::optional<WrittenFiles> files;
  std::unique_ptr<ConnectorSink> outside;
  Json prepared;  // what `outside` needs for its commit
  std::optional<PartitionDoneTrigger> done;  // of a table whose partitions are marked when all is committed
};

Result<Sink> Prepare(InsertPlan plan, SessionState& session) {
  Sink sink{.plan = std::move(plan), .program = {}, .sql = {}};
  BRAID_TRY_ASSIGN(DuckEngine * engine, session.Engine());
  BRAID_TRY_ASSIGN(sink.program, EmitDuckSql(sink.plan.insert.query, *engine));
  sink.sql = sink.plan.insert.Select(sink.program.sql);
  return sink;
}

template <typename Write>
Status WriteRows(const Sink& sink, SessionState& session, Write write) {
  std::vector<DataType> wanted;
  for (const DataField& field : FieldsOf(sink.plan.insert.table)) wanted.push_back(field.type.Nullable());
  BRAID_TRY_ASSIGN(DuckConnection * connection, session.Connection());
  BRAID_TRY_ASSIGN(auto rows, connection->Query(sink.sql, wanted));
  for (;;) {
    BRAID_TRY(session.CheckCancelled());
    BRAID_TRY_ASSIGN(const std::optional<Batch> batch, rows->Next());
    if (!batch) return Ok();
    BRAID_TRY(write(*batch));
  }
}

// Runs a query into data files that nobody sees yet.
Result<Written> Write(const Sink& sink, const StartedJob& start, SessionState& session) {
  Written written;
  if (const auto* outside = std::get_if<std::shared_ptr<const ConnectorTable>>(&sink.plan.insert.table)) {
    BRAID_TRY_ASSIGN(written.outside, (*outside)->OpenSink(start.commit_user));
    BRAID_TRY(WriteRows(sink, session, [&](const Batch& batch) { return written.outside->Write(batch); }));
    BRAID_TRY_ASSIGN(written.prepared, written.outside->Prepare(1));
    return written;
  }
  const Table& table = std::get<Table>(sink.plan.insert.table);
  BRAID_TRY_ASSIGN(written.done, PartitionDoneTrigger::Make(table, /*streaming=*/false));
  BRAID_TRY_ASSIGN(std::string folder, session.TemporaryFolder());
  BRAID_TRY_ASSIGN(auto writer, TableWriter::Make(table, {.commit_user = start.commit_user,
                                                          .spill_directory = std::move(folder),
                                                          .ignore_previous_files = sink.plan.overwrite,
                                                          .sorts_rows = true}));
  WrittenFiles& files = written.files.emplace(table, std::move(writer));
  BRAID_TRY(WriteRows(sink, session, [&](const Batch& batch) { return files.Write(batch); }));
  BRAID_TRY(files.Finish());
  return written;
}

// Deletes the files of a commit that failed, where it is certain that no snapshot names them.
void Abandon(TableCommit& commit, const Committable& committable, const Error& error) {
  if (error.code() == ErrorCode::kCommitUnknown) return;
  const auto left = commit.FilterUncommitted({committable.identifier});
  if (left && !left->empty()) static_cast<void>(commit.Abort(committable.messages));  // else orphans
}

Result<std::vector<Snapshot>> Commit(const Sink& sink, Written& written, const StartedJob& start, const Clock& clock) {
  if (written.outside != nullptr) {
    if (!written.prepared.is_null()) BRAID_TRY(written.outside->Commit(written.prepared));
    return std::vector<Snapshot>();
  }
  const Table& table = std::get<Table>(sink.plan.insert.table);
  BRAID_TRY_ASSIGN(const bool dynamic, table.options().GetBool("dynamic-partition-overwrite", true));
  TableCommit commit(table, start.commit_user, clock);
  const Committable committable{.identifier = kBatchCommitIdentifier,
                                .watermark = std::nullopt,
                                .properties = start.properties,
                                .messages = written.files->TakeMessages()};
  auto snapshots = sink.plan.overwrite
                       ? commit.Overwrite(committable, {.partition = sink.plan.partition,
                                                        .dynamic = dynamic && table.schema().is_partitioned()})
                       : commit.Commit(committable);
  if (!snapshots) {
    Abandon(commit, committable, snapshots.error());
    return snapshots;
  }
  BRAID_TRY(MarkAtEndOfInput(table, std::move(written.done), committable.messages, clock));
  return snapshots;
}

Result<SinkSnapshots> WriteAndCommit(const std::vector<Sink>& sinks, const StartedJob& start, SessionState& session) {
  std::vector<Written> written;
  for (const Sink& sink : sinks) {
    BRAID_TRY_ASSIGN(Written one, Write(sink, start, session));
    written.push_back(std::move(one));
  }
  SinkSnapshots snapshots;
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    BRAID_TRY_ASSIGN(auto made, Commit(sinks[i], written[i], start, session.clock())
                                    .Context("while committing to " + sinks[i].plan.insert.name));
    snapshots.push_back(std::move(made));
  }
  return snapshots;
}

JobDescription Describe(const std::string& name, const std::vector<Sink>& sinks, const StatementContext& context) {
  JobDescription job{.name = name, .statement = std::string(context.text), .sources = {}, .sinks = {}};
  for (const Sink& sink : sinks) {
    job.sources.insert(job.sources.end(), sink.program.sources.begin(), sink.program.sources.end());
    const PlannedInsert& insert = sink.plan.insert;
    if (const auto* table = std::get_if<Table>(&insert.table))
      job.sinks.push_back({.catalog = insert.catalog, .identifier = insert.identifier, .table = *table});
  }
  return job;
}

Result<StatementResult> RunBatch(std::vector<InsertPlan> plans, const StatementContext& context) {
  SessionState& session = context.session;
  StatementResult result{.kind = StatementResult::Kind::kWritten};
  const std::string name = JobName(plans, session);
  std::vector<Sink> sinks;
  for (InsertPlan& plan : plans) {
    BRAID_TRY_ASSIGN(Sink sink, Prepare(std::move(plan), session));
    sinks.push_back(std::move(sink));
  }
  BRAID_TRY_ASSIGN(SinkSnapshots snapshots, RunBatchJob(Describe(name, sinks, context), session, [&](const StartedJob& start) {
                     return WriteAndCommit(sinks, start, session);
                   }));
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    const PlannedInsert& insert = sinks[i].plan.insert;
    result.sinks.push_back(
        {.catalog = insert.catalog, .identifier = insert.identifier, .snapshots = std::move(snapshots[i])});
  }
  return result;
}

bool ReadsTables(const Operator& node) {
  if (std::holds_alternative<op::Scan>(node.node)) return true;
  const std::vector<OperatorPtr> inputs = InputsOf(node);
  return std::any_of(inputs.begin(), inputs.end(), [](const OperatorPtr& input) { return ReadsTables(*input); });
}

// What a scan reads that a job cannot follow: a system table.
bool ReadsVirtualTables(const Operator& node) {
  if (const auto* scan = std::get_if<op::Scan>(&node.node)) {
    const auto* table = std::get_if<std::shared_ptr<const VirtualTable>>(&*scan->table.relation);
    return table != nullptr && std::dynamic_pointer_cast<const ConnectorTable>(*table) == nullptr;
  }
  const std::vector<OperatorPtr> inputs = InputsOf(node);
  return std::any_of(inputs.begin(), inputs.end(), [](const OperatorPtr& input) { return ReadsVirtualTables(*input); });
}

// Whether the inserts go on as a job: if streaming is asked for, or if nothing is and they are what Flink would run as
// one. Values alone, and what only batch can do, run in batch unless streaming is asked for.
Result<bool> RunsAsJob(const std::vector<InsertPlan>& plans, const SessionState& session) {
  const auto any = [&](auto test) { return std::any_of(plans.begin(), plans.end(), test); };
  const std::string mode = session.Option("execution.runtime-mode");
  if (EqualsIgnoreCase(mode, "batch") || EqualsIgnoreCase(mode, "automatic")) return false;
  if (!any([](const InsertPlan& plan) { return ReadsTables(*plan.insert.query.root); })) return false;
  const bool overwrites = any([](const InsertPlan& plan) { return plan.overwrite; });
  if (EqualsIgnoreCase(mode, "streaming")) {
    if (!overwrites) return true;
    return Error(ErrorCode::kUnsupported, "INSERT OVERWRITE has no meaning in streaming mode")
        .Hint("SET 'execution.runtime-mode' = 'batch'");
  }
  return session.jobs() != nullptr && !overwrites &&
         !any([](const InsertPlan& plan) { return ReadsVirtualTables(*plan.insert.query.root); });
}

JobPlan ToJobPlan(std::vector<InsertPlan> plans, const StatementContext& context) {
  JobPlan job{.name = JobName(plans, context.session), .statement = std::string(context.text), .inserts = {}};
  for (InsertPlan& plan : plans) job.inserts.push_back(std::move(plan.insert));
  return job;
}

Result<StatementResult> RunInserts(std::vector<InsertPlan> plans, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const bool streaming, RunsAsJob(plans, context.session));
  if (streaming) return SubmitJob(ToJobPlan(std::move(plans), context), context);
  return RunBatch(std::move(plans), context);
}

Result<std::vector<InsertPlan>> PlanSet(const syntax::StatementSet& set, const StatementContext& context) {
  std::vector<InsertPlan> plans;
  for (const syntax::StatementPtr& member : set.statements) {
    BRAID_TRY_ASSIGN(InsertPlan plan, PlanInsert(std::get<syntax::Insert>(member->node), context));
    plans.push_back(std::move(plan));
  }
  return plans;
}

}  // namespace

Result<StatementResult> Run(const syntax::Insert& statement, const StatementContext& context) {
  if (auto& set = context.session.statement_set()) {
    set->push_back({.text = std::string(context.text), .insert = statement});
    return Done();
  }
  std::vector<InsertPlan> plans;
  BRAID_TRY_ASSIGN(InsertPlan plan, PlanInsert(statement, context));
  plans.push_back(std::move(plan));
  return RunInserts(std::move(plans), context);
}

Result<StatementResult> Run(const syntax::StatementSet& statement, const StatementContext& context) {
  BRAID_TRY_ASSIGN(std::vector<InsertPlan> plans, PlanSet(statement, context));
  return RunInserts(std::move(plans), context);
}

Result<StatementResult> Run(const syntax::BeginStatementSet&, const StatementContext& context) {
  context.session.statement_set().emplace();
  return Done();
}

Result<StatementResult> Run(const syntax::EndStatementSet&, const StatementContext& context) {
  if (!context.session.statement_set()) {
    return Error(ErrorCode::kInvalidArgument, "END stands outside of a statement set")
        .Hint("BEGIN STATEMENT SET begins one");
  }
  const auto inserts = std::exchange(context.session.statement_set(), std::nullopt).value();
  if (inserts.empty())
    return Error(ErrorCode::kInvalidArgument, "the statement set is empty").Hint("put at least one INSERT into it");
  std::vector<InsertPlan> plans;
  std::string whole = "BEGIN STATEMENT SET;\n";
  for (const auto& [text, insert] : inserts) {
    BRAID_TRY_ASSIGN(InsertPlan plan, PlanInsert(insert, {.session = context.session, .text = text}));
    plans.push_back(std::move(plan));
    whole += text + ";\n";
  }
  whole += "END";
  return RunInserts(std::move(plans), {.session = context.session, .text = whole});
}

Result<StatementResult> InsertQuery(const syntax::QualifiedName& table, const syntax::QueryPtr& query,
                                    const StatementContext& context) {
  if (EqualsIgnoreCase(context.session.Option("execution.runtime-mode"), "streaming")) {
    return Error(ErrorCode::kUnsupported, "CREATE TABLE … AS takes its rows in batch mode alone")
        .Hint("CREATE TABLE, then INSERT INTO it; or SET 'execution.runtime-mode' = 'batch'");
  }
  std::vector<InsertPlan> plans;
  BRAID_TRY_ASSIGN(InsertPlan plan, PlanInsert({.table = table, .query = query}, context));
  plans.push_back(std::move(plan));
  return RunBatch(std::move(plans), context);
}

Result<JobPlan> PlanJobStatement(const syntax::Statement& statement, const StatementContext& context) {
  if (const auto* execute = std::get_if<syntax::Execute>(&statement.node))
    return PlanJobStatement(*execute->statement, context);
  std::vector<InsertPlan> plans;
  if (const auto* insert = std::get_if<syntax::Insert>(&statement.node)) {
    BRAID_TRY_ASSIGN(InsertPlan plan, PlanInsert(*insert, context));
    plans.push_back(std::move(plan));
  } else if (const auto* set = std::get_if<syntax::StatementSet>(&statement.node)) {
    BRAID_TRY_ASSIGN(plans, PlanSet(*set, context));
  } else {
    return Error(ErrorCode::kInvalidArgument, "only INSERT and statement sets can be jobs");
  }
  return ToJobPlan(std::move(plans), context);
}

}  // namespace braid
