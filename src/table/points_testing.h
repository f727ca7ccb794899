#pragma once

// Tables of points whose rows are sorted; include only from tests.

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include "meta/stores.h"
#include "table/file_scan.h"
#include "table/table_testing.h"

namespace braid {

using Point = std::pair<int, int>;

/// Bits of both by turns, those of x first: negative numbers do not occur here.
inline std::uint64_t ZPlace(const Point& point) {
  std::uint64_t place = 0;
  for (int bit = 20; bit >= 0; --bit) {
    place = place << 1 | (static_cast<unsigned>(point.first) >> bit & 1U);
    place = place << 1 | (static_cast<unsigned>(point.second) >> bit & 1U);
  }
  return place;
}

/// Append tables and what their files hold, in order.
class PointsTest : public testing::Test {
 protected:
  Table Create(std::vector<std::pair<std::string, DataType>> columns, Options::Map options = {},
               std::vector<std::string> partitions = {}, std::vector<std::string> keys = {}) {
    options.emplace("bucket", "-1");
    Result<Table> table = CreateTestTable(
        fs_, TestDefinition(std::move(columns), std::move(keys), std::move(options), std::move(partitions)));
    EXPECT_THAT(table, IsOk());
    return *std::move(table);
  }

  // A table of the points of a square, in random order in several files.
  Table CreatePoints(int side, Options::Map options = {}) {
    const Table table = Create({{"x", DataType::Int()}, {"y", DataType::Int()}}, std::move(options));
    std::vector<Point> points;
    for (int x = 0; x < side; ++x) {
      for (int y = 0; y < side; ++y) points.emplace_back(x, y);
    }
    std::shuffle(points.begin(), points.end(), std::mt19937(7));
    for (std::size_t from = 0; from < points.size(); from += points.size() / 4) {
      std::vector<DatumList> rows;
      for (std::size_t i = from; i < std::min(points.size(), from + points.size() / 4); ++i) {
        rows.push_back({points[i].first, points[i].second});
      }
      EXPECT_THAT(Insert(table, rows), IsOk());
    }
    return table;
  }

  // Data files of the newest snapshot, in the order that they were written.
  std::vector<DataFileMeta> Files(const Table& table) {
    const SnapshotId latest = *FindLatestSnapshot(*fs_, table.paths()).value();
    const Snapshot snapshot = ReadSnapshot(*fs_, table.paths(), latest).value();
    std::vector<DataFileMeta> files;
    const auto scan = FileScan::Make(table, ScanScope{}).value();
    std::vector<ManifestEntry> live = scan->LiveFiles(snapshot).value();
    for (ManifestEntry& entry : live) {
      files.push_back(std::move(entry.file));
    }
    std::sort(files.begin(), files.end(), [](const DataFileMeta& a, const DataFileMeta& b) {
      return a.min_sequence_number < b.min_sequence_number;
    });
    return files;
  }

  // The points in the order of the files.
  std::vector<Point> PointsInOrder(const Table& table) {
    const Plan plan = PlanBatch(table, {}).value();
    std::vector<Point> points;
    for (const DataSplit& split : plan.splits) {
      std::vector<DataFileMeta> files(split.files.begin(), split.files.end());
      std::sort(files.begin(), files.end(), [](const DataFileMeta& a, const DataFileMeta& b) {
        return a.min_sequence_number < b.min_sequence_number;
      });
      DataSplit ordered = split;
      ordered.files = DataFileList(files);
      const auto reader = ReadSplit(table, ordered, {}).value();
      const std::vector<Batch> batches = ReadAllBatches(*reader).value();
      for (const Batch& batch : batches) {
        for (std::int64_t row = 0; row < batch.row_count(); ++row) {
          points.emplace_back(DatumAt(*batch.rows->column(0), row, DataType::Int()).as_int(),
                              DatumAt(*batch.rows->column(1), row, DataType::Int()).as_int());
        }
      }
    }
    return points;
  }

  // How many files may hold rows with the value in the column, by their statistics; on average over all values.
  double FilesPerValue(const std::vector<DataFileMeta>& files, std::size_t column, int side) {
    double hits = 0;
    for (const DataFileMeta& file : files) {
      const DatumList least = file.value_stats.min_values.ToDatums(std::vector{DataType::Int(), DataType::Int()}).value();
      const DatumList greatest = file.value_stats.max_values.ToDatums(std::vector{DataType::Int(), DataType::Int()}).value();
      hits += static_cast<double>(greatest[column].as_int() - least[column].as_int() + 1);
    }
    return hits / side;
  }

  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>();
};

}  // namespace braid
