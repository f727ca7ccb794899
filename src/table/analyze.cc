// Statistics of whole tables, for the optimizers of other engines and for people.

#include "table/analyze.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <mutex>
#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>

#include "base/log.h"
#include "base/thread_pool.h"
#include "format/statistics.h"
#include "mergetree/distinct_count.h"
#include "meta/stores.h"
#include "table/commit_attempt.h"
#include "table/scan.h"
#include "table/upkeep.h"
#include "types/cast.h"

namespace braid {

namespace {

std::int64_t CharactersOf(std::string_view utf8) {
  return std::count_if(utf8.begin(), utf8.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

bool IsScalar(const DataType& type) {
  return !type.is_nested() && type.kind() != TypeKind::kVariant;
}

// What is counted of one column beside its bounds.
class ColumnCounts {
 public:
  explicit ColumnCounts(const DataType& type) : type_(type) {}

  void Update(const arrow::Array& values) {
    if (!IsScalar(type_)) return;
    if (type_.is_text() || type_.is_bytes()) return UpdateTexts(static_cast<const arrow::BinaryArray&>(values));
    for (std::int64_t i = 0; i < values.length(); ++i) {
      if (values.IsValid(i)) AddFixed(DatumAt(values, i, type_));
    }
  }

  void Merge(const ColumnCounts& other) {
    distinct_.Merge(other.distinct_);
    values_ += other.values_;
    total_length_ += other.total_length_;
    greatest_length_ = std::max(greatest_length_, other.greatest_length_);
  }

  void Describe(AnalyzedColumn& column) const {
    if (!IsScalar(type_)) return;
    column.distinct_count = distinct_.Estimate();
    if (!type_.is_text() && !type_.is_bytes()) return;
    column.average_length = values_ == 0 ? 0 : total_length_ / values_;
    column.greatest_length = greatest_length_;
  }

 private:
  void UpdateTexts(const arrow::BinaryArray& values) {
    for (std::int64_t i = 0; i < values.length(); ++i) {
      if (values.IsNull(i)) continue;
      const std::string_view text = values.GetView(i);
      distinct_.Add(text);
      const std::int64_t length = type_.is_text() ? CharactersOf(text) : static_cast<std::int64_t>(text.size());
      ++values_;
      total_length_ += length;
      greatest_length_ = std::max(greatest_length_, length);
    }
  }

  void AddFixed(const Datum& value) {
    ++values_;
    switch (type_.kind()) {
      case TypeKind::kBoolean: return distinct_.Add(std::uint64_t{value.as_bool()});
      case TypeKind::kFloat: return distinct_.Add(std::bit_cast<std::uint32_t>(value.as_float()));
      case TypeKind::kDouble: return distinct_.Add(std::bit_cast<std::uint64_t>(value.as_double()));
      case TypeKind::kDecimal:
      case TypeKind::kTimestamp:
      case TypeKind::kTimestampLtz: return distinct_.Add(FormatDatum(value, type_));
      default: return distinct_.Add(static_cast<std::uint64_t>(value.as_int()));
    }
  }

  DataType type_;
  DistinctCount distinct_;
  std::int64_t values_ = 0;
  std::int64_t total_length_ = 0;
  std::int64_t greatest_length_ = 0;
};

bool HasBounds(const DataType& type) {
  return IsScalar(type) && !type.is_text() && !type.is_bytes() && type.kind() != TypeKind::kBoolean;
}

// As Java's serializers print values: dates and times are their numbers.
std::optional<std::string> BoundText(const Datum& value, const DataType& type) {
  if (value.is_null() || !HasBounds(type)) return std::nullopt;
  if (type.kind() == TypeKind::kDate || type.kind() == TypeKind::kTime) return std::to_string(value.as_int());
  return FormatDatum(value, type);
}

// Looks at rows of any number of splits, each by one thread.
class Analyzer {
 public:
  Analyzer(const Table& table, std::vector<DataField> fields)
      : table_(table), fields_(std::move(fields)), whole_(fields_) {
    for (const DataField& field : fields_) request_.projection->push_back(field.name);
    // Where no column is wanted, the narrowest way to count rows is a column of the key, or any.
    if (fields_.empty()) {
      const std::vector<DataField> keys = table.schema().TrimmedPrimaryKeyFields();
      request_.projection->push_back(keys.empty() ? table.schema().fields.front().name : keys.front().name);
    }
  }

  const ReadRequest& request() const { return request_; }

  Status Read(const std::vector<DataSplit>& splits) {
    return ParallelFor(CpuPool(), static_cast<std::int64_t>(splits.size()), [&](std::int64_t index) -> Status {
      const DataSplit& split = splits[static_cast<std::size_t>(index)];
      for (const DataFileMeta& file : split.files) bytes_ += file.file_size;
      if (fields_.empty() && split.raw_convertible && split.deletion_vectors.empty()) {
        for (const DataFileMeta& file : split.files) rows_ += file.row_count;
        return Ok();
      }
      return ReadOne(split);
    });
  }

  std::int64_t rows() const { return rows_; }
  std::int64_t bytes() const { return bytes_; }
  std::vector<AnalyzedColumn> Columns() const {
    std::vector<AnalyzedColumn> columns;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      AnalyzedColumn column{.name = fields_[i].name, .id = fields_[i].id};
      column.null_count = whole_.nulls[i];
      column.min = BoundText(whole_.min[i], fields_[i].type);
      column.max = BoundText(whole_.max[i], fields_[i].type);
      whole_.counts[i].Describe(column);
      columns.push_back(std::move(column));
    }
    return columns;
  }

 private:
  struct Totals {
    explicit Totals(const std::vector<DataField>& fields)
        : nulls(fields.size()), min(fields.size()), max(fields.size()) {
      for (const DataField& field : fields) counts.emplace_back(field.type);
    }

    std::vector<std::int64_t> nulls;
    std::vector<Datum> min;
    std::vector<Datum> max;
    std::vector<ColumnCounts> counts;
  };

  Status ReadOne(const DataSplit& split) {
    BRAID_TRY_ASSIGN(const auto reader, ReadSplit(table_, split, request_));
    Totals totals(fields_);
    StatisticsCollector bounds(fields_, {});
    std::int64_t rows = 0;
    for (;;) {
      BRAID_TRY_ASSIGN(const std::optional<Batch> batch, reader->Next());
      if (!batch) break;
      rows += batch->row_count();
      if (fields_.empty()) continue;
      bounds.Update(*batch->rows);
      for (std::size_t i = 0; i < fields_.size(); ++i) {
        const arrow::Array& values = *batch->rows->column(static_cast<int>(i));
        totals.nulls[i] += values.null_count();
        totals.counts[i].Update(values);
      }
    }
    std::vector<ColumnStatistics> found = bounds.Finish();
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      totals.min[i] = std::move(found[i].min);
      totals.max[i] = std::move(found[i].max);
    }
    rows_ += rows;
    TakeIn(totals);
    return Ok();
  }

  void TakeIn(const Totals& part) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      whole_.nulls[i] += part.nulls[i];
      whole_.counts[i].Merge(part.counts[i]);
      if (part.min[i].is_null()) continue;
      if (whole_.min[i].is_null() || CompareDatums(part.min[i], whole_.min[i]) == std::strong_ordering::less)
        whole_.min[i] = part.min[i];
      if (whole_.max[i].is_null() || CompareDatums(part.max[i], whole_.max[i]) == std::strong_ordering::greater)
        whole_.max[i] = part.max[i];
    }
  }

