#include "table/row_tracking.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>

#include "mergetree/key_value.h"
#include "table/row_range.h"

namespace braid {

namespace {

constexpr FieldId kRowIdFieldId{2147483642};

DataField SystemField(FieldId id, std::string_view name) {
  return {.id = id,
          .name = std::string(name),
          .type = DataType::BigInt().NotNull(),
          .description = {},
          .default_value = {}};
}

void AssignSequence(SnapshotId snapshot, DataFileMeta& file) {
  if (file.min_sequence_number == 0) {
    file.min_sequence_number = file.max_sequence_number = snapshot.value();
  } else if (file.max_sequence_number == 0) {
    file.max_sequence_number = snapshot.value();
  }
}

// Hands out ids to the files of one commit, in their order.
class RowIdCounter {
 public:
  explicit RowIdCounter(std::int64_t next) : next_(next) {}

  Status Assign(DataFileMeta& file) {
    if (!IsBlobFile(file)) {
      file.first_row_id = next_;
      next_ += file.row_count;
      blob_next_.clear();
      rows_start_ = *file.first_row_id;
      return Ok();
    }
    // Files of one BLOB column share out the rows of the file before them.
    if (!rows_start_ || !file.write_cols || file.write_cols->size() != 1) {
      return Error(ErrorCode::kInternal, fmt::format("{} does not follow the file of its rows", file.file_name));
    }
    std::int64_t& at = blob_next_.try_emplace(file.write_cols->front(), *rows_start_).first->second;
    file.first_row_id = at;
    at += file.row_count;
    return at <= next_ ? Ok()
                       : Error(ErrorCode::kInternal, fmt::format("{} has more rows than the file before it", file.file_name));
  }

  std::int64_t next() const { return next_; }

 private:
  std::int64_t next_;
  std::optional<std::int64_t> rows_start_;          // of the last file that is not a BLOB's
  std::map<std::string, std::int64_t> blob_next_;  // by column
};

}  // namespace

Result<bool> TracksRows(const Table& table) {
  return table.options().GetBool("row-tracking.enabled", false);
}

Result<bool> EvolvesData(const Table& table) {
  return table.options().GetBool("data-evolution.enabled", false);
}

const DataField& RowIdField() {
  static const DataField field = SystemField(kRowIdFieldId, kRowIdColumn);
  return field;
}

const DataField& RowSequenceField() {
  static const DataField field = SystemField(kSequenceNumberFieldId, kSequenceNumberColumn);
  return field;
}

std::vector<DataField> TrackedFields(const TableSchema& schema) {
  std::vector<DataField> fields = schema.fields;
  fields.push_back(RowIdField());
  fields.push_back(RowSequenceField());
  return fields;
}

Result<const DataField*> FindReadableColumn(const Table& table, std::string_view name) {
  const DataField* field = table.schema().FindColumn(name);
  if (field != nullptr) return field;
  BRAID_TRY_ASSIGN(const bool tracks, TracksRows(table));
  if (tracks && name == kRowIdColumn) field = &RowIdField();
  if (tracks && name == kSequenceNumberColumn) field = &RowSequenceField();
  return field;
}

bool StoresColumn(const DataFileMeta& file, std::string_view name) {
  if (!file.write_cols) return name != kRowIdColumn && name != kSequenceNumberColumn;
  return std::find(file.write_cols->begin(), file.write_cols->end(), name) != file.write_cols->end();
}

Result<std::int64_t> AssignRowIds(SnapshotId snapshot, std::int64_t next_row_id, std::vector<ManifestEntry>& delta) {
  RowIdCounter counter(next_row_id);
  for (ManifestEntry& entry : delta) {
    if (entry.kind != FileKind::kAdd) continue;
    if (!entry.file.file_source) {
      return Error(ErrorCode::kInternal, fmt::format("it is not known how {} came about", entry.file.file_name));
    }
    AssignSequence(snapshot, entry.file);
    const bool has_ids = entry.file.first_row_id || StoresColumn(entry.file, kRowIdColumn);
    if (entry.file.file_source == FileSource::kAppend && !has_ids) BRAID_TRY(counter.Assign(entry.file));
  }
  return counter.next();
}

std::shared_ptr<arrow::Array> CountFrom(std::int64_t first, std::int64_t count) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), first);
  return std::make_shared<arrow::Int64Array>(count, arrow::Buffer::FromVector(std::move(numbers)));
}

}  // namespace braid
