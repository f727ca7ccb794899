#include "meta/schema_change.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "meta/column_edit_internal.h"
#include "meta/field_ids_internal.h"
#include "meta/schema_rules_internal.h"
#include "types/cast.h"

namespace braid {
namespace {

Error Invalid(std::string message) {
  return Error(ErrorCode::kInvalidArgument, std::move(message));
}

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool Names(const ColumnPath& path, const std::vector<std::string>& keys) {
  return path.size() == 1 && Contains(keys, path.front());
}

Status CheckUnused(const std::vector<DataField>& siblings, const std::string& name) {
  if (name.empty()) return Invalid("a column must have a name");
  if (!FindField(siblings, name)) return Ok();
  return Error(ErrorCode::kAlreadyExists, fmt::format("there is a column '{}' already", name));
}

// Where a column that is not among its siblings goes.
Result<std::size_t> FindPlace(const std::vector<DataField>& siblings, const ColumnPosition& position) {
  using Where = ColumnPosition::Where;
  if (position.where == Where::kFirst) return 0;
  if (position.where == Where::kLast) return siblings.size();
  BRAID_TRY_ASSIGN(const std::size_t reference, FindSibling(siblings, position.reference, {position.reference}));
  return position.where == Where::kAfter ? reference + 1 : reference;
}

// Applies changes one after the other to a schema in the making. Options that steer ALTER TABLE are those before all
// changes, as in Java.
class Changer {
 public:
  Changer(const TableSchema& before, bool has_snapshot)
      : before_(before), has_snapshot_(has_snapshot), after_(before) {}

  Status operator()(const SetOption& change);
  Status operator()(const RemoveOption& change);
  Status operator()(const UpdateComment& change);
  Status operator()(const AddColumn& change);
  Status operator()(const RenameColumn& change);
  Status operator()(const DropColumn& change);
  Status operator()(const UpdateColumnType& change);
  Status operator()(const UpdateColumnNullability& change);
  Status operator()(const UpdateColumnComment& change);
  Status operator()(const UpdateColumnDefault& change);
  Status operator()(const MoveColumn& change);
  Status operator()(const DropPrimaryKey& change);

  Result<TableSchema> Finish(std::int64_t now_ms);

 private:
  Result<ColumnPosition> PlaceOfNewColumn(const AddColumn& change) const;
  Result<DataType> ChangedType(const DataType& from, const UpdateColumnType& change) const;
  Status CheckNullability(bool from, bool to, const ColumnPath& path) const;
  Status EditField(const ColumnPath& path, const std::function<Status(DataField&)>& edit);

