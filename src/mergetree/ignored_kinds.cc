#include "mergetree/ignored_kinds.h"

#include <vector>

#include <arrow/array.h>

#include "mergetree/merge_engines_internal.h"

namespace braid {

Result<IgnoredKinds> IgnoredKinds::FromOptions(const Options& options) {
  IgnoredKinds ignored;
  BRAID_TRY_ASSIGN(ignored.retractions, IgnoresDelete(options));
  BRAID_TRY_ASSIGN(ignored.update_befores, options.GetBool("ignore-update-before", false));
  return ignored;
}

Result<Batch> IgnoredKinds::Drop(const Batch& rows) const {
  if (rows.kinds == nullptr || (!retractions && !update_befores)) return rows;
  std::vector<std::int32_t> kept;
  for (std::int64_t row = 0; row < rows.row_count(); ++row) {
    const RowKind kind = rows.kind(row);
    const bool dropped = (retractions && !IsAdd(kind)) || (update_befores && kind == RowKind::kUpdateBefore);
    if (!dropped) kept.push_back(static_cast<std::int32_t>(row));
  }
  return TakeRows(rows, kept);
}

}  // namespace braid
