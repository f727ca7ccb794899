// Rules about columns and keys (spec metadata.md §2.4, §2.5).

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/option_lists.h"
#include "base/text.h"
#include "meta/schema_rules_internal.h"
#include "types/cast.h"

namespace braid {
namespace {

using Names = std::vector<std::string>;

constexpr std::array<std::string_view, 5> kSystemColumns = {"_SEQUENCE_NUMBER", "_VALUE_KIND", "_LEVEL", "rowkind",
                                                            "_ROW_ID"};
constexpr std::string_view kKeyColumnPrefix = "_KEY_";

bool Contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Error Invalid(std::string message) {
  return Error(ErrorCode::kInvalidArgument, std::move(message));
}

std::optional<std::string> FirstDuplicate(const Names& names) {
  std::set<std::string_view> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) return name;
  }
  return std::nullopt;
}

Names ColumnNames(const TableSchema& schema) {
  Names names;
  for (const DataField& field : schema.fields) names.push_back(field.name);
  return names;
}

Status CheckNames(const std::vector<DataField>& fields) {
  if (fields.empty()) return Invalid("a table needs at least one column");
  for (const DataField& field : fields) {
    if (field.name.empty()) return Invalid("a column must have a name");
    if (field.name.starts_with(kKeyColumnPrefix) ||
        std::find(kSystemColumns.begin(), kSystemColumns.end(), field.name) != kSystemColumns.end()) {
      return Invalid(fmt::format("column '{}' has a name that Paimon keeps for itself", field.name))
          .Hint(fmt::format("use another name; '{}…' and {} are taken", kKeyColumnPrefix,
                            fmt::join(kSystemColumns, ", ")));
    }
  }
  return Ok();
}

// Keys are columns, each once, of types that can be compared. `what` is "primary key" or "partition key".
Status CheckKey(const TableSchema& schema, const Names& key, std::string_view what) {
  if (const std::optional<std::string> twice = FirstDuplicate(key))
    return Invalid(fmt::format("the {} names column '{}' twice", what, *twice));
  const Names columns = ColumnNames(schema);
  for (const std::string& name : key) {
    const DataField* column = schema.FindColumn(name);
    if (column == nullptr) {
      Error error = Invalid(fmt::format("{} column '{}' does not exist", what, name));
      const std::optional<std::string> nearest = NearestName(name, columns);
      return nearest ? std::move(error).Hint(fmt::format("did you mean '{}'?", *nearest)) : error;
    }
    const TypeKind kind = column->type.kind();
    if (column->type.is_nested() || kind == TypeKind::kVariant || kind == TypeKind::kBlob) {
      return Invalid(fmt::format("{} column '{}' has type {}, which cannot be part of a key", what, name,
                                 column->type.ToString()));
    }
  }
  return Ok();
}

Status CheckPrimaryKey(const TableSchema& schema) {
  BRAID_TRY(CheckKey(schema, schema.primary_keys, "primary key"));
  if (schema.has_primary_key() && schema.TrimmedPrimaryKeys().empty()) {
    return Invalid(
               fmt::format(
                   "the primary key ({}) consists of partition columns only, so a partition could hold only one row",
                   fmt::join(schema.primary_keys, ", ")))
        .Hint("add a column to the primary key that is no partition column");
  }
  for (const std::string& name : schema.primary_keys) {
    if (schema.FindColumn(name)->type.nullable())
      return Invalid(fmt::format("primary key column '{}' must be NOT NULL", name));
  }
  return Ok();
}

Status CheckBucketKey(const TableSchema& schema) {
  const Names keys = SplitNames(schema.options.Get("bucket-key", ""));
  for (const std::string& name : keys) {
    const DataField* column = schema.FindColumn(name);
    if (column == nullptr) {
      return Invalid(fmt::format("option 'bucket-key' names '{}', which is no column", name))
          .Hint(name != Trim(name) ? "leave out the spaces around the commas" : "name columns of the table");
    }
    if (Contains(schema.partition_keys, name)) {
      return Invalid(fmt::format("option 'bucket-key' names '{}', which is a partition column", name));
    }
    if (schema.has_primary_key() && !Contains(schema.primary_keys, name)) {
      return Invalid(fmt::format("option 'bucket-key' names '{}', which is no column of the primary key", name));
    }
    if (column->type.is_nested() || column->type.kind() == TypeKind::kVariant) {
      return Invalid(
          fmt::format("option 'bucket-key' names '{}', whose type {} cannot be hashed", name, column->type.ToString()));
    }
  }
  return Ok();
}

Status TakeKeysFromOption(std::string_view option, Names& keys, Options& options) {
  const std::optional<std::string> text = options.Find(option);
  if (!text) return Ok();
  Names given;
  for (std::string& name : ParseList(*text)) {
    if (!name.empty()) given.push_back(std::move(name));
  }
  if (!keys.empty() && keys != given) {
    return Invalid(fmt::format("option '{}' is '{}', but the table's is already ({})", option, *text,
                               fmt::join(keys, ", ")))
        .Hint("define it in one place only");
  }
  keys = std::move(given);
  options.Remove(option);
  return Ok();
}

}  // namespace

Status NormalizeKeys(std::vector<DataField>& fields, Names& partition_keys, Names& primary_keys, Options& options) {
  BRAID_TRY(TakeKeysFromOption("partition", partition_keys, options));
  BRAID_TRY(TakeKeysFromOption("primary-key", primary_keys, options));
  for (DataField& field : fields) {
    if (Contains(primary_keys, field.name)) field.type = field.type.NotNull();
  }
  return Ok();
}

Status CheckDefaultValue(const DataField& field) {
  if (!field.default_value) return Ok();
  const Result<Datum> value = ParseDatum(*field.default_value, field.type);
  if (value) return Ok();
  return Invalid(
      fmt::format("the default '{}' of column '{}' is no {}", *field.default_value, field.name, field.type.ToString()));
}

Status CheckColumnsAndKeys(const TableSchema& schema) {
  BRAID_TRY(CheckNames(schema.fields));
  if (const std::optional<std::string> twice = FirstDuplicate(ColumnNames(schema))) {
    return Invalid(fmt::format("column '{}' is defined twice", *twice));
  }
  BRAID_TRY(CheckKey(schema, schema.partition_keys, "partition key"));
  BRAID_TRY(CheckPrimaryKey(schema));
  BRAID_TRY(CheckBucketKey(schema));
  for (const DataField& field : schema.fields) BRAID_TRY(CheckDefaultValue(field));
  return Ok();
}

}  // namespace braid
