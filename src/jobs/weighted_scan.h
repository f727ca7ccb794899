#pragma once

#include <memory>
#include <string>
#include <vector>

#include "duck/engine.h"
#include "duck/scan_function.h"
#include "table/scan.h"
#include "table/table.h"

namespace braid {

/// Splits of a table and what one of their rows counts for.
struct WeightedSplits {
  Table table;
  std::vector<DataSplit> splits;
  std::int64_t weight = 1;  ///< of a row that is there; one that retracts counts for the opposite
};

/// The rows of splits, all of tables with the columns `fields`, with the column kWeightColumn (BIGINT) behind those.
/// Each split is a partition.
std::shared_ptr<const ScanSource> MakeWeightedScan(std::string name, std::vector<DataField> fields,
                                                   std::vector<WeightedSplits> parts);

/// The rows of a reader, all columns and the weight, in one partition. It can be scanned once.
std::shared_ptr<const ScanSource> MakeWeightedStream(std::string name, std::vector<DataField> fields,
                                                     std::unique_ptr<BatchReader> rows);

/// What reads a source in a FROM clause, its columns named f0, f1, … and w. Adds the registration that must live until
/// the statement is bound.
std::string ScanSql(DuckEngine& engine, const std::shared_ptr<const ScanSource>& source, LateFields late,
                    std::vector<ScanRegistration>& registrations);

}  // namespace braid
