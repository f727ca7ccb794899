#pragma once

#include "base/options.h"
#include "base/result.h"

namespace braid {

/// Whether a table of this `type` keeps its rows as Paimon's tables do: `table` and `materialized-table`. The folders of all
/// others (`format-table`, `object-table`, …) mean something else, and Java's catalog of folders makes none. Errors:
/// kUnsupported, naming the type.
Status CheckTableType(const Options& options);

}  // namespace braid
