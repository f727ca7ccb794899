#pragma once

#include "base/options.h"
#include "sql/analysis.h"
#include "syntax/query.h"

namespace braid {

/// What a reference to a table asks of its scan: the pairs of `/*+ OPTIONS(…) */`, and FOR SYSTEM_TIME AS OF as
/// `scan.timestamp-millis`. Errors: kInvalidArgument and kUnsupported, placed.
Result<Options> ScanOptions(Analysis& analysis, const syntax::NamedTable& table);

}  // namespace braid
