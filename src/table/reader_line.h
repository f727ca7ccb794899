#pragma once

#include <functional>

#include "base/result.h"
#include "table/scan.h"
#include "table/table.h"

namespace braid {

/// Does what reads a line's metadata while its files may move, because the line is renamed, or becomes main, or another
/// becomes main (spec branches.md §5.6): if the line is elsewhere when it is done, it is done again there, with a handle of
/// the place. So the result is wholly of the line that the handle was opened on. Errors: kConflict if the line is gone;
/// those of `work`.
template <typename T>
Result<T> OnLine(const Table& table, const std::function<Result<T>(const Table&)>& work);

/// Plans a read, as OnLine. Schemas of the plan's files are read now and kept in the handle.
Result<Plan> PlanOnLine(const Table& table, const std::function<Result<Plan>(const Table&)>& plan);

/// Reads the schemas of the plan's files and keeps them in the handle, so that the splits can be read with it wherever the
/// line's metadata move to.
Status KeepSchemas(const Table& table, const Plan& plan);

/// Waits while another line becomes main, which moves folders; finishes a replacement that was killed. Errors: kConflict
/// if that takes longer than half a minute; those of reading the journals.
Status AwaitMain(const Table& table);

// ---- Implementation ----

namespace internal {
Result<bool> IsWhereItWas(const Table& table);
/// Where the handle's line lies once no replacement of main is under way.
Result<Table> FindLineAgain(const Table& table);
}  // namespace internal

template <typename T>
Result<T> OnLine(const Table& table, const std::function<Result<T>(const Table&)>& work) {
  constexpr int kAttempts = 10;
  Table here = table;
  for (int attempt = 1;; ++attempt) {
    Result<T> done = work(here);
    BRAID_TRY_ASSIGN(const bool still_there, internal::IsWhereItWas(here));
    if (still_there) return done;
    if (attempt == kAttempts) return MovedError(table);
    BRAID_TRY_ASSIGN(here, internal::FindLineAgain(here));
  }
}

}  // namespace braid
