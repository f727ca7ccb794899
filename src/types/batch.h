#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/result.h"
#include "types/data_type.h"
#include "types/datum.h"
#include "types/row_kind.h"

namespace braid {

/// Rows in columns. Immutable and shareable once made.
///
/// Arrow types of the columns, by Paimon type: BOOLEAN bool; TINYINT … BIGINT int8 … int64; FLOAT, DOUBLE float, double;
/// DECIMAL decimal128(p, s); CHAR, VARCHAR utf8; BINARY, VARBINARY, BLOB binary; DATE date32; TIME time32[ms];
/// TIMESTAMP(0–3) timestamp[ms]; TIMESTAMP(4–6) timestamp[us]; TIMESTAMP(7–9)
/// struct<millis: int64 not null, nanos: int32 not null>, since 64-bit nanoseconds end in 2262; TIMESTAMP_LTZ the same with zone "UTC" on the
/// first two; ARRAY, VECTOR list; MAP map; MULTISET map to int32; ROW struct; VARIANT struct<value: binary, metadata: binary>.
struct Batch {
  std::shared_ptr<arrow::RecordBatch> rows;
  /// One RowKind a row; null means that every row is +I.
  std::shared_ptr<arrow::Int8Array> kinds;

  std::int64_t row_count() const;
  RowKind kind(std::int64_t row) const;
};

/// A stream of batches, all with the same columns; ends with nullopt and stays there. One thread at a time.
class BatchReader {
 public:
  virtual ~BatchReader() = default;
  virtual Result<std::optional<Batch>> Next() = 0;
};

/// The Arrow type that columns of this type have in a Batch (see there).
std::shared_ptr<arrow::DataType> ToArrowType(const DataType& type);
std::shared_ptr<arrow::Schema> ToArrowSchema(std::span<const DataField> fields);

/// The value at a row of a column of this type.
Datum DatumAt(const arrow::Array& column, std::int64_t row, const DataType& type);

/// Builds a column of `count` times the same value.
Result<std::shared_ptr<arrow::Array>> MakeConstantColumn(const Datum& value, const DataType& type, std::int64_t count);
/// Builds one column from values. Errors: kInvalidArgument if a value does not fit the type.
Result<std::shared_ptr<arrow::Array>> MakeColumn(std::span<const Datum> values, const DataType& type);
/// Builds a batch from rows of values, one DatumList a row in field order; `kinds` is empty or as long as `rows`.
Result<Batch> MakeBatch(std::span<const DataField> fields, std::span<const DatumList> rows, std::span<const RowKind> kinds = {});

/// Rows of a batch at these positions, in this order; kinds follow.
Result<Batch> TakeRows(const Batch& batch, std::span<const std::int32_t> positions);
/// One column gathered from several: element i is columns[sources[i]] at positions[i]. All columns have one Arrow type.
Result<std::shared_ptr<arrow::Array>> Interleave(std::span<const std::shared_ptr<arrow::Array>> columns,
                                                 std::span<const std::int32_t> sources,
                                                 std::span<const std::int32_t> positions);

/// A reader over batches that are already there.
std::unique_ptr<BatchReader> MakeBatchReader(std::vector<Batch> batches);
/// Reads all that is left into one list.
Result<std::vector<Batch>> ReadAllBatches(BatchReader& reader);

}  // namespace braid
