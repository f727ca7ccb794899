#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "table/table.h"
#include "types/predicate.h"

namespace braid {

/// Types of the partition columns, in their order: those of the fields of a partition's BinaryRow.
std::vector<DataType> PartitionTypes(const DataLayout& layout);

/// Partition columns and values as text, the default partition's name standing for NULL. Not all columns need be there.
using PartitionSpec = std::map<std::string, std::string>;

/// The partitions that the spec names, as a condition on partition columns; nullptr for an empty spec: all.
/// Errors: kInvalidArgument for a column that is no partition column, or a value that is none of its type.
Result<PredicatePtr> PartitionSpecFilter(const Table& table, const PartitionSpec& spec);

}  // namespace braid
