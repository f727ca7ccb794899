#pragma once

#include "base/result.h"
#include "table/expire.h"
#include "table/expired_range.h"
#include "table/lines.h"
#include "table/operation.h"
#include "table/table.h"

namespace braid {

/// Where an expiry works. All outlive the call.
struct ExpiryPlace {
  const LockedTable& locked;
  const Table& table;
  const TableLines& lines;
  const Line& line;
};

/// Removes a range under a journal, shortened to what no reader holds; or only says what would go (`dry_run`).
Result<ExpireResult> RunExpiry(const ExpiryPlace& place, ExpiredRange range, const ExpireRequest& request);

}  // namespace braid