  const Table& table_;
  const std::vector<DataField> fields_;
  ReadRequest request_{.projection = std::vector<std::string>(), .filter = nullptr};
  std::atomic<std::int64_t> rows_ = 0;
  std::atomic<std::int64_t> bytes_ = 0;
  std::mutex mutex_;  // guards whole_ while splits are read
  Totals whole_;
};

Result<std::vector<DataField>> FieldsOf(const Table& table, const std::optional<std::vector<std::string>>& columns) {
  if (!columns) return table.schema().fields;
  std::vector<DataField> fields;
  for (const std::string& name : *columns) {
    const auto position = FindField(table.schema().fields, name);
    if (!position) {
      return Error(ErrorCode::kInvalidArgument, fmt::format("{} has no column '{}'", table.name(), name));
    }
    const DataField& field = table.schema().fields[*position];
    if (std::ranges::find(fields, field.name, &DataField::name) == fields.end()) fields.push_back(field);
  }
  return fields;
}

Result<SnapshotId> CommitStatistics(const Table& table, const TableStatistics& statistics,
                                    const std::string& commit_user, const Clock& clock) {
  MetadataFileNames names;
  const std::string file = names.NextStatistics();
  BRAID_TRY(WriteStatistics(table.file_system(), table.paths(), file, statistics));
  SnapshotChanges changes;
  changes.kind = CommitKind::kAnalyze;
  changes.statistics = file;
  const CommitIdentity identity{
      .user = commit_user, .identifier = kBatchCommitIdentifier, .watermark = {}, .properties = {}};
  const auto make = [&](const std::optional<Snapshot>&) -> Result<SnapshotChanges> { return changes; };
  const Result<Snapshot> snapshot = CommitSnapshot(table, identity, make, names, clock);
  if (snapshot) {
    MaintainAfterCommit(table, /*is_batch=*/true, clock);
    return snapshot->id;
  }
  if (snapshot.error().code() != ErrorCode::kCommitUnknown) {
    const Status deleted = table.file_system().Delete(JoinPath(table.paths().StatisticsDirectory(), file));
    if (!deleted) Log(LogLevel::kWarning, "statistics not deleted after a failed commit", "file=" + file);
  }
  return snapshot.error();
}

}  // namespace

Result<std::optional<AnalyzedTable>> AnalyzeTable(const Table& table, const AnalyzeRequest& request,
                                                  const std::string& commit_user, const Clock& clock) {
  BRAID_TRY_ASSIGN(std::vector<DataField> fields, FieldsOf(table, request.columns));
  Analyzer analyzer(table, std::move(fields));
  BRAID_TRY_ASSIGN(const Plan plan, PlanBatch(table, analyzer.request()));
  if (!plan.snapshot) return std::optional<AnalyzedTable>();
  BRAID_TRY_ASSIGN(const Snapshot snapshot, ReadSnapshot(table.file_system(), table.paths(), *plan.snapshot));
  BRAID_TRY(analyzer.Read(plan.splits));
  AnalyzedTable analysis{.statistics = {}, .columns = analyzer.Columns(), .snapshot = {}};
  analysis.statistics = {.snapshot_id = snapshot.id,
                         .schema_id = snapshot.schema_id,
                         .merged_record_count = analyzer.rows(),
                         .merged_record_size = analyzer.bytes(),
                         .column_stats = ColumnStatsText(analysis.columns)};
  if (!request.dry_run) {
    BRAID_TRY_ASSIGN(analysis.snapshot, CommitStatistics(table, analysis.statistics, commit_user, clock));
  }
  return std::optional(std::move(analysis));
}

}  // namespace braid