  const TableSchema& before_;
  const bool has_snapshot_;
  TableSchema after_;
};

Status Changer::operator()(const SetOption& change) {
  if (change.key == "path") return Invalid("the location of a table (option 'path') cannot be changed");
  if (change.key == "type" && after_.options.Get("type", "table") != change.value) {
    return Invalid("the kind of a table (option 'type') cannot be changed");
  }
  const bool sets_keys = change.key == "primary-key" || change.key == "partition";
  const std::vector<std::string>& keys = change.key == "primary-key" ? after_.primary_keys : after_.partition_keys;
  if (sets_keys && Join(keys, ",") == change.value) return Ok();
  if (change.key == "partition") return Invalid("the partition columns of a table cannot be changed");
  if (has_snapshot_) BRAID_TRY(CheckOptionChange(after_.options, change.key, change.value));
  after_.options.Set(change.key, change.value);
  return Ok();
}

Status Changer::operator()(const RemoveOption& change) {
  if (has_snapshot_) BRAID_TRY(CheckOptionChange(after_.options, change.key, std::nullopt));
  after_.options.Remove(change.key);
  return Ok();
}

Status Changer::operator()(const UpdateComment& change) {
  after_.comment = change.comment;
  return Ok();
}

Result<ColumnPosition> Changer::PlaceOfNewColumn(const AddColumn& change) const {
  if (change.position) return *change.position;
  BRAID_TRY_ASSIGN(const bool before_partition, before_.options.GetBool("add-column-before-partition", false));
  if (!before_partition || change.path.size() > 1) return ColumnPosition{};
  for (const DataField& field : after_.fields) {
    if (Contains(after_.partition_keys, field.name)) return ColumnPosition{ColumnPosition::Where::kBefore, field.name};
  }
  return ColumnPosition{};
}

Status Changer::operator()(const AddColumn& change) {
  if (!change.type.nullable()) {
    return Invalid(fmt::format("new column '{}' cannot be NOT NULL, since existing rows have no value for it",
                               PathText(change.path)));
  }
  BRAID_TRY_ASSIGN(const ColumnPosition position, PlaceOfNewColumn(change));
  return EditSiblings(after_.fields, change.path, [&](std::vector<DataField>& siblings) -> Status {
    BRAID_TRY(CheckUnused(siblings, change.path.back()));
    BRAID_TRY_ASSIGN(const std::size_t place, FindPlace(siblings, position));
    const FieldId id(++after_.highest_field_id);
    DataType type = ReassignFieldIds(change.type, after_.highest_field_id);
    siblings.insert(siblings.begin() + static_cast<std::ptrdiff_t>(place),
                    DataField{id, change.path.back(), std::move(type), change.description, std::nullopt});
    return Ok();
  });
}

Status Changer::operator()(const RenameColumn& change) {
  if (Names(change.path, after_.partition_keys)) {
    return Invalid(fmt::format("partition column '{}' cannot be renamed", change.path.front()));
  }
  const auto rename = [&](std::vector<DataField>& siblings) -> Status {
    BRAID_TRY_ASSIGN(const std::size_t position, FindSibling(siblings, change.path.back(), change.path));
    BRAID_TRY(CheckUnused(siblings, change.new_name));
    if (siblings[position].type.kind() == TypeKind::kBlob) {
      return Invalid(fmt::format("BLOB column '{}' cannot be renamed", PathText(change.path)));
    }
    siblings[position].name = change.new_name;
    return Ok();
  };
  BRAID_TRY(EditSiblings(after_.fields, change.path, rename));
  if (change.path.size() > 1) return Ok();
  std::replace(after_.primary_keys.begin(), after_.primary_keys.end(), change.path.front(), change.new_name);
  after_.options = RenameColumnInOptions(after_.options, change.path.front(), change.new_name);
  return Ok();
}

Status Changer::operator()(const DropColumn& change) {
  if (Names(change.path, after_.partition_keys)) {
    return Invalid(fmt::format("partition column '{}' cannot be dropped", change.path.front()));
  }
  if (Names(change.path, after_.primary_keys)) {
    return Invalid(fmt::format("primary key column '{}' cannot be dropped", change.path.front()));
  }
  return EditSiblings(after_.fields, change.path, [&](std::vector<DataField>& siblings) -> Status {
    BRAID_TRY_ASSIGN(const std::size_t position, FindSibling(siblings, change.path.back(), change.path));
    if (siblings.size() == 1)
      return Invalid(fmt::format("column '{}' cannot be dropped, since it is the last one", PathText(change.path)));
    siblings.erase(siblings.begin() + static_cast<std::ptrdiff_t>(position));
    return Ok();
  });
}

Status Changer::CheckNullability(bool from, bool to, const ColumnPath& path) const {
  if (!from || to) return Ok();
  BRAID_TRY_ASSIGN(const bool disabled, before_.options.GetBool("alter-column-null-to-not-null.disabled", true));
  if (!disabled) return Ok();
  return Invalid(fmt::format("column '{}' cannot become NOT NULL, since stored rows may hold NULL", PathText(path)))
      .Hint("if none does, set option 'alter-column-null-to-not-null.disabled' to 'false' first");
}

Result<DataType> Changer::ChangedType(const DataType& from, const UpdateColumnType& change) const {
  const DataType to = change.keep_nullability ? change.type.WithNullability(from.nullable()) : change.type;
  BRAID_TRY(CheckNullability(from.nullable(), to.nullable(), change.path));
  BRAID_TRY_ASSIGN(const bool implicit_only, before_.options.GetBool("disable-explicit-type-casting", false));
  if (!from.is_nested() && from.WithNullability(to.nullable()) == to) return to;
  if (CanCast(from, to, !implicit_only)) return to;
  Error error = Invalid(fmt::format("column '{}' cannot be changed from {} to {}", PathText(change.path),
                                    from.ToString(), to.ToString()));
  if (from.is_nested() || to.is_nested()) return std::move(error).Hint("change its fields one by one");
  if (implicit_only && CanCast(from, to, true)) {
    return std::move(error).Hint(
        "the change may lose information; option 'disable-explicit-type-casting' forbids that");
  }
  return std::move(error).Hint("add a column of the new type and fill it");
}

Status Changer::operator()(const UpdateColumnType& change) {
  if (Names(change.path, after_.partition_keys)) {
    return Invalid(fmt::format("the type of partition column '{}' cannot be changed", change.path.front()));
  }
  if (Names(change.path, after_.primary_keys)) {
    return Invalid(fmt::format("the type of primary key column '{}' cannot be changed", change.path.front()));
  }
  return EditType(after_.fields, change.path, [&](const DataType& type) { return ChangedType(type, change); });
}

Status Changer::operator()(const UpdateColumnNullability& change) {
  if (change.nullable && Names(change.path, after_.primary_keys)) {
    return Invalid(fmt::format("primary key column '{}' cannot become nullable", change.path.front()));
  }
  return EditType(after_.fields, change.path, [&](const DataType& type) -> Result<DataType> {
    BRAID_TRY(CheckNullability(type.nullable(), change.nullable, change.path));
    return type.WithNullability(change.nullable);
  });
}

Status Changer::EditField(const ColumnPath& path, const std::function<Status(DataField&)>& edit) {
  return EditSiblings(after_.fields, path, [&](std::vector<DataField>& siblings) -> Status {
    BRAID_TRY_ASSIGN(const std::size_t position, FindSibling(siblings, path.back(), path));
    return edit(siblings[position]);
  });
}

Status Changer::operator()(const UpdateColumnComment& change) {
  return EditField(change.path, [&](DataField& field) {
    field.description = change.comment;
    return Ok();
  });
}

Status Changer::operator()(const UpdateColumnDefault& change) {
  return EditField(change.path, [&](DataField& field) {
    field.default_value = change.default_value;
    return CheckDefaultValue(field);
  });
}

Status Changer::operator()(const MoveColumn& change) {
  if (change.position.reference == change.column) {
    return Invalid(fmt::format("column '{}' cannot be moved beside itself", change.column));
  }
  return EditSiblings(after_.fields, {change.column}, [&](std::vector<DataField>& siblings) -> Status {
    BRAID_TRY_ASSIGN(const std::size_t from, FindSibling(siblings, change.column, {change.column}));
    DataField moved = std::move(siblings[from]);
    siblings.erase(siblings.begin() + static_cast<std::ptrdiff_t>(from));
    BRAID_TRY_ASSIGN(const std::size_t to, FindPlace(siblings, change.position));
    siblings.insert(siblings.begin() + static_cast<std::ptrdiff_t>(to), std::move(moved));
    return Ok();
  });
}

Status Changer::operator()(const DropPrimaryKey&) {
  if (has_snapshot_) return Invalid("the primary key cannot be dropped, since the table holds data");
  after_.primary_keys.clear();
  return Ok();
}

Result<TableSchema> Changer::Finish(std::int64_t now_ms) {
  BRAID_TRY(NormalizeKeys(after_.fields, after_.partition_keys, after_.primary_keys, after_.options));
  BRAID_TRY(ValidateSchema(after_));
  after_.version = TableSchema().version;
  after_.id = before_.id.next();
  after_.time_millis = now_ms;
  return std::move(after_);
}

}  // namespace

Result<TableSchema> Apply(const TableSchema& schema, std::span<const SchemaChange> changes, bool has_snapshot,
                          std::int64_t now_ms) {
  Changer changer(schema, has_snapshot);
  for (const SchemaChange& change : changes) BRAID_TRY(std::visit(changer, change));
  return changer.Finish(now_ms);
}

}  // namespace braid
