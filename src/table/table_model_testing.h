#pragma once

// What a table should hold, by the plainest means: maps and lists of values. Shares with the engine only the types of
// values, their order and their text. Include only from tests.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "meta/table_schema.h"
#include "table/table_testing.h"
#include "types/predicate.h"

namespace braid {

/// What decides which rows a table holds; all other options must not.
struct TableShape {
  std::vector<std::pair<std::string, DataType>> columns;
  std::vector<std::string> partition_keys;
  std::vector<std::string> primary_keys;
  std::string merge_engine = "deduplicate";
  bool ignores_deletes = false;
  std::string sequence_field;                    ///< empty: the order of writing
  std::map<std::string, std::string> functions;  ///< aggregate functions by column

  bool has_key() const { return !primary_keys.empty(); }

  Options::Map options() const {
    Options::Map options;
    if (!has_key()) return options;
    options["merge-engine"] = merge_engine;
    if (ignores_deletes) options["ignore-delete"] = "true";
    if (!sequence_field.empty()) options["sequence.field"] = sequence_field;
    for (const auto& [column, function] : functions) options["fields." + column + ".aggregate-function"] = function;
    return options;
  }
};

/// The rows of a table.
class TableModel {
 public:
  using Row = std::map<std::int32_t, Datum>;  ///< by field id; what is not there is NULL

  explicit TableModel(TableShape shape) : shape_(std::move(shape)) {}

  /// Writes a row that has all columns of the schema.
  void Write(const TableSchema& schema, const DatumList& values, RowKind kind) {
    Row row;
    for (std::size_t i = 0; i < values.size(); ++i) row[schema.fields[i].id.value()] = values[i];
    if (!shape_.has_key()) {
      appended_.push_back(std::move(row));
      return;
    }
    const std::string key = TextOf(schema, row, shape_.primary_keys);
    if (kind == RowKind::kDelete) {
      if (!shape_.ignores_deletes) keyed_.erase(key);
      return;
    }
    const auto [present, is_new] = keyed_.try_emplace(key, row);
    if (!is_new) Merge(schema, present->second, row);
  }

  /// Takes out the rows that match.
  void Remove(const std::function<bool(const Row&)>& matches) {
    std::erase_if(appended_, matches);
    std::erase_if(keyed_, [&](const auto& entry) { return matches(entry.second); });
  }
  void Clear() {
    Remove([](const Row&) { return true; });
  }

  /// Values of a row, in the columns and types of a schema.
  static DatumList ValuesOf(const std::vector<DataField>& fields, const Row& row) {
    DatumList values;
    for (const DataField& field : fields) {
      const auto found = row.find(field.id.value());
      Datum value = found == row.end() ? Datum() : found->second;
      // The only widening that changes how a value is held.
      if (field.type.kind() == TypeKind::kDouble && std::holds_alternative<float>(value)) {
        value = static_cast<double>(value.as_float());
      }
      values.push_back(std::move(value));
    }
    return values;
  }

  /// JSON of these columns of the rows that pass the filter (null: all), sorted.
  std::vector<std::string> Rows(const TableSchema& schema, const std::vector<DataField>& fields,
                                const PredicatePtr& filter) const {
    std::vector<std::string> rows;
    const auto add = [&](const Row& row) {
      if (filter != nullptr && !filter->Test(schema.fields, ValuesOf(schema.fields, row))) return;
      std::string& text = rows.emplace_back("{");
      const DatumList values = ValuesOf(fields, row);
      for (std::size_t i = 0; i < fields.size(); ++i) {
        text += (i == 0 ? "\"" : ",\"") + fields[i].name + "\":";
        AppendDatumJson(values[i], fields[i].type, text);
      }
      text += "}";
    };
    for (const Row& row : appended_) add(row);
    for (const auto& [key, row] : keyed_) add(row);
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  /// Text that tells the values of these columns from all others.
  static std::string TextOf(const TableSchema& schema, const Row& row, const std::vector<std::string>& columns) {
    std::string text;
    for (const std::string& column : columns) {
      const DataField* field = schema.FindColumn(column);
      const auto found = row.find(field->id.value());
      AppendDatumJson(found == row.end() ? Datum() : found->second, field->type, text);
      text += ",";
    }
    return text;
  }

 private:
  void Merge(const TableSchema& schema, Row& present, const Row& row) const {
    if (shape_.merge_engine == "first-row") return;
    if (shape_.merge_engine == "deduplicate") {
      if (shape_.sequence_field.empty() || !IsOlder(schema, row, present)) present = row;
      return;
    }
    for (const auto& [id, value] : row) {
      const auto field = std::find_if(schema.fields.begin(), schema.fields.end(),
                                      [id = id](const DataField& candidate) { return candidate.id.value() == id; });
      const auto function = shape_.functions.find(field->name);
      Combine(present[id], value, function == shape_.functions.end() ? "last_non_null_value" : function->second);
    }
  }

  // Whether a row comes before another by the sequence field; NULL comes first.
  bool IsOlder(const TableSchema& schema, const Row& row, const Row& other) const {
    const std::int32_t id = schema.FindColumn(shape_.sequence_field)->id.value();
    const Datum& a = row.at(id);
    const Datum& b = other.at(id);
    if (a.is_null() || b.is_null()) return a.is_null() && !b.is_null();
    return CompareDatums(a, b) < 0;
  }

  static void Combine(Datum& present, const Datum& value, const std::string& function) {
    if (function == "last_value") {
      present = value;
    } else if (function == "first_value" || value.is_null()) {
      return;
    } else if (present.is_null() || function == "last_non_null_value") {
      present = value;
    } else if (function == "sum") {
      present = present.as_int() + value.as_int();
    } else if (function == "max") {
      if (CompareDatums(present, value) < 0) present = value;
    } else if (function == "min") {
      if (CompareDatums(value, present) < 0) present = value;
    } else if (function == "bool_and") {
      present = present.as_bool() && value.as_bool();
    } else if (function == "bool_or") {
      present = present.as_bool() || value.as_bool();
    } else if (function == "listagg") {
      present = present.as_string() + "," + value.as_string();
    }
  }

  TableShape shape_;
  std::vector<Row> appended_;
  std::map<std::string, Row> keyed_;
};

}  // namespace braid
