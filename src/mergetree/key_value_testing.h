#pragma once

// Small key tables for tests of this folder; include only from tests.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include "mergetree/key_value.h"
#include "meta/manifest.h"
#include "types/batch.h"

namespace braid {

inline DataField Field(std::int32_t id, std::string name, DataType type) {
  return {FieldId(id), std::move(name), std::move(type), std::nullopt, std::nullopt};
}

/// Value columns `fields`, of which the first `keys` are the key.
inline KeyValueSchema SchemaOf(std::vector<DataField> fields, std::size_t keys) {
  KeyValueSchema schema;
  schema.key_fields.assign(fields.begin(), fields.begin() + static_cast<std::ptrdiff_t>(keys));
  schema.requested_values = fields.size();
  schema.value_fields = std::move(fields);
  return schema;
}

/// k BIGINT key, v STRING, s INT.
inline KeyValueSchema SmallSchema() {
  return SchemaOf(
      {Field(0, "k", DataType::BigInt().NotNull()), Field(1, "v", DataType::String()), Field(2, "s", DataType::Int())},
      1);
}

/// The order of keys, for maps of models.
struct KeyLess {
  bool operator()(const DatumList& a, const DatumList& b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [](const Datum& x, const Datum& y) {
      return CompareDatums(x, y) == std::strong_ordering::less;
    });
  }
};

/// A row of a key-value batch.
struct KeyValueRow {
  DatumList values;
  std::int64_t sequence_number = 0;
  RowKind kind = RowKind::kInsert;

  friend bool operator==(const KeyValueRow&, const KeyValueRow&) = default;
};

inline void PrintTo(const KeyValueRow& row, std::ostream* out) {
  *out << RowKindName(row.kind) << "#" << row.sequence_number << "(";
  for (const Datum& value : row.values) {
    if (value.is_null())
      *out << "NULL ";
    else if (const auto* number = std::get_if<std::int64_t>(&value))
      *out << *number << " ";
    else if (const auto* text = std::get_if<std::string>(&value))
      *out << "'" << *text << "' ";
    else
      *out << "? ";
  }
  *out << ")";
}

inline Batch KeyValueBatch(const KeyValueSchema& schema, const std::vector<KeyValueRow>& rows) {
  std::vector<DataField> fields = KeyValueReadFields(schema);
  std::vector<DatumList> columns;
  for (const KeyValueRow& row : rows) {
    DatumList list = {Datum(row.sequence_number), Datum(static_cast<int>(row.kind))};
    list.insert(list.end(), row.values.begin(), row.values.end());
    columns.push_back(std::move(list));
  }
  const Result<Batch> read = MakeBatch(fields, columns);
  EXPECT_TRUE(read.has_value());
  Result<Batch> batch = ToKeyValueBatch(schema, *read->rows);
  EXPECT_TRUE(batch.has_value());
  return *std::move(batch);
}

/// Value columns alone, as a writer gets them.
inline Batch ValueBatch(const KeyValueSchema& schema, const std::vector<KeyValueRow>& rows) {
  std::vector<DatumList> values;
  std::vector<RowKind> kinds;
  for (const KeyValueRow& row : rows) {
    values.push_back(row.values);
    kinds.push_back(row.kind);
  }
  Result<Batch> batch = MakeBatch(schema.value_fields, values, kinds);
  EXPECT_TRUE(batch.has_value());
  return *std::move(batch);
}

inline std::vector<KeyValueRow> RowsOf(const KeyValueSchema& schema, const std::vector<Batch>& batches) {
  std::vector<KeyValueRow> rows;
  for (const Batch& batch : batches) {
    for (std::int64_t i = 0; i < batch.row_count(); ++i) {
      KeyValueRow row;
      for (std::size_t value = 0; value < schema.value_fields.size(); ++value) {
        row.values.push_back(
            DatumAt(*batch.rows->column(schema.value_column(value)), i, schema.value_fields[value].type));
      }
      row.sequence_number =
          DatumAt(*batch.rows->column(schema.sequence_number_column()), i, DataType::BigInt()).as_int();
      row.kind = batch.kind(i);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

inline std::unique_ptr<BatchReader> ReaderOf(const KeyValueSchema& schema, const std::vector<KeyValueRow>& rows,
                                             std::size_t rows_a_batch = 3) {
  std::vector<Batch> batches;
  for (std::size_t begin = 0; begin < rows.size(); begin += rows_a_batch) {
    const std::size_t end = std::min(rows.size(), begin + rows_a_batch);
    batches.push_back(KeyValueBatch(
        schema, {rows.begin() + static_cast<std::ptrdiff_t>(begin), rows.begin() + static_cast<std::ptrdiff_t>(end)}));
  }
  return MakeBatchReader(std::move(batches));
}

/// A file's metadata with one BIGINT key column.
inline DataFileMeta FileOf(std::string name, int level, std::int64_t size, std::int64_t min_key = 0,
                           std::int64_t max_key = 0, std::int64_t max_sequence = 0) {
  const std::vector<DataType> types = {DataType::BigInt().NotNull()};
  DataFileMeta file;
  file.file_name = std::move(name);
  file.level = level;
  file.file_size = size;
  file.row_count = 1;
  file.min_key = BinaryRow::Make(types, DatumList{Datum(min_key)});
  file.max_key = BinaryRow::Make(types, DatumList{Datum(max_key)});
  file.max_sequence_number = max_sequence;
  file.delete_row_count = 0;
  return file;
}

inline std::vector<std::string> NamesOf(const std::vector<DataFileMeta>& files) {
  std::vector<std::string> names;
  for (const DataFileMeta& file : files) names.push_back(file.file_name);
  return names;
}

/// The seed of a random test: BRAID_TEST_SEED, or a new one, which the test prints when it fails.
inline std::uint64_t TestSeed() {
  if (const char* text = std::getenv("BRAID_TEST_SEED")) return std::strtoull(text, nullptr, 10);
  return std::random_device{}();
}

}  // namespace braid
