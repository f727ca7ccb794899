#pragma once

#include <optional>

#include "base/result.h"
#include "table/table.h"
#include "types/batch.h"

namespace braid {

/// The column that `rowkind.field` names; none if the table has no such option.
std::optional<std::size_t> RowKindColumn(const Table& table);

/// The same rows with the kinds that a text column says, `+I`, `-U`, `+U` or `-D` in any case (spec data.md §5.1,
/// `rowkind.field`); kinds given before are dropped. Errors: kInvalidArgument for NULL or another text.
Result<Batch> TakeKindsFromColumn(const Batch& batch, std::size_t column, const Table& table);

}  // namespace braid
