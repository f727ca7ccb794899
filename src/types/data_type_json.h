#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "types/data_type.h"

namespace braid {

/// Ids of the fields of one document: all stored, or none, and then counted in the order of reading.
class FieldNumbering {
 public:
  /// The id of the next field. Errors: kCorruption if some fields of the document have an id and some have none, or if the
  /// id is no 32-bit number.
  Result<FieldId> Next(std::optional<std::int64_t> stored_id);

 private:
  std::int32_t next_id_ = 0;
  bool has_stored_ids_ = false;
};

// Types and fields as schema files and the REST catalog write them (spec metadata.md §2.2 and §2.3).

/// Text for atomic types, an object for others.
Json DataTypeToJson(const DataType& type);
/// Errors: kCorruption if this is no type; kUnsupported for a type of later versions.
Result<DataType> DataTypeFromJson(const Json& json, FieldNumbering& numbering);
Result<DataType> DataTypeFromJson(const Json& json);

Json DataFieldToJson(const DataField& field);
/// Errors: as for types; the context names the field.
Result<DataField> DataFieldFromJson(const Json& json, FieldNumbering& numbering);

Json DataFieldsToJson(std::span<const DataField> fields);
/// Reads the fields of a whole document, its nested fields included.
Result<std::vector<DataField>> DataFieldsFromJson(const Json& json);

}  // namespace braid
