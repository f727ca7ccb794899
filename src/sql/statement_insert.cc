// INSERT and statement sets: query → columns of the sink → writer → commit, as one job with one commit user.

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/text.h"
#include "duck/function_table.h"
#include "duck/type_mapping.h"
#include "sql/sink_cast.h"
#include "sql/statement_internal.h"
#include "syntax/printer.h"
#include "syntax/source.h"
#include "table/commit.h"
#include "table/write.h"
#include "types/cast.h"

namespace braid {

namespace {

// An INSERT with everything settled but the writing.
struct Sink {
  StoredTable target;
  bool overwrite = false;
  std::map<std::string, std::string> partition;  // PARTITION (k = 'v'), as text
  DuckProgram program;
  std::string sql;  // gives the table's columns in their types
};

// Written, not committed.
struct Written {
  std::unique_ptr<TableWriter> writer;  // deletes its files if it goes before they are committed
  std::vector<CommitMessage> messages;
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

Result<const DataField*> FindSinkColumn(const TableSchema& schema, const syntax::Identifier& name,
                                        std::string_view text) {
  if (const DataField* field = schema.FindColumn(name.name)) return field;
  std::vector<std::string> names;
  for (const DataField& field : schema.fields) names.push_back(field.name);
  Error error = syntax::ErrorAt(ErrorCode::kNotFound, text, name.position,
                                fmt::format("the table has no column '{}'", name.name));
  if (const auto nearest = NearestName(name.name, names))
    return std::move(error).Hint(fmt::format("did you mean '{}'?", *nearest));
  return std::move(error).Hint("its columns are " + Join(names, ", "));
}

// SQL of the columns that the statement gives a value, by name.
class SinkColumns {
 public:
  SinkColumns(const StoredTable& target, const StatementContext& context) : target_(target), context_(context) {}

  // The static partition: constants.
  Status AddPartition(const syntax::PartitionSpec& spec, std::map<std::string, std::string>& texts) {
    for (const syntax::PartitionKey& key : spec) {
      const std::vector<std::string>& keys = target_.table.schema().partition_keys;
      if (std::find(keys.begin(), keys.end(), key.name.name) == keys.end()) {
        return syntax::ErrorAt(ErrorCode::kInvalidArgument, context_.text, key.name.position,
                               fmt::format("'{}' is no partition column of {}", key.name.name, target_.name.ToString()))
            .Hint(keys.empty() ? "the table is not partitioned" : "its partition columns are " + Join(keys, ", "));
      }
      if (!key.value) continue;
      const DataType& type = target_.table.schema().FindColumn(key.name.name)->type;
      BRAID_TRY_ASSIGN(const Datum value,
                       context_.session.EvaluateConstant(*key.value, context_.text, type.Nullable()));
      BRAID_TRY_ASSIGN(std::string sql, EmitLiteral(value, type.Nullable()));
      sql_.emplace(key.name.name, std::move(sql));
      texts.emplace(key.name.name,
                    value.is_null() ? target_.table.layout().default_partition_name : FormatDatum(value, type));
    }
    return Ok();
  }

  // The columns that the query's columns go to, in their order.
  Result<std::vector<const DataField*>> Wanted(const std::optional<std::vector<syntax::QualifiedName>>& columns) const {
    const TableSchema& schema = target_.table.schema();
    std::vector<const DataField*> wanted;
    if (!columns) {
      for (const DataField& field : schema.fields) {
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
      BRAID_TRY_ASSIGN(const DataField* field, FindSinkColumn(schema, name.parts[0], context_.text));
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
    const bool fit = EqualsIgnoreCase(context_.session.Option("table.exec.sink.type-length-enforcer"), "TRIM_PAD");
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!CanStore(columns[i].type, wanted[i]->type)) {
        return Mismatch(fmt::format("column '{}' is {} and cannot take {}", wanted[i]->name,
                                    SummaryTypeText(wanted[i]->type.Nullable()),
                                    SummaryTypeText(columns[i].type.WithNullability(true))),
                        target_.name, columns, wanted)
            .Hint(fmt::format("CAST it to {}", SummaryTypeText(wanted[i]->type.Nullable())));
      }
      BRAID_TRY_ASSIGN(std::string sql, StoreAs({.type = columns[i].type, .sql = fmt::format("q.c{}", i)},
                                                wanted[i]->type, fit, {.zone = context_.session.time_zone()}));
      sql_.emplace(wanted[i]->name, std::move(sql));
    }
    return Ok();
  }

