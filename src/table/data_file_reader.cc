#include "table/data_file_reader.h"

#include <algorithm>
#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>

#include "format/blob_format.h"
#include "format/deletion_vector.h"
#include "format/file_format.h"
#include "mergetree/key_value.h"
#include "table/data_file_index.h"
#include "table/file_terms.h"
#include "table/partitions.h"
#include "table/row_tracking.h"
#include "types/cast.h"

namespace braid {

namespace {

// Where one output column comes from.
struct ColumnSource {
  DataField field;               // what to yield
  int file_column = -1;          // position among the columns asked of the file, or -1: `constant`
  std::optional<DataType> from;  // the file's type where it differs from the field's
  Datum constant;                // a partition value, or NULL for a column that the file lacks
  /// Stands where the row has no value of its own: `constant`, or if this is set, it and the row's position together.
  std::optional<std::int64_t> first_row_id = std::nullopt;
  bool fills_nulls = false;
};

// Which of a file's rows are read.
struct WantedRows {
  std::optional<DeletionVector> deleted;
  std::optional<RowSelection> selected;

  bool are_all() const { return !deleted && !selected; }
  bool Contain(std::int64_t position) const {
    return (!deleted || !deleted->Contains(position)) && (!selected || selected->Contains(position));
  }
};

class EvolvingReader : public FileReader {
 public:
  EvolvingReader(std::unique_ptr<FileReader> file, std::vector<ColumnSource> sources, WantedRows wanted, std::string path)
      : file_(std::move(file)), sources_(std::move(sources)), wanted_(std::move(wanted)), path_(std::move(path)) {
    std::vector<DataField> fields;
    for (const ColumnSource& source : sources_) fields.push_back(source.field);
    schema_ = ToArrowSchema(fields);
  }

  Result<std::optional<Batch>> Next() override {
    for (;;) {
      BRAID_TRY_ASSIGN(std::optional<Batch> batch, file_->Next().Context("while reading " + path_));
      if (!batch) return std::optional<Batch>();
      AddRowIds(*batch);
      if (!wanted_.are_all()) {
        BRAID_TRY_ASSIGN(batch, TakeWanted(*batch));
        if (batch->row_count() == 0) continue;
      }
      BRAID_TRY_ASSIGN(Batch evolved, Evolve(*batch));
      return std::optional(std::move(evolved));
    }
  }

  std::int64_t first_row_of_last_batch() const override { return file_->first_row_of_last_batch(); }

 private:
  // Adds a column of the ids that rows have by their positions, where one is needed: deletions move the rows.
  void AddRowIds(Batch& batch) const {
    const auto needing = std::find_if(sources_.begin(), sources_.end(), [](const ColumnSource& source) { return source.first_row_id.has_value(); });
    if (needing == sources_.end()) return;
    arrow::FieldVector fields = batch.rows->schema()->fields();
    std::vector<std::shared_ptr<arrow::Array>> columns = batch.rows->columns();
    fields.push_back(arrow::field(std::string(kRowIdColumn), arrow::int64(), false));
    columns.push_back(RowIds(*needing->first_row_id, batch.row_count()));
    batch.rows = arrow::RecordBatch::Make(arrow::schema(std::move(fields)), batch.row_count(), std::move(columns));
  }

  // Of the last batch's rows, from the id of the file's first row.
  std::shared_ptr<arrow::Array> RowIds(std::int64_t first_id, std::int64_t count) const {
    const std::span<const std::int64_t> positions = file_->positions_of_last_batch();
    if (positions.empty()) return CountFrom(first_id + file_->first_row_of_last_batch(), count);
    std::vector<std::int64_t> ids;
    for (const std::int64_t position : positions) ids.push_back(first_id + position);
    return std::make_shared<arrow::Int64Array>(count, arrow::Buffer::FromVector(std::move(ids)));
  }

  Result<Batch> TakeWanted(const Batch& batch) const {
    const std::int64_t first = file_->first_row_of_last_batch();
    const std::span<const std::int64_t> positions = file_->positions_of_last_batch();
    std::vector<std::int32_t> kept;
    for (std::int64_t row = 0; row < batch.row_count(); ++row) {
      const std::int64_t position = positions.empty() ? first + row : positions[static_cast<std::size_t>(row)];
      if (wanted_.Contain(position)) kept.push_back(static_cast<std::int32_t>(row));
    }
    if (static_cast<std::int64_t>(kept.size()) == batch.row_count()) return batch;
    return TakeRows(batch, kept);
  }

