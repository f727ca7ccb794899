// ALTER TABLE: every form as changes of the schema.

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "sql/statement_internal.h"
#include "sql/table_columns.h"
#include "syntax/printer.h"
#include "syntax/source.h"
#include "table/commit.h"
#include "types/cast.h"

namespace braid {

namespace {

using Changes = std::vector<SchemaChange>;

ColumnPath PathOf(const syntax::QualifiedName& name) {
  ColumnPath path;
  for (const syntax::Identifier& part : name.parts) path.push_back(part.name);
  return path;
}

// Refuses what computed columns and watermarks, which lie in options, would need.
Error NoSuchColumnChange(std::string_view what, syntax::Position position, std::string_view text) {
  return syntax::ErrorAt(ErrorCode::kUnsupported, text, position,
                         fmt::format("{} is not supported by ALTER TABLE", what))
      .Hint("a view can compute columns; CREATE TABLE takes computed columns and a watermark");
}

class Alteration {
 public:
  Alteration(const StoredTable& table, const StatementContext& context) : table_(table), context_(context) {}

  Result<Changes> operator()(const syntax::RenameColumn& change) const {
    return Changes{RenameColumn{.path = PathOf(change.column), .new_name = change.new_name.name}};
  }
  Result<Changes> operator()(const syntax::DropColumns& change) const {
    Changes changes;
    for (const syntax::QualifiedName& column : change.columns) changes.emplace_back(DropColumn{PathOf(column)});
    return changes;
  }
  Result<Changes> operator()(const syntax::DropPrimaryKey&) const { return Changes{DropPrimaryKey{}}; }
  Result<Changes> operator()(const syntax::DropConstraint& change) const {
    const std::string own_name = "PK_" + Join(table_.table.schema().primary_keys, "_");
    if (table_.table.schema().has_primary_key() && change.name.name == own_name) return Changes{DropPrimaryKey{}};
    return syntax::ErrorAt(ErrorCode::kNotFound, context_.text, change.name.position,
                           fmt::format("there is no constraint {}", change.name.name))
        .Hint(table_.table.schema().has_primary_key() ? "the primary key is " + own_name
                                                      : "the table has no primary key");
  }
  Result<Changes> operator()(const syntax::DropWatermark&) const {
    Changes changes;
    for (const auto& [key, value] : table_.table.schema().options.values()) {
      if (key.starts_with("schema.watermark.")) changes.emplace_back(RemoveOption{key});
    }
    if (changes.empty()) return Error(ErrorCode::kNotFound, fmt::format("{} has no watermark", table_.name.ToString()));
    return changes;
  }
  Result<Changes> operator()(const syntax::SetOptions& change) const {
    context_.session.NoteMisspelt(ToOptions(change.options), OptionOwner::kTable);
    Changes changes;
    for (const syntax::Property& option : change.options) {
      if (IsColumnOption(option.key))
        return Error(ErrorCode::kInvalidArgument,
                     fmt::format("option '{}' describes a column and cannot be set", option.key));
      changes.emplace_back(SetOption{.key = option.key, .value = option.value});
    }
    return changes;
  }
  Result<Changes> operator()(const syntax::ResetOptions& change) const {
    Changes changes;
    for (const std::string& key : change.keys) changes.emplace_back(RemoveOption{key});
    return changes;
  }
  Result<Changes> operator()(const syntax::SetComment& change) const { return Changes{UpdateComment{change.comment}}; }
  Result<Changes> operator()(const syntax::AddOrModify& change) const {
    if (!change.constraints.empty())
      return NoSuchColumnChange("a constraint", change.constraints.front().position, context_.text);
    if (change.distribution) return NoSuchColumnChange("a distribution", change.distribution->position, context_.text);
    Changes changes;
    for (const syntax::ColumnChange& column : change.columns) {
      BRAID_TRY(change.modify ? Modify(column, changes) : Add(column, changes));
    }
    for (const syntax::Watermark& watermark : change.watermarks) BRAID_TRY(SetWatermark(watermark, changes));
    return changes;
  }

  // Not changes of the schema; handled before.
  template <typename Other>
  Result<Changes> operator()(const Other&) const {
    return NoSuchColumnChange("this", {}, context_.text);
  }

