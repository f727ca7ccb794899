#pragma once

// File indexes of rows, for tests; include only from tests.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/record_batch.h>

#include "base/result_matchers.h"
#include "format/file_index.h"
#include "format/file_index_writer.h"
#include "format/rows_testing.h"

namespace braid {

/// The container that a file of these rows gets; nullopt: none.
inline Result<std::optional<std::string>> IndexRows(const std::vector<DataField>& fields, const std::vector<DatumList>& rows,
                                                    const Options::Map& options) {
  BRAID_TRY_ASSIGN(const FileIndexOptions wanted, FileIndexOptions::Parse(Options(options), fields));
  BRAID_TRY_ASSIGN(const auto writer, FileIndexWriter::Make(wanted, fields));
  if (writer == nullptr) return std::optional<std::string>();
  BRAID_TRY_ASSIGN(const Batch batch, MakeBatch(fields, rows));
  // In two parts, as batches come.
  const std::int64_t half = batch.row_count() / 2;
  for (const auto& part : {batch.rows->Slice(0, half), batch.rows->Slice(half)}) writer->Add(part->columns());
  return writer->Finish();
}

/// Positions of the selected ones of so many rows; nullopt: any may match.
inline Result<std::optional<std::vector<std::int64_t>>> SelectedRows(const std::string& index, const Predicate& condition,
                                                                     std::int64_t row_count) {
  BRAID_TRY_ASSIGN(const FileIndex parsed, FileIndex::Parse(index));
  BRAID_TRY_ASSIGN(const std::optional<RowSelection> selection, parsed.Select(condition, row_count));
  if (!selection) return std::optional<std::vector<std::int64_t>>();
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 0; row < row_count; ++row) {
    if (selection->Contains(row)) rows.push_back(row);
  }
  EXPECT_EQ(static_cast<std::int64_t>(rows.size()), selection->row_count());
  return std::optional(std::move(rows));
}

/// A row of the golden cases file_index_files and file_index_embedded, of the write that begins with `from`.
inline std::vector<DataField> GoldenIndexFields() {
  const DataType text = DataType::String();
  return MakeFields({{"id", DataType::Int()}, {"s", text}, {"c", text}, {"b", DataType::Boolean()}, {"n", DataType::Int()},
                     {"l", DataType::BigInt()}, {"r", DataType::Int()}, {"rs", text}, {"plain", DataType::Double()}});
}

inline std::vector<DatumList> GoldenIndexRows(int from) {
  const auto text = [](const char* prefix, int number) { return Datum(prefix + std::to_string(number)); };
  std::vector<DatumList> rows;
  for (int i = from; i < from + 50; ++i) {
    if (from == 0) {
      rows.push_back({i, text("s", i), text("c", i % 3), true, i % 7, -i, i % 10, text("r", i % 4), 0.5});
    } else {
      rows.push_back({i, text("s", i), text("c", i % 5), false, i % 11, i, i % 13, text("r", i % 6), Datum()});
    }
  }
  return rows;
}

/// The two rows of the third write of those cases.
inline std::vector<DatumList> GoldenIndexLimits() {
  return {DatumList(9), {7, "", "", Datum(), -5, Datum(std::int64_t{-9223372036854775807}), -2147483648, "", Datum()}};
}

/// The index options of those cases.
inline Options::Map GoldenIndexOptions() {
  return {{"file-index.bloom-filter.columns", "id,s"},     {"file-index.bitmap.columns", "c,b"},
          {"file-index.bsi.columns", "n,l"},               {"file-index.range-bitmap.columns", "r,rs"},
          {"file-index.bloom-filter.id.fpp", "0.01"},      {"file-index.bloom-filter.id.items", "100"},
          {"file-index.bloom-filter.s.items", "500"}};
}

}  // namespace braid