  Result<Batch> Evolve(const Batch& batch) const {
    std::vector<std::shared_ptr<arrow::Array>> columns;
    columns.reserve(sources_.size());
    for (const ColumnSource& source : sources_) {
      if (source.file_column < 0) {
        BRAID_TRY_ASSIGN(auto column, OtherwiseColumn(source, batch));
        columns.push_back(std::move(column));
        continue;
      }
      std::shared_ptr<arrow::Array> column = batch.rows->column(source.file_column);
      if (source.fills_nulls && column->null_count() > 0) {
        BRAID_TRY_ASSIGN(const auto other, OtherwiseColumn(source, batch));
        BRAID_TRY_ASSIGN(column, FillNulls(column, other));
      }
      if (source.from) {
        BRAID_TRY_ASSIGN(column, CastColumn(column, *source.from, source.field.type)
                                     .Context(fmt::format("while converting column '{}' of {}", source.field.name, path_)));
      }
      columns.push_back(std::move(column));
    }
    return Batch{arrow::RecordBatch::Make(schema_, batch.row_count(), std::move(columns)), nullptr};
  }

  // What rows have that have no value of their own.
  static Result<std::shared_ptr<arrow::Array>> OtherwiseColumn(const ColumnSource& source, const Batch& batch) {
    if (source.first_row_id) return batch.rows->column(batch.rows->num_columns() - 1);
    return MakeConstantColumn(source.constant, source.field.type, batch.row_count());
  }

  static Result<std::shared_ptr<arrow::Array>> FillNulls(const std::shared_ptr<arrow::Array>& column, const std::shared_ptr<arrow::Array>& other) {
    std::vector<std::int32_t> sources;
    std::vector<std::int32_t> positions;
    for (std::int64_t row = 0; row < column->length(); ++row) {
      sources.push_back(column->IsNull(row) ? 1 : 0);
      positions.push_back(static_cast<std::int32_t>(row));
    }
    const std::vector<std::shared_ptr<arrow::Array>> both = {column, other};
    return Interleave(both, sources, positions);
  }

