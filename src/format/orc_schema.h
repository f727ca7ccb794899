#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/orc_numbers.h"
#include "types/data_type.h"

namespace braid {

/// A column of a file, of any level.
struct OrcType {
  OrcTypeKind kind = OrcTypeKind::kUnknown;
  std::vector<std::uint32_t> children{};  ///< column ids
  std::vector<std::string> names{};       ///< of a struct's children
  std::uint32_t precision = 0;            ///< of a decimal; 0: not told
  std::uint32_t scale = 0;

  /// As SQL has it: "decimal(10,2)", "struct".
  std::string ToString() const;
};

/// Whether ORC files can hold the column. Errors: kUnsupported, naming it and its type.
Status CheckOrcType(std::string_view column, const DataType& type);

/// The messages Type of a file's columns, by column id: a struct of the fields, and what is below them. Each but the
/// first has the attribute `paimon.id` (spec data.md §1.2, §2.4). Precondition: all pass CheckOrcType.
std::vector<std::string> EncodeOrcTypes(std::span<const DataField> fields);

/// The other way round, for one message; what it says about other columns is not checked. nullopt: the message breaks
/// off.
std::optional<OrcType> DecodeOrcType(std::string_view message);

}  // namespace braid