 private:
  static ColumnPath PathOf(const syntax::ColumnChange& change) {
    ColumnPath path;
    for (const syntax::Identifier& parent : change.parents) path.push_back(parent.name);
    path.push_back(change.column.name.name);
    return path;
  }
  static ColumnPath PathOf(const syntax::QualifiedName& name) { return braid::PathOf(name); }

  static std::optional<ColumnPosition> PositionOf(const std::optional<syntax::ColumnPlace>& place) {
    if (!place) return std::nullopt;
    if (place->first) return ColumnPosition{.where = ColumnPosition::Where::kFirst, .reference = {}};
    return ColumnPosition{.where = ColumnPosition::Where::kAfter, .reference = place->after->last()};
  }

  Result<const syntax::PhysicalColumn*> Physical(const syntax::ColumnDefinition& definition) const {
    const auto* physical = std::get_if<syntax::PhysicalColumn>(&definition.kind);
    if (physical == nullptr)
      return NoSuchColumnChange("a column that is not stored", definition.name.position, context_.text);
    if (physical->primary_key || physical->unique)
      return NoSuchColumnChange("a constraint", definition.name.position, context_.text);
    return physical;
  }

  Status AddDefault(const syntax::PhysicalColumn& column, const DataType& type, const ColumnPath& path,
                    Changes& changes) const {
    if (!column.default_value) return Ok();
    BRAID_TRY_ASSIGN(std::string value, DefaultText(*column.default_value, type, context_.text, context_.session));
    changes.emplace_back(UpdateColumnDefault{.path = path, .default_value = std::move(value)});
    return Ok();
  }

  Status Add(const syntax::ColumnChange& change, Changes& changes) const {
    BRAID_TRY_ASSIGN(const syntax::PhysicalColumn* column, Physical(change.column));
    BRAID_TRY_ASSIGN(DataType type, ColumnType(column->type, context_.text));
    const ColumnPath path = PathOf(change);
    changes.emplace_back(AddColumn{
        .path = path, .type = type, .description = change.column.comment, .position = PositionOf(change.place)});
    return AddDefault(*column, type, path, changes);
  }

  Status Modify(const syntax::ColumnChange& change, Changes& changes) const {
    BRAID_TRY_ASSIGN(const syntax::PhysicalColumn* column, Physical(change.column));
    BRAID_TRY_ASSIGN(DataType type, ColumnType(column->type, context_.text));
    const ColumnPath path = PathOf(change);
    const DataField* old = path.size() == 1 ? table_.table.schema().FindColumn(path.front()) : nullptr;
    if (path.size() == 1 && old == nullptr) {
      return syntax::ErrorAt(ErrorCode::kNotFound, context_.text, change.column.name.position,
                             fmt::format("there is no column '{}'", path.front()));
    }
    const std::vector<std::string>& keys = table_.table.schema().primary_keys;
    const bool is_key = old != nullptr && std::find(keys.begin(), keys.end(), old->name) != keys.end();
    // A key column stays NOT NULL whether the statement says so or not, as in CREATE TABLE.
    if (is_key) type = type.NotNull();
    if (old == nullptr || !(old->type.Nullable().SameShape(type.Nullable()))) {
      changes.emplace_back(UpdateColumnType{.path = path, .type = type, .keep_nullability = true});
    }
    if (old == nullptr || old->type.nullable() != type.nullable()) {
      changes.emplace_back(UpdateColumnNullability{.path = path, .nullable = type.nullable()});
    }
    if (old == nullptr ? change.column.comment.has_value() : old->description != change.column.comment) {
      changes.emplace_back(UpdateColumnComment{.path = path, .comment = change.column.comment});
    }
    BRAID_TRY(AddDefault(*column, type, path, changes));
    if (const auto position = PositionOf(change.place))
      changes.emplace_back(MoveColumn{.column = path.front(), .position = *position});
    return Ok();
  }

  Status SetWatermark(const syntax::Watermark& watermark, Changes& changes) const {
    const TableSchema& schema = table_.table.schema();
    syntax::CreateTable statement;
    statement.watermarks.push_back(watermark);
    BRAID_TRY_ASSIGN(const TableColumns columns, AnalyzeColumns(statement, ColumnsOf(schema.fields, schema.options),
                                                                context_.text, context_.session));
    const Options options = ColumnOptions(columns);
    for (const auto& [key, value] : options.values()) {
      if (key.starts_with("schema.watermark.")) changes.emplace_back(SetOption{.key = key, .value = value});
    }
    return Ok();
  }