  std::unique_ptr<FileReader> file_;
  std::vector<ColumnSource> sources_;
  WantedRows wanted_;
  std::string path_;
  std::shared_ptr<arrow::Schema> schema_;
};

// A file none of whose rows is wanted.
class NoRows : public FileReader {
 public:
  Result<std::optional<Batch>> Next() override { return std::optional<Batch>(); }
  std::int64_t first_row_of_last_batch() const override { return 0; }
};

bool IsSystemColumn(const DataField& field) { return field.id == kSequenceNumberFieldId || field.id == kValueKindFieldId; }

// The id or the sequence number of an append table's rows.
Result<ColumnSource> TrackedSource(const DataFileMeta& file, const DataField& field, std::vector<DataField>& asked) {
  ColumnSource source{.field = field, .file_column = -1, .from = std::nullopt, .constant = {}};
  const bool is_id = field.id == RowIdField().id;
  if (is_id) {
    source.first_row_id = file.first_row_id;
  } else {
    source.constant = Datum(file.max_sequence_number);
  }
  if (StoresColumn(file, field.name)) {
    source.file_column = static_cast<int>(asked.size());
    source.fills_nulls = !is_id || file.first_row_id;
    asked.push_back(field);
    asked.back().type = field.type.Nullable();
  } else if (is_id && !file.first_row_id) {
    return Error(ErrorCode::kCorruption, fmt::format("the rows of {} have no ids", file.file_name));
  }
  return source;
}

// Plans the columns; `asked` collects what the file must give.
Result<std::vector<ColumnSource>> PlanColumns(const Table& table, const DatumList& partition, const TableSchema& file_schema,
                                              const DataFileMeta& file, const std::vector<DataField>& fields,
                                              std::vector<DataField>& asked) {
  const std::vector<std::string>& partition_keys = table.schema().partition_keys;
  std::vector<ColumnSource> sources;
  for (const DataField& field : fields) {
    if (!table.schema().has_primary_key() && (field.id == RowIdField().id || field.id == RowSequenceField().id)) {
      BRAID_TRY_ASSIGN(ColumnSource tracked, TrackedSource(file, field, asked));
      sources.push_back(std::move(tracked));
      continue;
    }
    ColumnSource source{.field = field, .file_column = -1, .from = std::nullopt, .constant = {}};
    const auto key = std::find(partition_keys.begin(), partition_keys.end(), field.name);
    const DataField* in_file = IsSystemColumn(field) ? &field : FileFieldOf(field, file_schema, file);
    if (key != partition_keys.end()) {
      source.constant = partition[static_cast<std::size_t>(key - partition_keys.begin())];
    } else if (in_file != nullptr) {
      source.file_column = static_cast<int>(asked.size());
      if (!(in_file->type.Nullable() == field.type.Nullable())) source.from = in_file->type;
      asked.push_back(*in_file);
    } else {
      source.field.type = field.type.Nullable();  // NULL stands in even for a NOT NULL column
    }
    sources.push_back(std::move(source));
  }
  if (asked.empty()) {
    // The number of rows comes with some column.
    const auto stored = std::find_if(file_schema.fields.begin(), file_schema.fields.end(), [&](const DataField& field) { return StoresColumn(file, field.name); });
    asked.push_back(stored == file_schema.fields.end() ? file_schema.fields.front() : *stored);
  }
  return sources;
}

Result<DatumList> PartitionValues(const Table& table, const BinaryRow& partition) {
  return partition.ToDatums(PartitionTypes(table.layout()));
}

}  // namespace

Result<std::string> DataFilePath(const Table& table, const BinaryRow& partition, BucketId bucket, const DataFileMeta& file) {
  if (file.external_path) return *file.external_path;
  BRAID_TRY_ASSIGN(const DatumList values, PartitionValues(table, partition));
  return JoinPath(JoinPath(table.paths().root(), table.layout().BucketDirectory(values, bucket)), file.file_name);
}

Result<std::string> ExtraFilePath(const Table& table, const BinaryRow& partition, BucketId bucket, const DataFileMeta& file,
                                  const std::string& name) {
  BRAID_TRY_ASSIGN(const std::string path, DataFilePath(table, partition, bucket, file));
  return JoinPath(DirectoryName(path), name);
}

Result<std::vector<RowGroup>> DataFileReader::RowGroups(const BinaryRow& partition, BucketId bucket, const DataFileMeta& file,
                                                        const DataField& field) {
  BRAID_TRY_ASSIGN(const auto file_schema, table_.schemas().Get(file.schema_id));
  const DataField* in_file = FileFieldOf(field, *file_schema, file);
  if (in_file == nullptr || !(in_file->type.Nullable() == field.type.Nullable())) return std::vector<braid::RowGroup>();
  BRAID_TRY_ASSIGN(const FileFormat* format, FormatOfFileName(file.file_name));
  BRAID_TRY_ASSIGN(const std::string path, DataFilePath(table_, partition, bucket, file));
  return format->RowGroups(table_.file_system(), path, *in_file);
}

Status DeleteDataFile(const Table& table, const BinaryRow& partition, BucketId bucket, const DataFileMeta& file) {
  for (const std::string& extra : file.extra_files) {
    BRAID_TRY_ASSIGN(const std::string path, ExtraFilePath(table, partition, bucket, file, extra));
    BRAID_TRY(table.file_system().Delete(path));
  }
  BRAID_TRY_ASSIGN(const std::string path, DataFilePath(table, partition, bucket, file));
  return table.file_system().Delete(path);
}

Result<std::unique_ptr<FileReader>> DataFileReader::Open(const BinaryRow& partition, BucketId bucket, const DataFileMeta& file,
                                                         const std::vector<DataField>& fields, const PredicatePtr& filter,
                                                         const DeletionVectorRef& deletion_vector, bool drops_rows) {
  BRAID_TRY_ASSIGN(const auto file_schema, table_.schemas().Get(file.schema_id));
  BRAID_TRY_ASSIGN(const FileFormat* format, FormatOfFileName(file.file_name));
  BRAID_TRY_ASSIGN(std::string path, DataFilePath(table_, partition, bucket, file));
  BRAID_TRY_ASSIGN(const DatumList values, PartitionValues(table_, partition));
  FileReadRequest request;
  request.drops_rows = drops_rows;
  BRAID_TRY_ASSIGN(std::vector<ColumnSource> sources, PlanColumns(table_, values, *file_schema, file, fields, request.columns));
  request.filter = InFileTerms(filter, table_.schema(), *file_schema, file);
  WantedRows wanted;
  if (drops_rows) {
    BRAID_TRY_ASSIGN(wanted.selected, SelectRowsByIndex(table_, path, file, request.filter));
    if (wanted.selected && wanted.selected->empty()) return std::unique_ptr<FileReader>(std::make_unique<NoRows>());
    request.rows = wanted.selected;
  }
  if (!deletion_vector.path.empty()) {
    BRAID_TRY_ASSIGN(wanted.deleted, ReadDeletionVector(table_.file_system(), deletion_vector.path, deletion_vector.offset));
  }
  BRAID_TRY_ASSIGN(const bool as_descriptors, table_.options().GetBool("blob-as-descriptor", false));
  if (as_descriptors && format == &BlobFormat()) format = &BlobDescriptorFormat();
  BRAID_TRY_ASSIGN(auto reader, format->OpenReader(table_.file_system(), path, request));
  return std::unique_ptr<FileReader>(std::make_unique<EvolvingReader>(std::move(reader), std::move(sources), std::move(wanted), std::move(path)));
}

}  // namespace braid
