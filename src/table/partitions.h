#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "table/table.h"
#include "types/binary_row.h"
#include "types/predicate.h"

namespace braid {

/// Types of the partition columns, in their order: those of the fields of a partition's BinaryRow.
std::vector<DataType> PartitionTypes(const DataLayout& layout);

/// Partition columns and values as text, the default partition's name standing for NULL. Not all columns need be there.
using PartitionSpec = std::map<std::string, std::string>;

/// The partitions that the spec names, as a condition on partition columns; nullptr for an empty spec: all.
/// Errors: kInvalidArgument for a column that is no partition column, or a value that is none of its type.
Result<PredicatePtr> PartitionSpecFilter(const Table& table, const PartitionSpec& spec);

/// "dt=d1,hh=1". Errors: kInvalidArgument, naming the pair that is none.
Result<PartitionSpec> ParsePartitionSpec(std::string_view text);
/// The partitions that any of the specs names; nullptr for none. Errors: as those of PartitionSpecFilter; kInvalidArgument
/// for an empty spec.
Result<PredicatePtr> PartitionSpecsFilter(const Table& table, std::span<const PartitionSpec> specs);
/// The same of specs as one text, "dt=d1,hh=1;dt=d2".
Result<PredicatePtr> PartitionSpecsFilter(const Table& table, std::string_view text);

/// "The partition is this one". Columns of floating point are passed over: NaN and zeros have more than one order.
/// Errors: kCorruption for a row that holds no such fields.
Result<PredicatePtr> IsPartition(const BinaryRow& partition, std::span<const DataField> fields, std::span<const DataType> types);

}  // namespace braid
