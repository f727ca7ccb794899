#include "duck/engine.h"

#include <algorithm>
#include <utility>

#include <arrow/api.h>
#include <duckdb.hpp>
#include <duckdb/main/appender.hpp>
#include <duckdb/main/stream_query_result.hpp>
#include <fmt/format.h>

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
};

namespace {

// Our C++ headers describe this version only.
constexpr std::string_view kDuckVersion = "v1.5.6";

// DuckDB's vectors hold 2,048 rows; writers and printers want fewer, larger batches.
constexpr std::int64_t kRowsPerBatch = 16 * 2048;

// Parentheses within each other from which on an expression counts as deep.
constexpr int kDeepNesting = 100;

/// Makes lists' elements flat too, so that rows of nested vectors can be found by position alone.
void FlattenDeep(duckdb::Vector& vector, duckdb::idx_t count) {
  vector.Flatten(count);
  switch (vector.GetType().InternalType()) {
    case duckdb::PhysicalType::LIST:
      FlattenDeep(duckdb::ListVector::GetEntry(vector), duckdb::ListVector::GetListSize(vector));
      return;
    case duckdb::PhysicalType::STRUCT:
      for (auto& child : duckdb::StructVector::GetEntries(vector)) FlattenDeep(*child, count);
      return;
    default: return;
  }
}

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

/// A column of a result on its way to Arrow.
struct OutputColumn {
  DataField field;
  duckdb::LogicalType type;  // of the collector; values of another type are cast
  std::unique_ptr<ColumnCollector> collector;

  Status Append(duckdb::Vector& vector, duckdb::idx_t count, const std::vector<duckdb::idx_t>& rows) {
    if (vector.GetType() == type) return AppendSame(vector, count, rows);
    duckdb::Vector converted(type);
    std::string message;
    if (!duckdb::VectorOperations::DefaultTryCast(vector, converted, count, &message, true)) {
      return Error(ErrorCode::kInvalidArgument,
                   fmt::format("column {} cannot be given as {}: {}", field.name, field.type.ToString(), message));
    }
    return AppendSame(converted, count, rows);
  }

 private:
  Status AppendSame(duckdb::Vector& vector, duckdb::idx_t count, const std::vector<duckdb::idx_t>& rows) {
    FlattenDeep(vector, count);
    duckdb::RecursiveUnifiedVectorFormat format;
    duckdb::Vector::RecursiveToUnifiedFormat(vector, count, format);
    return collector->Append(format, rows);
  }
};

Result<OutputColumn> MakeOutputColumn(const std::string& name, const DataType& type) {
  BRAID_TRY_ASSIGN(duckdb::LogicalType logical, ToLogicalType(type));
  BRAID_TRY_ASSIGN(std::unique_ptr<ColumnCollector> collector, MakeColumnCollector(type));
  return OutputColumn{DataField{.id = FieldId(0), .name = name, .type = type, .description = {}, .default_value = {}},
                      std::move(logical), std::move(collector)};
}

class StreamedResult : public QueryResult {
 public:
  StreamedResult(std::shared_ptr<DuckEngine::Impl> engine, std::shared_ptr<duckdb::Connection> connection,
                 duckdb::unique_ptr<duckdb::QueryResult> result, std::string sql)
      : engine_(std::move(engine)),
        connection_(std::move(connection)),
        result_(std::move(result)),
        sql_(std::move(sql)) {}

  Status SetColumns(std::span<const DataType> wanted) {
    if (!wanted.empty() && wanted.size() != result_->types.size()) {
      return Error(ErrorCode::kInternal,
                   fmt::format("a query gives {} columns where {} are wanted", result_->types.size(), wanted.size()))
          .Context(fmt::format("while running {}", sql_));
    }
    std::vector<DataField> fields;
    for (std::size_t i = 0; i < result_->types.size(); ++i) {
      const std::string& name = result_->names[i];
      DataType type = DataType::Int();
      if (wanted.empty()) {
        BRAID_TRY_ASSIGN(type,
                         FromLogicalType(result_->types[i]).Context(fmt::format("in column {} of the result", name)));
      } else {
        type = wanted[i];
      }
      BRAID_TRY_ASSIGN(OutputColumn output, MakeOutputColumn(name, type));
      columns_.push_back(ResultColumn{name, result_->types[i].ToString(), type});
      fields.push_back(output.field);
      outputs_.push_back(std::move(output));
    }
    schema_ = ToArrowSchema(fields);
    return Ok();
  }

  const std::vector<ResultColumn>& columns() const override { return columns_; }

  Result<std::optional<Batch>> Next() override {
    std::int64_t row_count = 0;
    while (!ended_ && row_count < kRowsPerBatch) {
      BRAID_TRY_ASSIGN(const std::int64_t added, CatchDuckErrors(sql_, [&] { return AppendChunk(); }));
      ended_ = added == 0;
      row_count += added;
    }
    if (row_count == 0) return std::optional<Batch>();
    arrow::ArrayVector arrays;
    for (OutputColumn& output : outputs_) {
      BRAID_TRY_ASSIGN(std::shared_ptr<arrow::Array> array, output.collector->Finish());
      arrays.push_back(std::move(array));
    }
    return std::optional<Batch>(
        Batch{.rows = arrow::RecordBatch::Make(schema_, row_count, std::move(arrays)), .kinds = nullptr});
  }

 private:
  /// Number of rows in the next chunk; 0 at the end.
  Result<std::int64_t> AppendChunk() {
    const duckdb::unique_ptr<duckdb::DataChunk> chunk = result_->FetchRaw();
    if (result_->HasError()) return FromDuckError(result_->GetErrorObject(), sql_);
    if (!chunk || chunk->size() == 0) return std::int64_t{0};
    while (rows_.size() < chunk->size()) rows_.push_back(rows_.size());
    rows_.resize(chunk->size());
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      BRAID_TRY(outputs_[i].Append(chunk->data[i], chunk->size(), rows_));
    return static_cast<std::int64_t>(chunk->size());
  }

  // Members are destroyed from the last to the first: the result before its connection before the database.
  std::shared_ptr<DuckEngine::Impl> engine_;
  std::shared_ptr<duckdb::Connection> connection_;
  duckdb::unique_ptr<duckdb::QueryResult> result_;
  std::string sql_;
  std::vector<ResultColumn> columns_;
  std::vector<OutputColumn> outputs_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<duckdb::idx_t> rows_;  // 0, 1, 2, …
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
      auto result = connection_->SendQuery(std::move(statement));
      if (result->HasError()) return FromDuckError(result->GetErrorObject(), sql);
      auto streamed = std::make_unique<StreamedResult>(engine_, connection_, std::move(result), std::string(sql));
      BRAID_TRY(streamed->SetColumns(wanted));
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

  // Looking for common parts, DuckDB compares those of a deep expression with each other: a sum of 900 columns takes 15 s,
  // and the search rarely finds anything worth it.
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

/// Rows that wait for whoever reads a result. With DuckDB's million bytes its threads stop all the time, and a scan runs
/// on one thread.
constexpr duckdb::idx_t kStreamingBufferBytes = 32U << 20U;

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
    connection->context->config.streaming_buffer_size = kStreamingBufferBytes;
    return std::unique_ptr<DuckConnection>(new Session(impl_, std::move(connection)));
  });
}

ScanRegistration DuckEngine::Register(std::shared_ptr<const ScanSource> source) {
  const std::int64_t handle = impl_->registry->Add(std::move(source));
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