  // The whole statement for the engine.
  Result<std::string> Emit(const std::string& query, std::size_t column_count) const {
    std::string items;
    std::string not_null;
    const bool drop_nulls = EqualsIgnoreCase(context_.session.Option("table.exec.sink.not-null-enforcer"), "DROP");
    for (const DataField& field : target_.table.schema().fields) {
      BRAID_TRY_ASSIGN(const std::string item, Item(field));
      items += (items.empty() ? "" : ", ") + item;
      if (drop_nulls && !field.type.nullable())
        not_null += fmt::format("{}({}) IS NOT NULL", not_null.empty() ? " WHERE " : " AND ", item);
    }
    std::string names;
    for (std::size_t i = 0; i < column_count; ++i) names += fmt::format("{}c{}", i > 0 ? ", " : "", i);
    return fmt::format("SELECT {} FROM ({}) AS q({}){}", items, query, names, not_null);
  }

 private:
  // What the statement gives, else the default, else NULL.
  Result<std::string> Item(const DataField& field) const {
    if (const auto given = sql_.find(field.name); given != sql_.end()) return given->second;
    const DataType type = field.type.Nullable();
    if (!field.default_value) return EmitLiteral(Datum(), type);
    BRAID_TRY_ASSIGN(
        const Datum value,
        ParseDatum(*field.default_value, type).Context("while reading the default of column " + field.name));
    return EmitLiteral(value, type);
  }

  const StoredTable& target_;
  const StatementContext& context_;
  std::map<std::string, std::string> sql_;
};

Result<Sink> Prepare(const syntax::Insert& insert, const StatementContext& context) {
  SessionState& session = context.session;
  BRAID_TRY_ASSIGN(const Options hints, HintOptions(insert.hints, context.text));
  BRAID_TRY_ASSIGN(StoredTable target, OpenStored(insert.table, context, hints));
  Sink sink{.target = std::move(target), .overwrite = insert.overwrite, .partition = {}, .program = {}, .sql = {}};
  SinkColumns columns(sink.target, context);
  BRAID_TRY(columns.AddPartition(insert.partition, sink.partition));
  BRAID_TRY_ASSIGN(const auto wanted, columns.Wanted(insert.columns));
  BRAID_TRY_ASSIGN(const AnalyzedQuery query, AnalyzeQuery(*insert.query, context.text, session));
  BRAID_TRY(columns.AddQuery(query.columns, wanted));
  BRAID_TRY_ASSIGN(DuckEngine * engine, session.Engine());
  BRAID_TRY_ASSIGN(sink.program, EmitDuckSql(query, *engine));
  BRAID_TRY_ASSIGN(sink.sql, columns.Emit(sink.program.sql, query.columns.size()));
  return sink;
}

// Runs a query into data files that nobody sees yet.
Result<Written> Write(const Sink& sink, const StartedJob& start, SessionState& session) {
  std::vector<DataType> wanted;
  for (const DataField& field : sink.target.table.schema().fields) wanted.push_back(field.type.Nullable());
  Written written;
  BRAID_TRY_ASSIGN(written.writer, TableWriter::Make(sink.target.table, {.commit_user = start.commit_user,
                                                                         .spill_directory = {},
                                                                         .ignore_previous_files = sink.overwrite}));
  BRAID_TRY_ASSIGN(DuckConnection * connection, session.Connection());
  BRAID_TRY_ASSIGN(auto rows, connection->Query(sink.sql, wanted));
  for (;;) {
    BRAID_TRY(session.CheckCancelled());
    BRAID_TRY_ASSIGN(const std::optional<Batch> batch, rows->Next());
    if (!batch) break;
    BRAID_TRY(written.writer->Write(*batch));
  }
  BRAID_TRY_ASSIGN(written.messages, written.writer->PrepareCommit(true, kBatchCommitIdentifier));
  return written;
}

Result<std::vector<Snapshot>> Commit(const Sink& sink, Written written, const StartedJob& start, const Clock& clock) {
  TableCommit commit(sink.target.table, start.commit_user, clock);
  Committable committable{.identifier = kBatchCommitIdentifier,
                          .watermark = std::nullopt,
                          .properties = start.properties,
                          .messages = std::move(written.messages)};
  if (!sink.overwrite) return commit.Commit(committable);
  const Table& table = sink.target.table;
  BRAID_TRY_ASSIGN(const bool dynamic, table.options().GetBool("dynamic-partition-overwrite", true));
  return commit.Overwrite(committable,
                          {.partition = sink.partition, .dynamic = dynamic && table.schema().is_partitioned()});
}

Result<std::vector<std::vector<Snapshot>>> WriteAndCommit(const std::vector<Sink>& sinks, const StartedJob& start,
                                                          SessionState& session) {
  std::vector<Written> written;
  for (const Sink& sink : sinks) {
    BRAID_TRY_ASSIGN(Written one, Write(sink, start, session));
    written.push_back(std::move(one));
  }
  std::vector<std::vector<Snapshot>> snapshots;
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    BRAID_TRY_ASSIGN(auto made, Commit(sinks[i], std::move(written[i]), start, session.clock())
                                    .Context("while committing to " + sinks[i].target.name.ToString()));
    snapshots.push_back(std::move(made));
  }
  return snapshots;
}

JobDescription Describe(const std::vector<Sink>& sinks, const StatementContext& context) {
  JobDescription job{.name = context.session.Option("pipeline.name"),
                     .statement = std::string(context.text),
                     .sources = {},
                     .sinks = {}};
  std::string default_name = "insert-into";
  for (const Sink& sink : sinks) {
    default_name += (sinks.front().sql.data() == sink.sql.data() ? "_" : ",") + sink.target.name.ToString();
    job.sources.insert(job.sources.end(), sink.program.sources.begin(), sink.program.sources.end());
    job.sinks.push_back(
        {.catalog = sink.target.name.catalog, .identifier = sink.target.identifier, .table = sink.target.table});
  }
  if (job.name.empty()) job.name = std::move(default_name);
  return job;
}

// Explicit streaming is refused where a job would have to go on; not said at all, batch is what there is, with a
// notice.
Result<std::vector<std::string>> CheckMode(const std::vector<Sink>& sinks, const SessionState& session) {
  const bool reads_tables =
      std::any_of(sinks.begin(), sinks.end(), [](const Sink& sink) { return !sink.program.sources.empty(); });
  const std::string mode = session.Option("execution.runtime-mode");
  std::vector<std::string> notices;
  if (!reads_tables || EqualsIgnoreCase(mode, "batch") || EqualsIgnoreCase(mode, "automatic")) return notices;
  if (EqualsIgnoreCase(mode, "streaming")) {
    return Error(ErrorCode::kUnsupported,
                 "streaming jobs are not supported yet, so an INSERT from tables cannot run in streaming mode")
        .Hint("SET 'execution.runtime-mode' = 'batch' copies what the tables hold now");
  }
  notices.emplace_back(
      "ran in batch mode, once, since streaming jobs are not supported yet; SET 'execution.runtime-mode' = 'batch' "
      "says so");
  return notices;
}

Result<StatementResult> RunSinks(const std::vector<Sink>& sinks, const StatementContext& context) {
  SessionState& session = context.session;
  StatementResult result{.kind = StatementResult::Kind::kWritten};
  BRAID_TRY_ASSIGN(result.notices, CheckMode(sinks, session));
  StartedJob start;
  if (session.observer() != nullptr) {
    BRAID_TRY_ASSIGN(start, session.observer()->Begin(Describe(sinks, context)));
  }
  if (start.commit_user.empty()) start.commit_user = NewCommitUser();
  Result<std::vector<std::vector<Snapshot>>> snapshots = WriteAndCommit(sinks, start, session);
  if (!snapshots) {
    if (session.observer() != nullptr) session.observer()->Failed(start, snapshots.error());
    return std::move(snapshots).error();
  }
  if (session.observer() != nullptr) {
    // The data is committed; what an observer keeps beside it can be made again from the snapshots.
    if (Status finished = session.observer()->Finished(start, *snapshots); !finished) {
      result.notices.push_back("committed, but not recorded: " + finished.error().ToString());
    }
  }
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    result.sinks.push_back({.catalog = sinks[i].target.name.catalog,
                            .identifier = sinks[i].target.identifier,
                            .snapshots = (*snapshots)[i]});
  }
  return result;
}

}  // namespace

