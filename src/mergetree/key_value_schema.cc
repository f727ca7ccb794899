#include <algorithm>

#include <fmt/format.h>

#include "base/option_lists.h"
#include "mergetree/key_encoding_internal.h"
#include "mergetree/key_value.h"
#include "mergetree/sequence_groups_internal.h"

namespace braid {
namespace {

/// Adds a column unless it is there. Its position.
Result<std::size_t> AddColumn(const TableSchema& table, std::string_view name, std::string_view option,
                              KeyValueSchema& schema) {
  if (const std::optional<std::size_t> at = FindField(schema.value_fields, name)) return *at;
  const DataField* field = table.FindColumn(name);
  if (field == nullptr) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("{} names {}, which is no column", option, name))
        .Hint(fmt::format("correct the table's option {}", option));
  }
  schema.value_fields.push_back(*field);
  return schema.value_fields.size() - 1;
}

/// What protects the columns read, and what may delete whole records.
Status AddGroupOrderings(const TableSchema& table, const Options& options, KeyValueSchema& schema) {
  if (options.Get("merge-engine", "") != "partial-update") return Ok();
  BRAID_TRY_ASSIGN(const std::vector<SequenceGroup> groups, SequenceGroupsOf(options));
  BRAID_TRY_ASSIGN(const std::vector<std::string> removing, RemovingColumns(options, groups));
  const std::vector<DataField> read = schema.value_fields;
  for (const SequenceGroup& group : groups) {
    const bool protects =
        std::any_of(read.begin(), read.end(), [&](const DataField& field) { return group.Holds(field.name); });
    const bool removes =
        std::any_of(removing.begin(), removing.end(), [&](const std::string& column) { return group.Holds(column); });
    if (!protects && !removes) continue;
    for (const std::string& column : group.ordering) {
      BRAID_TRY(AddColumn(table, column, "fields.….sequence-group", schema));
    }
  }
  return Ok();
}

Status AddSequenceFields(const TableSchema& table, const Options& options, KeyValueSchema& schema) {
  const std::string names = options.Get("sequence.field", "");
  if (names.empty()) return Ok();
  for (const std::string& name : ParseList(names)) {
    BRAID_TRY_ASSIGN(const std::size_t at, AddColumn(table, name, "sequence.field", schema));
    schema.sequence_fields.push_back(at);
  }
  const std::string order = options.Get("sequence.field.sort-order", "ascending");
  if (order != "ascending" && order != "descending") {
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("sequence.field.sort-order is '{}', not ascending or descending", order));
  }
  schema.sequence_descending = order == "descending";
  return Ok();
}

}  // namespace

Result<KeyValueSchema> KeyValueSchema::Make(const TableSchema& table, const Options& options,
                                            const std::optional<std::vector<std::string>>& columns) {
  KeyValueSchema schema;
  schema.key_fields = table.TrimmedPrimaryKeyFields();
  if (!columns) {
    schema.value_fields = table.fields;
  } else {
    for (const std::string& name : *columns) {
      const DataField* field = table.FindColumn(name);
      if (field == nullptr) return Error(ErrorCode::kInvalidArgument, fmt::format("there is no column {}", name));
      schema.value_fields.push_back(*field);
    }
  }
  schema.requested_values = schema.value_fields.size();
  schema.primary_key = table.primary_keys;
  BRAID_TRY(AddGroupOrderings(table, options, schema));
  BRAID_TRY(AddSequenceFields(table, options, schema));
  BRAID_TRY(KeyEncoder::Make(schema.key_fields));
  std::vector<DataField> sequence_fields;
  for (const std::size_t i : schema.sequence_fields) sequence_fields.push_back(schema.value_fields[i]);
  BRAID_TRY(KeyEncoder::Make(sequence_fields));
  return schema;
}

}  // namespace braid
