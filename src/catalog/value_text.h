#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "meta/manifest.h"
#include "meta/table_schema.h"
#include "table/schema_cache.h"
#include "table/table.h"
#include "types/binary_row.h"
#include "types/data_type.h"
#include "types/datum.h"

namespace braid {

/// A value as its Java object prints it, which is not how SQL does: days for a DATE, milliseconds for a TIME,
/// 2024-01-01T00:00 for a TIMESTAMP; "null" for NULL. Bytes, of which Java prints an address, are hexadecimal.
std::string JavaText(const Datum& value, const DataType& type);

/// A partition as CAST(row AS STRING): "{2024-01-01, 5}".
Result<std::string> PartitionRowText(const BinaryRow& partition, const std::vector<DataField>& fields);

/// How `$files` prints keys and statistics of data files of any schema, under the table's present one. Thread-safe.
class FileText {
 public:
  explicit FileText(const Table& table) : table_(table), schemas_(table.file_system(), table.paths()) {}

  /// "[Alice, 1]" of the trimmed primary key, or of all columns; NULL for the empty row.
  Result<Datum> Key(const BinaryRow& key, SchemaId file_schema);

  /// "{a=1, b=null}", columns sorted by name.
  struct ValueStats {
    std::string null_counts;
    std::string min_values;
    std::string max_values;
  };
  /// Statistics as Java evolves them: by field id, cast to the column's present type. A value that cannot be read or
  /// cast is null.
  Result<ValueStats> StatsOf(const DataFileMeta& file);

 private:
  Table table_;
  SchemaCache schemas_;
};

}  // namespace braid
