#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/options.h"
#include "base/result.h"
#include "meta/table_schema.h"
#include "types/batch.h"
#include "types/data_type.h"

namespace braid {

// System columns of key tables' data files (spec data.md §1.2).
inline constexpr std::string_view kKeyColumnPrefix = "_KEY_";
inline constexpr std::string_view kSequenceNumberColumn = "_SEQUENCE_NUMBER";
inline constexpr std::string_view kValueKindColumn = "_VALUE_KIND";
inline constexpr FieldId kSequenceNumberFieldId{2147483646};
inline constexpr FieldId kValueKindFieldId{2147483645};
/// Added to a key column's id to make that of its `_KEY_` column.
inline constexpr std::int32_t kKeyFieldIdOffset = 1073741823;

/// The columns that merging works on: the trimmed primary key, a sequence number, a row kind and value columns.
///
/// A *key-value batch* is a Batch whose columns are the key fields, then `_SEQUENCE_NUMBER` (int64), then the value
/// fields, and whose `kinds` are the row kinds. Where a key field is a value field too, both columns are the same
/// array. Immutable; any thread.
struct KeyValueSchema {
  std::vector<DataField> key_fields;    ///< the trimmed primary key, under the table's own names and ids
  std::vector<DataField> value_fields;  ///< what reading asked for; all of the table's columns when writing
  /// `sequence.field`: positions among the value fields, the first deciding first.
  std::vector<std::size_t> sequence_fields;
  bool sequence_descending = false;
  /// Names of the whole primary key, partition columns included; empty: the key fields are all of it.
  std::vector<std::string> primary_key = {};
  /// How many of the value fields were asked for; those after them were added because merging needs them.
  std::size_t requested_values = 0;

  /// `columns`: the value columns wanted, all of the table's if nullopt; those that merging needs besides, such as
  /// sequence fields, are added at the end.
  /// Errors: kInvalidArgument if a column, also one of `sequence.field`, does not exist; kUnsupported if a key or
  /// sequence column's type has no order.
  static Result<KeyValueSchema> Make(const TableSchema& schema, const Options& options,
                                     const std::optional<std::vector<std::string>>& columns = std::nullopt);

  std::size_t key_count() const { return key_fields.size(); }
  /// Whether a column is of the primary key, so that all rows of a key hold the same there.
  bool IsPrimaryKey(std::string_view column) const;
  int sequence_number_column() const { return static_cast<int>(key_fields.size()); }
  /// The column of a key-value batch that holds this value field.
  int value_column(std::size_t value) const { return static_cast<int>(key_fields.size() + 1 + value); }
  /// Position among the value fields of a key field, or nullopt.
  std::optional<std::size_t> KeyAmongValues(std::size_t key) const;
  /// Columns of a key-value batch, the key columns under their `_KEY_` names.
  std::shared_ptr<arrow::Schema> BatchSchema() const;
};

/// The columns of a data file in the order of §1.3: keys (none if `thin`), sequence number, kind, values.
std::vector<DataField> KeyValueFileFields(const KeyValueSchema& schema, bool thin);

/// What to read from a data file to make key-value batches: `_SEQUENCE_NUMBER`, `_VALUE_KIND`, the value fields, then
/// the key fields that are no value fields; keys by their table names, so that files with and without `_KEY_` columns
/// read alike (§1.3).
std::vector<DataField> KeyValueReadFields(const KeyValueSchema& schema);
/// Makes a key-value batch of columns in the order of KeyValueReadFields. Errors: kCorruption for a kind or NULL that
/// cannot be.
Result<Batch> ToKeyValueBatch(const KeyValueSchema& schema, const arrow::RecordBatch& read);

/// Makes a key-value batch of value columns alone, rows numbered first_sequence_number, first_sequence_number + 1, ….
/// Precondition: the value fields hold all key fields.
Result<Batch> NumberRows(const KeyValueSchema& schema, const Batch& values, std::int64_t first_sequence_number);

}  // namespace braid
