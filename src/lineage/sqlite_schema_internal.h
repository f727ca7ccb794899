#pragma once

namespace braid {

/// The store's tables (spec lineage.md §5), version 1, and the views that the system database shows (§6).
extern const char* const kSqliteSchema;

}  // namespace braid
