#include "duck/engine.h"

#include <algorithm>
#include <utility>

#include <arrow/api.h>
#include <duckdb.hpp>
#include <duckdb/main/appender.hpp>
#include <duckdb/main/client_config.hpp>
#include <duckdb/main/pending_query_result.hpp>
#include <duckdb/main/prepared_statement_data.hpp>
#include <fmt/format.h>

#include "duck/batch_collector_internal.h"
#include "duck/engine_internal.h"
#include "duck/errors_internal.h"
#include "duck/functions_internal.h"
#include "duck/types_internal.h"
#include "duck/vectors_internal.h"

namespace braid {

struct DuckEngine::Impl {
  // The registry goes last: functions in the database point to it.
  std::shared_ptr<ScanRegistry> registry = std::make_shared<ScanRegistry>();
  std::unique_ptr<duckdb::DuckDB> database;
  std::int64_t late_value_bytes = 0;
};

namespace {

// Our C++ headers describe this version only.
constexpr std::string_view kDuckVersion = "v1.5.6";

// Parentheses within each other from which on an expression counts as deep.
constexpr int kDeepNesting = 100;

/// How deeply parentheses are nested; those in texts count too, which does no harm here.
int NestingOf(std::string_view sql) {
  int depth = 0;
  int deepest = 0;
  for (const char c : sql) {
    if (c == '(') deepest = std::max(deepest, ++depth);
    if (c == ')') --depth;
  }
  return deepest;
}

class StreamedResult : public QueryResult {
 public:
  StreamedResult(std::shared_ptr<DuckEngine::Impl> engine, std::shared_ptr<duckdb::Connection> connection,
                 duckdb::unique_ptr<duckdb::PendingQueryResult> query, std::shared_ptr<const ResultShape> shape,
                 std::shared_ptr<BatchQueue> queue, std::string sql)
      : engine_(std::move(engine)),
        connection_(std::move(connection)),
        query_(std::move(query)),
        shape_(std::move(shape)),
        queue_(std::move(queue)),
        sql_(std::move(sql)) {}

  const std::vector<ResultColumn>& columns() const override { return shape_->columns; }

  Result<std::optional<Batch>> Next() override {
    BRAID_TRY(WorkUntilRowsAreThere());
    return queue_->Pop();
  }

  /// Takes part in the work until there is a batch, or no more will come.
  Status WorkUntilRowsAreThere() {
    return CatchDuckErrors(sql_, [this]() -> Status {
      while (!ended_ && queue_->empty()) {
        switch (query_->ExecuteTask()) {
          case duckdb::PendingExecutionResult::RESULT_NOT_READY: break;
          case duckdb::PendingExecutionResult::EXECUTION_ERROR: return FromDuckError(query_->GetErrorObject(), sql_);
          case duckdb::PendingExecutionResult::EXECUTION_FINISHED: BRAID_TRY(End()); break;
          case duckdb::PendingExecutionResult::RESULT_READY:
          case duckdb::PendingExecutionResult::BLOCKED:
          case duckdb::PendingExecutionResult::NO_TASKS_AVAILABLE: queue_->Wait(); break;
        }
      }
      return Ok();
    });
  }

 private:
  /// Lets DuckDB end the statement and its transaction.
  Status End() {
    ended_ = true;
    const auto result = query_->Execute();
    return result->HasError() ? Status(FromDuckError(result->GetErrorObject(), sql_)) : Ok();
  }

  // Members are destroyed from the last to the first: the query before its connection before the database.
  std::shared_ptr<DuckEngine::Impl> engine_;
  std::shared_ptr<duckdb::Connection> connection_;
  duckdb::unique_ptr<duckdb::PendingQueryResult> query_;
  std::shared_ptr<const ResultShape> shape_;
  std::shared_ptr<BatchQueue> queue_;
  std::string sql_;
  bool ended_ = false;
};

class Session : public DuckConnection {
 public:
  Session(std::shared_ptr<DuckEngine::Impl> engine, std::shared_ptr<duckdb::Connection> connection)
      : engine_(std::move(engine)), connection_(std::move(connection)) {}

  Status Execute(std::string_view sql) override {
    return CatchDuckErrors(sql, [&]() -> Status {
      for (auto& statement : connection_->ExtractStatements(std::string(sql))) {
        const auto result = connection_->Query(std::move(statement));
        if (result->HasError()) return FromDuckError(result->GetErrorObject(), sql);
      }
      return Ok();
    });
  }

