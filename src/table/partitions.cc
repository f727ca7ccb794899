#include "table/partitions.h"

#include <utility>

#include <fmt/format.h>

#include "base/option_lists.h"
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

Result<PartitionSpec> ParsePartitionSpec(std::string_view text) {
  BRAID_TRY_ASSIGN(const Options pairs, ParseOptionPairs(text).Context("while reading a partition"));
  return PartitionSpec(pairs.values().begin(), pairs.values().end());
}

Result<PredicatePtr> PartitionSpecsFilter(const Table& table, std::span<const PartitionSpec> specs) {
  std::vector<PredicatePtr> partitions;
  for (const PartitionSpec& spec : specs) {
    if (spec.empty()) return Error(ErrorCode::kInvalidArgument, "a partition needs at least one column and value");
    BRAID_TRY_ASSIGN(PredicatePtr filter, PartitionSpecFilter(table, spec));
    partitions.push_back(std::move(filter));
  }
  return partitions.empty() ? PredicatePtr() : Predicate::Or(std::move(partitions));
}

Result<PredicatePtr> PartitionSpecsFilter(const Table& table, std::string_view text) {
  std::vector<PartitionSpec> specs;
  for (const std::string& part : Split(text, ';')) {
    if (Trim(part).empty()) continue;
    BRAID_TRY_ASSIGN(PartitionSpec spec, ParsePartitionSpec(part));
    specs.push_back(std::move(spec));
  }
  return PartitionSpecsFilter(table, specs);
}

Result<PredicatePtr> IsPartition(const BinaryRow& partition, std::span<const DataField> fields, std::span<const DataType> types) {
  BRAID_TRY_ASSIGN(const DatumList values, partition.ToDatums(types));
  std::vector<PredicatePtr> conjuncts;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (types[i].kind() == TypeKind::kFloat || types[i].kind() == TypeKind::kDouble) continue;
    conjuncts.push_back(values[i].is_null()
                            ? Predicate::Leaf(Predicate::Op::kIsNull, fields[i].name, types[i])
                            : Predicate::Leaf(Predicate::Op::kEqual, fields[i].name, types[i], {values[i]}));
  }
  return conjuncts.empty() ? Predicate::Constant(true) : Predicate::And(std::move(conjuncts));
}

}  // namespace braid
