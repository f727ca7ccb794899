#include "table/partitions.h"

#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "types/cast.h"

namespace braid {

std::vector<DataType> PartitionTypes(const DataLayout& layout) {
  std::vector<DataType> types;
  types.reserve(layout.partition_fields.size());
  for (const DataField& field : layout.partition_fields) types.push_back(field.type);
  return types;
}

Result<PredicatePtr> PartitionSpecFilter(const Table& table, const PartitionSpec& spec) {
  std::vector<PredicatePtr> conjuncts;
  for (const auto& [column, text] : spec) {
    const std::vector<DataField>& fields = table.layout().partition_fields;
    const auto position = FindField(fields, column);
    if (!position) {
      return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is no partition column of {}", column, table.name()))
          .Hint(table.schema().is_partitioned() ? "it is partitioned by " + Join(table.schema().partition_keys, ", ")
                                                : "the table is not partitioned");
    }
    const DataField& field = fields[*position];
    if (text == table.layout().default_partition_name) {
      conjuncts.push_back(Predicate::Leaf(Predicate::Op::kIsNull, column, field.type));
      continue;
    }
    BRAID_TRY_ASSIGN(Datum value,
                     ParseDatum(text, field.type).Context("while reading the partition's value of " + column));
    conjuncts.push_back(Predicate::Leaf(Predicate::Op::kEqual, column, field.type, {std::move(value)}));
  }
  if (conjuncts.empty()) return PredicatePtr();
  return Predicate::And(std::move(conjuncts));
}

}  // namespace braid