  Result<std::unique_ptr<QueryResult>> Query(std::string_view sql, std::span<const DataType> wanted) override {
    return CatchDuckErrors(sql, [&]() -> Result<std::unique_ptr<QueryResult>> {
      SuitOptimizer(sql);
      BRAID_TRY_ASSIGN(auto statement, OneStatement(sql));
      std::shared_ptr<const ResultShape> shape;
      const auto queue = std::make_shared<BatchQueue>();
      // Other statements give DuckDB's own results.
      duckdb::get_result_collector_t& collector =
          duckdb::ClientConfig::GetConfig(*connection_->context).get_result_collector;
      const std::shared_ptr<void> reset(nullptr, [&collector](void*) { collector = nullptr; });
      collector = [&](duckdb::ClientContext& context, duckdb::PreparedStatementData& data) {
        ResultShape made = ValueOrThrow(
            ResultShape::Make(data.types, data.names, wanted).Context(fmt::format("while running {}", sql)));
        made.late = engine_->registry->late_values();
        shape = std::make_shared<const ResultShape>(std::move(made));
        return duckdb::make_uniq_base<duckdb::PhysicalOperator, BatchCollector>(context, data, shape, queue);
      };
      auto query = connection_->PendingQuery(std::move(statement));
      if (query->HasError()) return FromDuckError(query->GetErrorObject(), sql);
      auto streamed = std::make_unique<StreamedResult>(engine_, connection_, std::move(query), std::move(shape), queue,
                                                       std::string(sql));
      BRAID_TRY(streamed->WorkUntilRowsAreThere());
      return std::unique_ptr<QueryResult>(std::move(streamed));
    });
  }

  Result<std::vector<ResultColumn>> Describe(std::string_view sql) override {
    return CatchDuckErrors(sql, [&]() -> Result<std::vector<ResultColumn>> {
      BRAID_TRY_ASSIGN(auto statement, OneStatement(sql));
      const auto prepared = connection_->Prepare(std::move(statement));
      if (prepared->HasError()) return FromDuckError(prepared->error, sql);
      std::vector<ResultColumn> columns;
      for (std::size_t i = 0; i < prepared->GetTypes().size(); ++i) {
        const duckdb::LogicalType& type = prepared->GetTypes()[i];
        BRAID_TRY_ASSIGN(DataType column_type, FromLogicalType(type));
        columns.push_back(ResultColumn{prepared->GetNames()[i], type.ToString(), std::move(column_type)});
      }
      return columns;
    });
  }

  Status Append(std::string_view table, std::span<const DataField> fields, const Batch& batch) override {
    return CatchDuckErrors(table, [&]() -> Status {
      duckdb::vector<duckdb::LogicalType> types;
      for (const DataField& field : fields) {
        BRAID_TRY_ASSIGN(duckdb::LogicalType type, ToLogicalType(field.type));
        types.push_back(std::move(type));
      }
      duckdb::Appender appender(*connection_, std::string(table));
      duckdb::DataChunk chunk;
      chunk.Initialize(duckdb::Allocator::DefaultAllocator(), types);
      for (std::int64_t row = 0; row < batch.row_count(); row += STANDARD_VECTOR_SIZE) {
        const std::int64_t count = std::min<std::int64_t>(STANDARD_VECTOR_SIZE, batch.row_count() - row);
        chunk.Reset();
        for (std::size_t i = 0; i < fields.size(); ++i) {
          BRAID_TRY(FillVector(batch.rows->column(static_cast<int>(i)), fields[i].type, row, count, chunk.data[i])
                        .Context(fmt::format("in column {}", fields[i].name)));
        }
        chunk.SetCardinality(static_cast<duckdb::idx_t>(count));
        appender.AppendDataChunk(chunk);
      }
      appender.Close();
      return Ok();
    });
  }

  void Cancel() override { connection_->Interrupt(); }

 private:
  Result<duckdb::unique_ptr<duckdb::SQLStatement>> OneStatement(std::string_view sql) {
    auto statements = connection_->ExtractStatements(std::string(sql));
    if (statements.size() != 1) {
      return Error(ErrorCode::kInternal, fmt::format("{} statements where one is expected", statements.size()))
          .Context(fmt::format("while running {}", sql));
    }
    return std::move(statements[0]);
  }

  // Looking for common parts, DuckDB compares those of a deep expression with each other: a sum of 900 columns takes 15
  // s, and the search rarely finds anything worth it.
  void SuitOptimizer(std::string_view sql) {
    const bool is_deep = NestingOf(sql) > kDeepNesting;
    if (is_deep == is_deep_) return;
    connection_->Query(is_deep ? "SET disabled_optimizers = 'common_subexpressions'" : "RESET disabled_optimizers");
    is_deep_ = is_deep;
  }

