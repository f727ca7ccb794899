#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "types/data_type.h"

namespace braid {

/// Whether ORC files can hold the column. Errors: kUnsupported, naming it and its type.
Status CheckOrcType(std::string_view column, const DataType& type);

/// The messages Type of a file's columns, by column id: a struct of the fields, and what is below them. Each but the
/// first has the attribute `paimon.id` (spec data.md §1.2, §2.4). Precondition: all pass CheckOrcType.
std::vector<std::string> EncodeOrcTypes(std::span<const DataField> fields);

}  // namespace braid
