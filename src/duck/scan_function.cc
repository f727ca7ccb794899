#include "duck/scan_function.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include <arrow/api.h>
#include <duckdb.hpp>
#include <duckdb/catalog/catalog.hpp>
#include <duckdb/parallel/task_scheduler.hpp>
#include <duckdb/parser/parsed_data/create_table_function_info.hpp>
#include <duckdb/planner/filter/conjunction_filter.hpp>
#include <duckdb/planner/filter/optional_filter.hpp>
#include <duckdb/planner/filter/struct_filter.hpp>
#include <duckdb/planner/table_filter_state.hpp>
#include <duckdb/storage/statistics/node_statistics.hpp>
#include <duckdb/storage/table/column_segment.hpp>
#include <fmt/format.h>

#include "duck/engine_internal.h"
#include "duck/errors_internal.h"
#include "duck/types_internal.h"
#include "duck/vectors_internal.h"
#include "types/parked_values.h"

namespace braid {

std::int64_t ScanRegistry::Add(RegisteredScan scan) {
  const std::lock_guard<std::mutex> guard(mutex_);
  scans_.emplace(next_handle_, std::move(scan));
  return next_handle_++;
}

void ScanRegistry::Remove(std::int64_t handle) {
  const std::lock_guard<std::mutex> guard(mutex_);
  scans_.erase(handle);
}

RegisteredScan ScanRegistry::Find(std::int64_t handle) const {
  const std::lock_guard<std::mutex> guard(mutex_);
  const auto found = scans_.find(handle);
  return found == scans_.end() ? RegisteredScan{} : found->second;
}

void ScanRegistry::Note(const std::shared_ptr<LateValues>& values) {
  const std::lock_guard<std::mutex> guard(mutex_);
  std::erase_if(late_values_, [](const auto& known) { return known.expired(); });
  late_values_.push_back(values);
}

std::vector<std::shared_ptr<const LateValues>> ScanRegistry::late_values() {
  const std::lock_guard<std::mutex> guard(mutex_);
  std::vector<std::shared_ptr<const LateValues>> all;
  for (const std::weak_ptr<const LateValues>& known : late_values_) {
    if (auto values = known.lock()) all.push_back(std::move(values));
  }
  return all;
}

namespace {

using duckdb::idx_t;
using duckdb::optional_ptr;

struct ScanInfo : duckdb::TableFunctionInfo {
  explicit ScanInfo(std::shared_ptr<ScanRegistry> scans) : registry(std::move(scans)) {}
  std::shared_ptr<ScanRegistry> registry;
};

struct ScanBindData : duckdb::TableFunctionData {
  std::shared_ptr<const ScanSource> source;
  LateFields late;
  duckdb::vector<duckdb::LogicalType> types;

  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override {
    auto copy = duckdb::make_uniq<ScanBindData>();
    copy->source = source;
    copy->late = late;
    copy->types = types;
    return copy;
  }
  bool Equals(const duckdb::FunctionData& other) const override { return source == other.Cast<ScanBindData>().source; }
};

/// One column that DuckDB asks for.
struct AskedColumn {
  std::optional<std::size_t> position;  // among the batches' columns; none for the column that only counts rows
  std::optional<std::size_t> field;     // in ScanSource::fields()
  optional_ptr<const duckdb::TableFilter> filter;
};

struct ScanGlobalState : duckdb::GlobalTableFunctionState {
  std::shared_ptr<const ScanSource> source;
  std::shared_ptr<LateValues> late_values;    // null: no column is late
  std::vector<int> late;                      // among the batches' columns
  std::unique_ptr<ScanPlan> plan;
  std::vector<AskedColumn> asked;             // by position in column_ids
  std::vector<idx_t> output;                  // column of the output -> position in `asked`
  duckdb::vector<duckdb::LogicalType> types;  // of `asked`
  bool has_filters = false;
  std::atomic<std::size_t> next_partition = 0;

  idx_t MaxThreads() const override { return std::max<idx_t>(1, plan->partition_count()); }

