#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/strong_id.h"
#include "table/table.h"

namespace braid {

/// Says that a consumer reads on at a snapshot. Errors: kNotFound if the branch has no such snapshot; kInvalidArgument
/// for a name that is none.
Status ResetConsumer(const Table& table, const std::string& id, SnapshotId next_snapshot);

/// Which consumers are meant, as regular expressions on the whole id; empty `including`: all, empty `excluding`: none.
struct ConsumerPattern {
  std::string including = {};
  std::string excluding = {};
};

/// Forgets consumers; returns their ids. `dry_run`: only names them. Errors: kInvalidArgument for an expression that is
/// none.
Result<std::vector<std::string>> ClearConsumers(const Table& table, const ConsumerPattern& pattern,
                                                bool dry_run = false);

/// Forgets consumers that have not reported since a time (epoch milliseconds); returns their ids.
Result<std::vector<std::string>> ExpireConsumers(const Table& table, std::int64_t older_than_ms);

}  // namespace braid
