#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace braid {

enum class AvroKind : std::uint8_t {
  kNull,
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kBytes,
  kString,
  kFixed,
  kEnum,
  kArray,
  kMap,
  kUnion,
  kRecord,
};
/// The type's name in a schema's text, e.g. "long".
std::string_view AvroKindName(AvroKind kind);

/// One type within an AvroSchema; other types are referred to by their position in it.
struct AvroNode {
  AvroKind kind = AvroKind::kNull;
  std::string name{};           ///< full name of a record, enum or fixed; never needed to resolve fields
  std::string logical_type{};   ///< "timestamp-millis", "decimal", …; empty for none
  std::int64_t fixed_size = 0;  ///< bytes of a fixed
  std::int32_t precision = 0;   ///< of a decimal
  std::int32_t scale = 0;
  std::vector<std::string> names{};  ///< fields of a record, symbols of an enum
  std::vector<std::int32_t>
      children{};  ///< types of a record's fields; branches of a union; items of an array, values of a map
  /// Whether every value takes at least one byte, so that counts can be checked against the bytes that are left.
  bool takes_bytes = true;
};

/// A writer's schema, parsed. Types may refer to themselves, hence positions instead of pointers. Immutable; any
/// thread.
class AvroSchema {
 public:
  /// Errors: kCorruption, saying what is wrong with the text.
  static Result<AvroSchema> Parse(std::string_view json);

  const AvroNode& node(std::int32_t position) const { return nodes_[static_cast<std::size_t>(position)]; }
  std::int32_t root() const { return root_; }

 private:
  friend class AvroSchemaParser;
  void FindEmptyTypes();

  std::vector<AvroNode> nodes_;
  std::int32_t root_ = 0;
};

}  // namespace braid