  /// What the filters say now; dynamic ones grow sharper while the query runs.
  PredicatePtr Hint() const {
    std::vector<PredicatePtr> hints;
    for (const AskedColumn& column : asked) {
      if (!column.filter || !column.field) continue;
      if (PredicatePtr hint = HintFromFilter(*column.filter, source->fields()[*column.field]))
        hints.push_back(std::move(hint));
    }
    if (hints.empty()) return nullptr;
    return hints.size() == 1 ? hints.front() : Predicate::And(std::move(hints));
  }
};

struct ScanLocalState : duckdb::LocalTableFunctionState {
  std::unique_ptr<BatchReader> reader;
  std::optional<Batch> batch;
  std::int64_t row_count = 0;  // of `batch`
  std::int64_t next_row = 0;
  duckdb::DataChunk columns;  // as in ScanGlobalState::asked
  std::vector<duckdb::unique_ptr<duckdb::TableFilterState>> filters;
  duckdb::SelectionVector selection;
};

duckdb::unique_ptr<duckdb::FunctionData> Bind(duckdb::ClientContext& /*context*/, duckdb::TableFunctionBindInput& input,
                                              duckdb::vector<duckdb::LogicalType>& types,
                                              duckdb::vector<duckdb::string>& names) {
  const auto handle = input.inputs[0].GetValue<std::int64_t>();
  auto bound = duckdb::make_uniq<ScanBindData>();
  RegisteredScan scan = input.info->Cast<ScanInfo>().registry->Find(handle);
  bound->source = std::move(scan.source);
  bound->late = std::move(scan.late);
  if (!bound->source) {
    ThrowError(
        Error(ErrorCode::kInternal, fmt::format("a query reads braid_scan({}), which is not registered", handle)));
  }
  for (const DataField& field : bound->source->fields()) {
    types.push_back(
        ValueOrThrow(ToLogicalType(field.type)
                         .Context(fmt::format("while reading column {} of {}", field.name, bound->source->name()))));
    names.push_back(field.name);
  }
  bound->types = types;
  return bound;
}

/// Stops at filters whose evaluation DuckDB would answer with an InternalException, which ends the database.
void CheckFilter(const duckdb::TableFilter& filter) {
  switch (filter.filter_type) {
    case duckdb::TableFilterType::CONJUNCTION_AND:
    case duckdb::TableFilterType::CONJUNCTION_OR:
      // Both have the children of their base.
      for (const auto& child : static_cast<const duckdb::ConjunctionFilter&>(filter).child_filters) CheckFilter(*child);
      return;
    case duckdb::TableFilterType::STRUCT_EXTRACT:
      CheckFilter(*filter.Cast<duckdb::StructFilter>().child_filter);
      return;
    case duckdb::TableFilterType::IN_FILTER:
    case duckdb::TableFilterType::DYNAMIC_FILTER:
      throw duckdb::NotImplementedException("a scan cannot evaluate the filter %s", filter.DebugToString());
    default: return;
  }
}

AskedColumn Ask(idx_t column_id, std::vector<std::size_t>& requested) {
  if (duckdb::IsVirtualColumn(column_id)) return AskedColumn{};
  for (std::size_t i = 0; i < requested.size(); ++i) {
    if (requested[i] == column_id) return AskedColumn{.position = i, .field = column_id, .filter = nullptr};
  }
  requested.push_back(column_id);
  return AskedColumn{.position = requested.size() - 1, .field = column_id, .filter = nullptr};
}

duckdb::unique_ptr<duckdb::GlobalTableFunctionState> StartScan(duckdb::ClientContext& context,
                                                               duckdb::TableFunctionInitInput& input) {
  const auto& bound = input.bind_data->Cast<ScanBindData>();
  auto state = duckdb::make_uniq<ScanGlobalState>();
  state->source = bound.source;
  ScanRequest request;
  for (const idx_t column_id : input.column_ids) {
    state->asked.push_back(Ask(column_id, request.columns));
    state->types.push_back(state->asked.back().field ? bound.types[column_id] : duckdb::LogicalType::BOOLEAN);
  }
  if (input.filters) {
    for (const auto& [position, filter] : input.filters->filters) {
      CheckFilter(*filter);
      state->asked[position].filter = filter.get();
      state->has_filters = true;
    }
  }
  if (input.CanRemoveFilterColumns()) {
    state->output.assign(input.projection_ids.begin(), input.projection_ids.end());
  } else {
    for (idx_t i = 0; i < state->asked.size(); ++i) state->output.push_back(i);
  }
  state->late_values = bound.late.values;
  for (std::size_t i = 0; i < request.columns.size(); ++i) {
    if (std::ranges::binary_search(bound.late.positions, request.columns[i])) state->late.push_back(static_cast<int>(i));
  }
  request.filter = state->Hint();
  request.threads = static_cast<std::size_t>(duckdb::TaskScheduler::GetScheduler(context).NumberOfThreads());
  state->plan =
      ValueOrThrow(bound.source->Plan(request).Context(fmt::format("while reading {}", bound.source->name())));
  return state;
}

duckdb::unique_ptr<duckdb::LocalTableFunctionState> StartThread(duckdb::ExecutionContext& context,
                                                                duckdb::TableFunctionInitInput& /*input*/,
                                                                duckdb::GlobalTableFunctionState* global_state) {
  const auto& global = global_state->Cast<ScanGlobalState>();
  auto state = duckdb::make_uniq<ScanLocalState>();
  state->columns.Initialize(duckdb::Allocator::Get(context.client), global.types);
  for (const AskedColumn& column : global.asked) {
    state->filters.push_back(column.filter ? duckdb::TableFilterState::Initialize(context.client, *column.filter)
                                           : nullptr);
  }
  return state;
}

void ReferToLateValues(const ScanGlobalState& global, Batch& batch) {
  for (const int column : global.late) {
    const std::shared_ptr<arrow::Array> values = batch.rows->column(column);
    std::shared_ptr<arrow::Array> references = ValueOrThrow(
        global.late_values->WithReferences(values).Context(fmt::format("while reading {}", global.source->name())));
    if (references == values) continue;
    batch.rows = batch.rows->SetColumn(column, batch.rows->schema()->field(column), std::move(references)).ValueOrDie();
  }
}

/// Moves to rows that are not read yet; false at the end of the scan.
bool FindRows(ScanGlobalState& global, ScanLocalState& local) {
  while (local.next_row == local.row_count) {
    // Operators may still hold their last rows.
    if (local.batch) ReleasePages(*local.batch->rows);
    local.batch.reset();
    local.row_count = local.next_row = 0;
    if (local.reader) {
      local.batch = ValueOrThrow(local.reader->Next().Context(fmt::format("while reading {}", global.source->name())));
    }
    if (local.batch) {
      ReferToLateValues(global, *local.batch);
      local.row_count = local.batch->row_count();
      continue;
    }
    local.reader = nullptr;
    const std::size_t partition = global.next_partition.fetch_add(1);
    if (partition >= global.plan->partition_count()) return false;
    local.reader = ValueOrThrow(
        global.plan->Open(partition, global.Hint()).Context(fmt::format("while reading {}", global.source->name())));
  }
  return true;
}

void FillColumn(const ScanGlobalState& global, ScanLocalState& local, idx_t index, std::int64_t count) {
  const AskedColumn& column = global.asked[index];
  duckdb::Vector& vector = local.columns.data[index];
  if (!column.position) {
    vector.Reference(duckdb::Value::BOOLEAN(true));
    return;
  }
  const DataField& field = global.source->fields()[*column.field];
  Status filled = FillVector(local.batch->rows->column(static_cast<int>(*column.position)), field.type, local.next_row,
                             count, vector);
  if (!filled)
    ThrowError(std::move(filled).error().Context(
        fmt::format("while reading column {} of {}", field.name, global.source->name())));
}

/// Fills the filtered columns and leaves the passing rows in the selection. Returns their number.
idx_t Filter(const ScanGlobalState& global, ScanLocalState& local, std::int64_t count) {
  auto passing = static_cast<idx_t>(count);
  // Anew each time: a filter may put a smaller one in its place, and the output refers to it.
  local.selection.Initialize(STANDARD_VECTOR_SIZE);
  for (idx_t i = 0; i < passing; ++i) local.selection.set_index(i, i);
  for (idx_t i = 0; i < global.asked.size() && passing > 0; ++i) {
    if (!global.asked[i].filter) continue;
    FillColumn(global, local, i, count);
    duckdb::UnifiedVectorFormat format;
    local.columns.data[i].ToUnifiedFormat(static_cast<idx_t>(count), format);
    duckdb::ColumnSegment::FilterSelection(local.selection, local.columns.data[i], format, *global.asked[i].filter,
                                           *local.filters[i], static_cast<idx_t>(count), passing);
  }
  return passing;
}

void Scan(duckdb::ClientContext& context, duckdb::TableFunctionInput& input, duckdb::DataChunk& output) {
  auto& global = input.global_state->Cast<ScanGlobalState>();
  auto& local = input.local_state->Cast<ScanLocalState>();
  while (FindRows(global, local)) {
    // Filters may drop everything for a long time, during which DuckDB does not look by itself.
    if (context.IsInterrupted()) throw duckdb::InterruptException();
    const std::int64_t count = std::min<std::int64_t>(STANDARD_VECTOR_SIZE, local.row_count - local.next_row);
    local.columns.Reset();
    const idx_t passing = global.has_filters ? Filter(global, local, count) : static_cast<idx_t>(count);
    if (passing > 0) {
      for (idx_t i = 0; i < global.output.size(); ++i) {
        const idx_t index = global.output[i];
        if (!global.asked[index].filter) FillColumn(global, local, index, count);
        output.data[i].Reference(local.columns.data[index]);
      }
      output.SetCardinality(static_cast<idx_t>(count));
      if (passing < static_cast<idx_t>(count)) output.Slice(local.selection, passing);
    }
    local.next_row += count;
    if (passing > 0) return;
  }
  output.SetCardinality(0);
}

duckdb::unique_ptr<duckdb::NodeStatistics> Cardinality(duckdb::ClientContext& /*context*/,
                                                       const duckdb::FunctionData* bind_data) {
  const auto& source = *bind_data->Cast<ScanBindData>().source;
  if (const auto exact = source.exact_row_count()) {
    return duckdb::make_uniq<duckdb::NodeStatistics>(static_cast<idx_t>(*exact), static_cast<idx_t>(*exact));
  }
  if (const auto estimate = source.estimated_row_count()) {
    return duckdb::make_uniq<duckdb::NodeStatistics>(static_cast<idx_t>(*estimate));
  }
  return duckdb::make_uniq<duckdb::NodeStatistics>();
}

duckdb::vector<duckdb::PartitionStatistics> RowCounts(duckdb::ClientContext& /*context*/,
                                                      duckdb::GetPartitionStatsInput& input) {
  duckdb::vector<duckdb::PartitionStatistics> counts;
  if (const auto exact = input.bind_data->Cast<ScanBindData>().source->exact_row_count()) {
    duckdb::PartitionStatistics whole;
    whole.count = static_cast<idx_t>(*exact);
    whole.count_type = duckdb::CountType::COUNT_EXACT;
    counts.push_back(whole);
  }
  return counts;
}

bool CanFilter(const duckdb::FunctionData& bind_data, idx_t column) {
  const auto& types = bind_data.Cast<ScanBindData>().types;
  return column < types.size() && !types[column].IsNested();
}

duckdb::virtual_column_map_t VirtualColumns(duckdb::ClientContext& /*context*/,
                                            optional_ptr<duckdb::FunctionData> /*bind_data*/) {
  duckdb::virtual_column_map_t columns;
  columns.insert({duckdb::COLUMN_IDENTIFIER_EMPTY, duckdb::TableColumn("", duckdb::LogicalType::BOOLEAN)});
  return columns;
}

duckdb::InsertionOrderPreservingMap<duckdb::string> Describe(duckdb::TableFunctionToStringInput& input) {
  duckdb::InsertionOrderPreservingMap<duckdb::string> text;
  text["Table"] = input.bind_data->Cast<ScanBindData>().source->name();
  return text;
}

}  // namespace

void RegisterScanFunction(duckdb::ClientContext& context, std::shared_ptr<ScanRegistry> registry) {
  duckdb::TableFunction function("braid_scan", {duckdb::LogicalType::BIGINT}, Scan, Bind, StartScan, StartThread);
  function.projection_pushdown = true;
  function.filter_pushdown = true;
  function.filter_prune = true;
  function.supports_pushdown_type = CanFilter;
  function.cardinality = Cardinality;
  function.get_partition_stats = RowCounts;
  function.get_virtual_columns = VirtualColumns;
  function.to_string = Describe;
  function.order_preservation_type = duckdb::OrderPreservationType::NO_ORDER;
  function.verify_serialization = false;
  function.function_info = duckdb::make_shared_ptr<ScanInfo>(std::move(registry));
  duckdb::CreateTableFunctionInfo info(std::move(function));
  duckdb::Catalog::GetSystemCatalog(context).CreateTableFunction(context, info);
}

}  // namespace braid
