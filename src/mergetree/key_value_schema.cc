#include <fmt/format.h>

#include "base/text.h"
#include "mergetree/key_encoding_internal.h"
#include "mergetree/key_value.h"

namespace braid {
namespace {

Status AddSequenceFields(const TableSchema& table, const Options& options, KeyValueSchema& schema) {
  const std::string names = options.Get("sequence.field", "");
  if (names.empty()) return Ok();
  for (const std::string_view part : Split(names, ',')) {
    const std::string_view name = Trim(part);
    std::optional<std::size_t> at = FindField(schema.value_fields, name);
    if (!at) {
      const DataField* field = table.FindColumn(name);
      if (field == nullptr) {
        return Error(ErrorCode::kInvalidArgument, fmt::format("sequence.field names {}, which is no column", name))
            .Hint("correct the table's option sequence.field");
      }
      at = schema.value_fields.size();
      schema.value_fields.push_back(*field);
    }
    schema.sequence_fields.push_back(*at);
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
  BRAID_TRY(AddSequenceFields(table, options, schema));
  BRAID_TRY(KeyEncoder::Make(schema.key_fields));
  std::vector<DataField> sequence_fields;
  for (const std::size_t i : schema.sequence_fields) sequence_fields.push_back(schema.value_fields[i]);
  BRAID_TRY(KeyEncoder::Make(sequence_fields));
  return schema;
}

}  // namespace braid
