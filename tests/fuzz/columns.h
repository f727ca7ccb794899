#pragma once

// Columns that readers of data files are asked for: those of the golden tables types_* and nested_*, whose files are the
// seeds.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <arrow/record_batch.h>

#include "format/file_format.h"
#include "fuzz/fuzz_target.h"
#include "types/row_json.h"

namespace braid::fuzz {

/// `set` 0: a column of each type without parts, with fractions of seconds up to `most_digits`; 1: nested ones. With fewer than
/// nine digits they are what Avro can hold.
inline std::vector<DataField> Columns(std::size_t set, int most_digits) {
  int next = 0;
  const auto field = [&next](std::string name, DataType type) {
    return DataField{FieldId(next++), std::move(name), std::move(type), std::nullopt, std::nullopt};
  };
  if (set == 0) {
    std::vector<DataField> fields = {
        field("b", DataType::Boolean()),         field("i8", DataType::TinyInt()),        field("i16", DataType::SmallInt()),
        field("i32", DataType::Int()),           field("i64", DataType::BigInt()),        field("f32", DataType::Float()),
        field("f64", DataType::Double()),        field("d5", DataType::Decimal(5, 2)),    field("d18", DataType::Decimal(18, 6)),
        field("d38", DataType::Decimal(38, 10)), field("c", DataType::Char(4)),           field("vc", DataType::VarChar(20)),
        field("s", DataType::String()),          field("bin", DataType::Binary(4)),       field("vb", DataType::VarBinary(10)),
        field("by", DataType::Bytes()),          field("dt", DataType::Date()),           field("t0", DataType::Time(0)),
        field("t3", DataType::Time(3)),          field("ts0", DataType::Timestamp(0)),    field("ts3", DataType::Timestamp(3)),
        field("ts6", DataType::Timestamp(6)),    field("ts9", DataType::Timestamp(9)),    field("tz0", DataType::TimestampLtz(0)),
        field("tz3", DataType::TimestampLtz(3)), field("tz6", DataType::TimestampLtz(6)), field("tz9", DataType::TimestampLtz(9))};
    std::erase_if(fields, [&](const DataField& column) { return column.name.ends_with('9') && most_digits < 9; });
    return fields;
  }
  const DataType text = DataType::String();
  const DataType inner = DataType::Row({field("z", text), field(most_digits < 9 ? "w" : "w w", DataType::Decimal(10, 2))});
  return {
      field("id", DataType::Int()),
      field("a", DataType::Array(DataType::Int())),
      field("aa", DataType::Array(DataType::Array(text))),
      field("m", DataType::Map(text, DataType::Int())),
      field("mi", DataType::Map(DataType::Int(), DataType::Array(DataType::Double()))),
      field("r", DataType::Row({field("x", DataType::Int()), field("y", inner)})),
      field("ar", DataType::Array(DataType::Row({field("p", DataType::Int().NotNull()), field("q", DataType::Timestamp(6))}))),
      field("mr", DataType::Map(DataType::Int(), DataType::Row({field("u", DataType::Bytes()), field("v", DataType::Date())}))),
      field("rm", DataType::Row({field("mm", DataType::Map(text, text)), field("bb", DataType::Boolean())})),
  };
}

/// Reads on to the end and looks at the values: Arrow finds buffers that do not hang together, and rows are printed.
inline void ReadRows(FileReader& reader, const std::vector<DataField>& fields) {
  constexpr std::int64_t kMostRows = 1 << 16;  // of a few kilobytes; more would only take time
  for (std::int64_t rows = 0; rows < kMostRows;) {
    const auto batch = reader.Next();
    if (!IsRead(batch) || !*batch) return;
    // Not whether each value is within its type's bounds, which readers do not ask either, nor does Java.
    const arrow::Status valid = (*batch)->rows->Validate();
    Require(valid.ok(), valid.ToString());
    std::string json;
    for (std::int64_t row = 0; row < std::min<std::int64_t>((*batch)->row_count(), 100); ++row) AppendRowJson(**batch, row, fields, json);
    rows += (*batch)->row_count();
  }
}

}  // namespace braid::fuzz
