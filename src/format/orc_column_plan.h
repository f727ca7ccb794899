#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/orc_schema.h"
#include "types/data_type.h"

namespace braid {

/// A wanted column of a file, of any level: what it is read as, and what is wanted below it. A value; any thread.
struct OrcColumnPlan {
  std::string name;  ///< in messages: "address.street"; elements of lists and maps are called as the column
  DataType type;     ///< as a batch has it
  std::uint32_t column = 0;
  OrcTypeKind kind = OrcTypeKind::kUnknown;  ///< as the file has it
  std::uint32_t precision = 0;               ///< of a decimal in the file; 0: not told
  std::vector<OrcColumnPlan> children{};     ///< element; key and value; or fields in the order of the type
};

/// How to read a column of a file as a type. Takes what other writers store for the same values: integers of other
/// widths, byte strings for texts and the other way round, float for DOUBLE, fields in another order, which are found
/// by name.
///
/// Errors: kCorruption, naming the column, if the file's type holds other values or a field is missing; kUnsupported
/// for a union, or a type that ORC files cannot hold.
Result<OrcColumnPlan> PlanOrcColumn(std::string name, const DataType& type, std::span<const OrcType> types,
                                    std::uint32_t column);

/// The child of a struct that has this name; nullopt if there is none.
std::optional<std::uint32_t> FindOrcChild(const OrcType& type, std::string_view name);

/// Appends the ids of the column and of all below it that are wanted.
void AppendOrcColumns(const OrcColumnPlan& plan, std::vector<std::uint32_t>& columns);

}  // namespace braid
