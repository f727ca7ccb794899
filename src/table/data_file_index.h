#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/options.h"
#include "base/result.h"
#include "format/row_selection.h"
#include "meta/manifest.h"
#include "meta/table_schema.h"
#include "table/schema_cache.h"
#include "table/table.h"
#include "types/predicate.h"

namespace braid {

/// Whether `file-index.read.enabled` lets plans and reads use file indexes. Errors: kInvalidArgument.
Result<bool> ReadsFileIndexes(const Options& options);

/// Tests files by the indexes in their manifest entries (spec data.md §12.7). One thread.
class EmbeddedIndexTest {
 public:
  /// `filter`, over the columns of `schema`, may be null: every file may match then. Schemas are borrowed.
  EmbeddedIndexTest(const TableSchema& schema, SchemaCache& schemas, PredicatePtr filter)
      : schema_(schema), schemas_(schemas), filter_(std::move(filter)) {}

  /// Errors: kCorruption, naming the file.
  Result<bool> MayMatch(const DataFileMeta& file);

 private:
  const TableSchema& schema_;
  SchemaCache& schemas_;
  PredicatePtr filter_;
};

/// Rows of the file at `path` that its indexes, in its metadata or beside it, let pass a condition in the file's terms;
/// nullopt: any may. A condition that is null asks no index. Errors: kCorruption, kNotFound, naming the file.
Result<std::optional<RowSelection>> SelectRowsByIndex(const Table& table, std::string_view path, const DataFileMeta& file,
                                                      const PredicatePtr& condition);

}  // namespace braid
