#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "syntax/tree.h"

namespace braid::syntax {

struct TypeField;

/// A data type as written in a column definition or a CAST.
///
/// Synonyms are already resolved: `name` is one of BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, DECIMAL,
/// CHAR, VARCHAR, STRING, BINARY, VARBINARY, BYTES, DATE, TIME, TIMESTAMP, TIMESTAMP_LTZ, INTERVAL, VARIANT, BLOB,
/// NULL, ARRAY, MULTISET, MAP, ROW, VECTOR, RAW, or, if `is_user_type`, the text of a user-defined type's name.
struct TypeName {
  Position position;
  std::string name;
  /// (length), (precision) or (precision, scale) as written; empty if not given. VECTOR: its element count.
  std::vector<std::int64_t> parameters = {};
  /// ARRAY, MULTISET, VECTOR: the element; MAP: key and value.
  std::vector<TypeName> arguments = {};
  /// ROW alone.
  std::vector<TypeField> fields;
  /// INTERVAL: "DAY TO SECOND(3)" and the like, in capitals. RAW: the two string arguments, separated by a line feed.
  std::string qualifier = {};
  /// True for NOT NULL, false for NULL, absent if neither is written.
  std::optional<bool> not_null = std::nullopt;
  bool is_user_type = false;

  friend bool operator==(const TypeName&, const TypeName&);
};

struct TypeField {
  Identifier name;
  TypeName type;
  std::optional<std::string> comment = std::nullopt;

  friend bool operator==(const TypeField&, const TypeField&) = default;
};

inline bool operator==(const TypeName& a, const TypeName& b) {
  return a.name == b.name && a.parameters == b.parameters && a.arguments == b.arguments && a.fields == b.fields &&
         a.qualifier == b.qualifier && a.not_null == b.not_null && a.is_user_type == b.is_user_type;
}

}  // namespace braid::syntax