  std::shared_ptr<DuckEngine::Impl> engine_;
  std::shared_ptr<duckdb::Connection> connection_;
  bool is_deep_ = false;  // the statement before
};

void Configure(duckdb::DBConfig& config, const EngineSettings& settings) {
  using duckdb::Value;
  const auto set = [&config](const char* name, const Value& value) { config.SetOptionByName(name, value); };
  set("threads", Value::BIGINT(settings.threads));
  set("memory_limit", Value(fmt::format("{}B", settings.memory_limit_bytes)));
  set("temp_directory", Value(settings.temp_directory));
  set("autoinstall_known_extensions", Value::BOOLEAN(false));
  set("autoload_known_extensions", Value::BOOLEAN(false));
  set("allow_community_extensions", Value::BOOLEAN(false));
  set("default_null_order", Value("nulls_first_on_asc_last_on_desc"));
  set("default_order", Value("ASC"));
  set("preserve_insertion_order", Value::BOOLEAN(false));
  set("integer_division", Value::BOOLEAN(false));
  set("ieee_floating_point_ops", Value::BOOLEAN(true));
  set("scalar_subquery_error_on_multiple_rows", Value::BOOLEAN(true));
  if (settings.read_only) config.options.access_mode = duckdb::AccessMode::READ_ONLY;
}

Status CheckSettings(const EngineSettings& settings) {
  if (duckdb::DuckDB::LibraryVersion() != kDuckVersion) {
    return Error(ErrorCode::kInternal, fmt::format("the DuckDB library is of version {}, and Braid was built for {}",
                                                   duckdb::DuckDB::LibraryVersion(), kDuckVersion))
        .Hint("install the libduckdb.so that came with braid, or rebuild");
  }
  if (settings.threads < 1)
    return Error(ErrorCode::kInvalidArgument, fmt::format("threads is {}, and must be 1 or more", settings.threads));
  if (settings.late_value_bytes < 1) {
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("late values are of {} bytes or more, and that must be more than 0", settings.late_value_bytes));
  }
  if (settings.memory_limit_bytes < 1) {
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("memory is {} bytes, and must be more", settings.memory_limit_bytes));
  }
  return Ok();
}

}  // namespace

DuckEngine::DuckEngine(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
DuckEngine::~DuckEngine() = default;

Result<std::unique_ptr<DuckEngine>> DuckEngine::Open(const EngineSettings& settings) {
  BRAID_TRY(CheckSettings(settings));
  Result<std::unique_ptr<DuckEngine>> opened = CatchDuckErrors({}, [&]() -> Result<std::unique_ptr<DuckEngine>> {
    auto impl = std::make_shared<Impl>();
    impl->late_value_bytes = settings.late_value_bytes;
    duckdb::DBConfig config;
    Configure(config, settings);
    impl->database = std::make_unique<duckdb::DuckDB>(settings.database_path, &config);
    duckdb::Connection connection(*impl->database);
    connection.BeginTransaction();
    RegisterScanFunction(*connection.context, impl->registry);
    RegisterFlinkFunctions(*connection.context);
    connection.Commit();
    // A setting of DuckDB's ICU part, which exists only now.
    const auto zone = connection.Query("SET GLOBAL TimeZone = 'UTC'");
    if (zone->HasError()) return FromDuckError(zone->GetErrorObject());
    return std::unique_ptr<DuckEngine>(new DuckEngine(std::move(impl)));
  });
  return std::move(opened).Context(settings.database_path.empty()
                                       ? "while starting the query engine"
                                       : fmt::format("while opening {}", settings.database_path));
}

Result<std::unique_ptr<DuckConnection>> DuckEngine::Connect() {
  return CatchDuckErrors({}, [&]() -> Result<std::unique_ptr<DuckConnection>> {
    auto connection = std::make_shared<duckdb::Connection>(*impl_->database);
    return std::unique_ptr<DuckConnection>(new Session(impl_, std::move(connection)));
  });
}

std::shared_ptr<LateValues> DuckEngine::MakeLateValues() {
  auto values = std::make_shared<LateValues>(impl_->late_value_bytes);
  impl_->registry->Note(values);
  return values;
}

ScanRegistration DuckEngine::Register(std::shared_ptr<const ScanSource> source, LateFields late) {
  const std::int64_t handle = impl_->registry->Add({.source = std::move(source), .late = std::move(late)});
  std::shared_ptr<void> guard(nullptr, [registry = impl_->registry, handle](void*) { registry->Remove(handle); });
  return {fmt::format("braid_scan({})", handle), std::move(guard)};
}

Result<DuckEngine::Usage> DuckEngine::usage() const {
  return CatchDuckErrors({}, [&]() -> Result<Usage> {
    duckdb::Connection connection(*impl_->database);
    const auto result = connection.Query(
        "SELECT sum(memory_usage_bytes)::BIGINT, sum(temporary_storage_bytes)::BIGINT FROM duckdb_memory()");
    if (result->HasError()) return FromDuckError(result->GetErrorObject());
    return Usage{result->GetValue(0, 0).GetValue<std::int64_t>(), result->GetValue(1, 0).GetValue<std::int64_t>()};
  });
}

}  // namespace braid
