#pragma once

// Rows in and out of data files, for tests; include only from tests.

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include "base/result_matchers.h"
#include "format/file_format.h"
#include "io/memory_file_system.h"
#include "types/batch.h"

namespace braid {

/// Equality that tells -0.0 from 0.0 and holds for NaN.
inline bool SameDatum(const Datum& a, const Datum& b) {
  if (a.index() != b.index()) return false;
  if (const auto* x = std::get_if<float>(&a))
    return std::bit_cast<std::uint32_t>(*x) == std::bit_cast<std::uint32_t>(b.as_float());
  if (const auto* x = std::get_if<double>(&a))
    return std::bit_cast<std::uint64_t>(*x) == std::bit_cast<std::uint64_t>(b.as_double());
  if (const auto* x = std::get_if<DatumList>(&a)) {
    const DatumList& y = b.as_list();
    return x->size() == y.size() && std::equal(x->begin(), x->end(), y.begin(), SameDatum);
  }
  return static_cast<const Datum::Base&>(a) == static_cast<const Datum::Base&>(b);
}

inline void ExpectSameRows(const std::vector<DatumList>& actual, const std::vector<DatumList>& expected,
                           const std::vector<DataField>& fields) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t row = 0; row < expected.size(); ++row) {
    ASSERT_EQ(actual[row].size(), expected[row].size()) << "row " << row;
    for (std::size_t i = 0; i < expected[row].size(); ++i) {
      EXPECT_TRUE(SameDatum(actual[row][i], expected[row][i])) << "row " << row << ", column " << fields[i].name;
    }
  }
}

/// Fields with ids 0, 1, … in order.
inline std::vector<DataField> MakeFields(std::vector<std::pair<std::string, DataType>> columns) {
  std::vector<DataField> fields;
  for (auto& [name, type] : columns) {
    fields.push_back({FieldId(static_cast<std::int32_t>(fields.size())), name, type, std::nullopt, std::nullopt});
  }
  return fields;
}

/// Every row of a reader; fails the test if a batch has other columns than the fields.
inline Result<std::vector<DatumList>> ReadRows(FileReader& reader, const std::vector<DataField>& fields) {
  std::vector<DatumList> rows;
  while (true) {
    BRAID_TRY_ASSIGN(const std::optional<Batch> batch, reader.Next());
    if (!batch) return rows;
    EXPECT_TRUE(batch->rows->schema()->Equals(*ToArrowSchema(fields))) << batch->rows->schema()->ToString();
    EXPECT_TRUE(batch->rows->ValidateFull().ok()) << batch->rows->ValidateFull().ToString();
    for (std::int64_t row = 0; row < batch->rows->num_rows(); ++row) {
      DatumList values;
      for (std::size_t i = 0; i < fields.size(); ++i) {
        values.push_back(DatumAt(*batch->rows->column(static_cast<int>(i)), row, fields[i].type));
      }
      rows.push_back(std::move(values));
    }
  }
}

inline Result<std::vector<DatumList>> ReadFile(const FileFormat& format, const FileSystem& files, std::string_view path,
                                               const std::vector<DataField>& fields, std::int64_t batch_rows = 8192) {
  BRAID_TRY_ASSIGN(const std::unique_ptr<FileReader> reader,
                   format.OpenReader(files, path, {.columns = fields, .filter = nullptr, .batch_rows = batch_rows}));
  return ReadRows(*reader, fields);
}

inline Result<WrittenFile> WriteFile(const FileFormat& format, FileSystem& files, std::string_view path,
                                     const std::vector<DataField>& fields, const std::vector<DatumList>& rows,
                                     const Options& options = {}) {
  BRAID_TRY_ASSIGN(const Batch batch, MakeBatch(fields, rows));
  BRAID_TRY_ASSIGN(const std::unique_ptr<FileWriter> writer, format.OpenWriter(files, path, fields, options));
  BRAID_TRY(writer->Write(batch));
  return writer->Finish();
}

/// A file below tests/data/format.
inline std::string TestFile(std::string_view name) {
  std::ifstream stream(std::string(BRAID_SOURCE_DIR) + "/tests/data/format/" + std::string(name), std::ios::binary);
  EXPECT_TRUE(stream.good()) << name;
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A file system that holds that one file under "/" and its name.
inline std::unique_ptr<MemoryFileSystem> WithTestFile(std::string_view name) {
  auto files = std::make_unique<MemoryFileSystem>();
  EXPECT_THAT(files->Replace("/" + std::string(name), TestFile(name)), IsOk());
  return files;
}

/// Milliseconds of a date and time of the proleptic Gregorian calendar, UTC.
inline std::int64_t MillisOf(int year, unsigned month, unsigned day, int hour = 0, int minute = 0, int second = 0,
                             int milli = 0) {
  const std::chrono::sys_days date = std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(day);
  return ((date.time_since_epoch().count() * 24LL + hour) * 60 + minute) * 60'000 + second * 1000 + milli;
}

}  // namespace braid
