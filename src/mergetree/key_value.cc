#include "mergetree/key_value.h"

#include <algorithm>
#include <numeric>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <fmt/format.h>

namespace braid {
namespace {

DataField KeyColumn(const DataField& field) {
  DataField column = field;
  column.id = FieldId(field.id.value() + kKeyFieldIdOffset);
  column.name = std::string(kKeyColumnPrefix) + field.name;
  return column;
}

DataField SequenceNumberField() {
  return {kSequenceNumberFieldId, std::string(kSequenceNumberColumn), DataType::BigInt().NotNull(), {}, {}};
}

DataField ValueKindField() {
  return {kValueKindFieldId, std::string(kValueKindColumn), DataType::TinyInt().NotNull(), {}, {}};
}

}  // namespace

std::optional<std::size_t> KeyValueSchema::KeyAmongValues(std::size_t key) const {
  return FindField(value_fields, key_fields[key].name);
}

bool KeyValueSchema::IsPrimaryKey(std::string_view column) const {
  return FindField(key_fields, column) ||
         std::find(primary_key.begin(), primary_key.end(), column) != primary_key.end();
}

std::shared_ptr<arrow::Schema> KeyValueSchema::BatchSchema() const {
  std::vector<DataField> fields;
  for (const DataField& key : key_fields) fields.push_back(KeyColumn(key));
  fields.push_back(SequenceNumberField());
  fields.insert(fields.end(), value_fields.begin(), value_fields.end());
  return ToArrowSchema(fields);
}

std::vector<DataField> KeyValueFileFields(const KeyValueSchema& schema, bool thin) {
  std::vector<DataField> fields;
  if (!thin) {
    for (const DataField& key : schema.key_fields) fields.push_back(KeyColumn(key));
  }
  fields.push_back(SequenceNumberField());
  fields.push_back(ValueKindField());
  fields.insert(fields.end(), schema.value_fields.begin(), schema.value_fields.end());
  return fields;
}

std::vector<DataField> KeyValueReadFields(const KeyValueSchema& schema) {
  std::vector<DataField> fields = {SequenceNumberField(), ValueKindField()};
  fields.insert(fields.end(), schema.value_fields.begin(), schema.value_fields.end());
  for (std::size_t key = 0; key < schema.key_count(); ++key) {
    if (!schema.KeyAmongValues(key)) fields.push_back(schema.key_fields[key]);
  }
  return fields;
}

Result<Batch> ToKeyValueBatch(const KeyValueSchema& schema, const arrow::RecordBatch& read) {
  const std::shared_ptr<arrow::Array>& sequence = read.column(0);
  auto kinds = std::dynamic_pointer_cast<arrow::Int8Array>(read.column(1));
  if (kinds == nullptr || kinds->null_count() > 0 || sequence->type_id() != arrow::Type::INT64 ||
      sequence->null_count() > 0) {
    return Error(ErrorCode::kCorruption,
                 fmt::format("{} or {} is missing or holds NULL", kSequenceNumberColumn, kValueKindColumn));
  }
  const std::int8_t* raw = kinds->raw_values();
  std::int8_t seen = 0;
  bool valid = true;
  for (std::int64_t row = 0; row < kinds->length(); ++row) {
    seen = static_cast<std::int8_t>(seen | raw[row]);
    valid = valid && raw[row] >= 0 && raw[row] <= 3;
  }
  if (!valid) {
    return Error(ErrorCode::kCorruption, fmt::format("{} holds a number that is no row kind", kValueKindColumn));
  }

  std::vector<std::shared_ptr<arrow::Array>> columns;
  int extra = static_cast<int>(2 + schema.value_fields.size());
  for (std::size_t key = 0; key < schema.key_count(); ++key) {
    const std::optional<std::size_t> value = schema.KeyAmongValues(key);
    columns.push_back(read.column(value ? static_cast<int>(2 + *value) : extra++));
  }
  columns.push_back(sequence);
  for (std::size_t value = 0; value < schema.value_fields.size(); ++value) {
    columns.push_back(read.column(static_cast<int>(2 + value)));
  }
  return Batch{arrow::RecordBatch::Make(schema.BatchSchema(), read.num_rows(), std::move(columns)),
               seen == 0 ? nullptr : std::move(kinds)};
}

Result<Batch> NumberRows(const KeyValueSchema& schema, const Batch& values, std::int64_t first_sequence_number) {
  const std::int64_t rows = values.row_count();
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (std::size_t key = 0; key < schema.key_count(); ++key) {
    columns.push_back(values.rows->column(static_cast<int>(*schema.KeyAmongValues(key))));
  }
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(rows));
  std::iota(numbers.begin(), numbers.end(), first_sequence_number);
  columns.push_back(std::make_shared<arrow::Int64Array>(rows, arrow::Buffer::FromVector(std::move(numbers))));
  for (const auto& column : values.rows->columns()) columns.push_back(column);
  return Batch{arrow::RecordBatch::Make(schema.BatchSchema(), rows, std::move(columns)), values.kinds};
}

}  // namespace braid