  const StoredTable& table_;
  const StatementContext& context_;
};

Result<std::map<std::string, std::string>> PartitionText(const syntax::PartitionSpec& spec, const StoredTable& table,
                                                         const StatementContext& context) {
  std::map<std::string, std::string> texts;
  const TableSchema& schema = table.table.schema();
  for (const syntax::PartitionKey& key : spec) {
    if (std::find(schema.partition_keys.begin(), schema.partition_keys.end(), key.name.name) ==
        schema.partition_keys.end()) {
      return syntax::ErrorAt(ErrorCode::kNotFound, context.text, key.name.position,
                             fmt::format("'{}' is no partition column of {}", key.name.name, table.name.ToString()))
          .Hint(schema.partition_keys.empty() ? "the table is not partitioned"
                                              : "its partition columns are " + Join(schema.partition_keys, ", "));
    }
    if (!key.value)
      return syntax::ErrorAt(ErrorCode::kInvalidArgument, context.text, key.name.position,
                             fmt::format("'{}' has no value", key.name.name));
    const DataType type = schema.FindColumn(key.name.name)->type.Nullable();
    BRAID_TRY_ASSIGN(const Datum value, context.session.EvaluateConstant(*key.value, context.text, type));
    texts[key.name.name] = value.is_null() ? table.table.layout().default_partition_name : FormatDatum(value, type);
  }
  return texts;
}

Status DropTablePartitions(const syntax::DropPartitions& change, const StoredTable& table,
                           const StatementContext& context) {
  std::vector<std::map<std::string, std::string>> partitions;
  for (const syntax::PartitionSpec& spec : change.partitions) {
    BRAID_TRY_ASSIGN(auto texts, PartitionText(spec, table, context));
    partitions.push_back(std::move(texts));
  }
  BRAID_TRY(DropPartitions(table.table, partitions, NewCommitUser()));
  return Ok();
}

Status Rename(const syntax::RenameTable& change, const syntax::AlterTable& statement, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const NamedTable from, NameTable(statement.name, context));
  BRAID_TRY_ASSIGN(NamedTable to, NameTable(change.new_name, context));
  // A name alone means one in the same database.
  if (change.new_name.parts.size() == 1) {
    to.name = {from.name.catalog, from.name.database, to.name.table};
    BRAID_TRY_ASSIGN(to.identifier, Identifier::FromParts(from.name.database, to.name.table));
  } else if (to.name.catalog != from.name.catalog) {
    return PlaceError(Error(ErrorCode::kInvalidArgument, "a table cannot be renamed into another catalog"),
                      context.text, change.new_name.position());
  }
  return from.catalog->RenameTable(from.identifier, to.identifier);
}

}  // namespace

Result<StatementResult> Run(const syntax::AlterTable& statement, const StatementContext& context) {
  if (statement.if_exists) {
    BRAID_TRY_ASSIGN(const NamedTable named, NameTable(statement.name, context));
    BRAID_TRY_ASSIGN(const bool exists, named.catalog->TableExists(named.identifier));
    if (!exists) return Done();
  }
  BRAID_TRY_ASSIGN(const StoredTable table, OpenStored(statement.name, context));
  if (const auto* rename = std::get_if<syntax::RenameTable>(&statement.change)) {
    BRAID_TRY(Rename(*rename, statement, context));
    return Done();
  }
  if (const auto* partitions = std::get_if<syntax::DropPartitions>(&statement.change)) {
    BRAID_TRY(DropTablePartitions(*partitions, table, context));
    return Done();
  }
  if (std::holds_alternative<syntax::AddPartitions>(statement.change)) {
    return PlaceError(Error(ErrorCode::kUnsupported,
                            "a partition of a Paimon table is there as soon as it has rows; it cannot be added empty")
                          .Hint("INSERT into it"),
                      context.text, statement.name.position());
  }
  if (std::holds_alternative<syntax::DropDistribution>(statement.change)) {
    return PlaceError(Error(ErrorCode::kUnsupported, "DISTRIBUTED is not supported")
                          .Hint("ALTER TABLE … SET ('bucket' = '4') changes the buckets"),
                      context.text, statement.name.position());
  }
  BRAID_TRY_ASSIGN(const Changes changes, std::visit(Alteration(table, context), statement.change));
  if (!changes.empty()) BRAID_TRY(table.catalog->AlterTable(table.identifier, changes));
  return Done();
}

}  // namespace braid
