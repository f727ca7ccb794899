#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/options.h"
#include "base/result.h"
#include "base/strong_id.h"
#include "types/data_type.h"

namespace braid {

/// A version of a table's columns, keys and options (spec metadata.md §2). An immutable value, made whole by the codec, by
/// NewTableSchema or by Apply (schema_change.h), then shared.
struct TableSchema {
  std::int32_t version = 3;  ///< of the document; 3 is what Paimon ≥ 0.9 writes
  SchemaId id;
  std::vector<DataField> fields;
  std::int32_t highest_field_id = -1;  ///< ever assigned, nested and dropped fields included
  std::vector<std::string> partition_keys;
  std::vector<std::string> primary_keys;
  Options options;
  std::optional<std::string> comment;
  std::int64_t time_millis = 0;

  bool has_primary_key() const { return !primary_keys.empty(); }
  bool is_partitioned() const { return !partition_keys.empty(); }
  /// Primary key columns that are no partition columns, in primary-key order: the key of the merge tree.
  std::vector<std::string> TrimmedPrimaryKeys() const;
  /// `bucket-key`, or the trimmed primary key.
  std::vector<std::string> BucketKeys() const;
  /// Fields of these columns, in this order. Precondition: they exist.
  std::vector<DataField> Project(std::span<const std::string> columns) const;
  std::vector<DataField> PartitionFields() const { return Project(partition_keys); }
  std::vector<DataField> TrimmedPrimaryKeyFields() const { return Project(TrimmedPrimaryKeys()); }
  const DataField* FindColumn(std::string_view name) const;

  friend bool operator==(const TableSchema&, const TableSchema&) = default;
};

/// What CREATE TABLE says; ids of the columns are assigned by NewTableSchema.
struct TableDefinition {
  std::vector<DataField> fields;
  std::vector<std::string> partition_keys;
  std::vector<std::string> primary_keys;
  Options options;
  std::optional<std::string> comment;
};

/// The first schema of a table: assigns field ids, makes key columns NOT NULL, moves the options `primary-key` and
/// `partition` to their places, and checks all rules of spec metadata.md §2.5. Errors: kInvalidArgument, naming the rule.
Result<TableSchema> NewTableSchema(const TableDefinition& definition, std::int64_t now_ms);

/// Checks the rules of §2.5. Errors: kInvalidArgument; kUnsupported for what this version does not do.
Status ValidateSchema(const TableSchema& schema);

}  // namespace braid