Result<StatementResult> Run(const syntax::Insert& statement, const StatementContext& context) {
  if (auto& set = context.session.statement_set()) {
    set->push_back({.text = std::string(context.text), .insert = statement});
    return Done();
  }
  std::vector<Sink> sinks;
  BRAID_TRY_ASSIGN(Sink sink, Prepare(statement, context));
  sinks.push_back(std::move(sink));
  return RunSinks(sinks, context);
}

Result<StatementResult> Run(const syntax::StatementSet& statement, const StatementContext& context) {
  std::vector<Sink> sinks;
  for (const syntax::StatementPtr& member : statement.statements) {
    BRAID_TRY_ASSIGN(Sink sink, Prepare(std::get<syntax::Insert>(member->node), context));
    sinks.push_back(std::move(sink));
  }
  return RunSinks(sinks, context);
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
  std::vector<Sink> sinks;
  std::string whole = "BEGIN STATEMENT SET;\n";
  for (const auto& [text, insert] : inserts) {
    BRAID_TRY_ASSIGN(Sink sink, Prepare(insert, {.session = context.session, .text = text}));
    sinks.push_back(std::move(sink));
    whole += text + ";\n";
  }
  whole += "END";
  return RunSinks(sinks, {.session = context.session, .text = whole});
}

Result<StatementResult> InsertQuery(const syntax::QualifiedName& table, const syntax::QueryPtr& query,
                                    const StatementContext& context) {
  return Run(syntax::Insert{.table = table, .query = query}, context);
}

}  // namespace braid
