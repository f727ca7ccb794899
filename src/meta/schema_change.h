#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "meta/table_schema.h"

namespace braid {

/// A column, or a nested field by its path ("r", "x"); inside ARRAY the part is "element", inside MAP "value".
using ColumnPath = std::vector<std::string>;

/// Where a column goes.
struct ColumnPosition {
  enum class Where { kFirst, kLast, kAfter, kBefore } where = Where::kLast;
  std::string reference;  ///< the other column, for kAfter and kBefore
};

struct SetOption { std::string key, value; };
struct RemoveOption { std::string key; };
struct UpdateComment { std::optional<std::string> comment; };
struct AddColumn {
  ColumnPath path;
  DataType type;
  std::optional<std::string> description;
  std::optional<ColumnPosition> position;
};
struct RenameColumn { ColumnPath path; std::string new_name; };
struct DropColumn { ColumnPath path; };
struct UpdateColumnType { ColumnPath path; DataType type; bool keep_nullability = false; };
struct UpdateColumnNullability { ColumnPath path; bool nullable; };
struct UpdateColumnComment { ColumnPath path; std::optional<std::string> comment; };
struct UpdateColumnDefault { ColumnPath path; std::optional<std::string> default_value; };
struct MoveColumn { std::string column; ColumnPosition position; };
struct DropPrimaryKey {};

using SchemaChange = std::variant<SetOption, RemoveOption, UpdateComment, AddColumn, RenameColumn, DropColumn, UpdateColumnType,
                                  UpdateColumnNullability, UpdateColumnComment, UpdateColumnDefault, MoveColumn, DropPrimaryKey>;

/// The next schema (id + 1) after these changes, in order (spec metadata.md §2.6–2.8). Pure: whether the table has a snapshot
/// already is told, since some options and the primary key freeze then.
/// Errors: kInvalidArgument (a rule forbids it), kNotFound (no such column; the hint names the nearest), kAlreadyExists.
Result<TableSchema> Apply(const TableSchema& schema, std::span<const SchemaChange> changes, bool has_snapshot, std::int64_t now_ms);

}  // namespace braid
