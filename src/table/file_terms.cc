#include "table/file_terms.h"

#include <algorithm>
#include <utility>

#include "table/row_tracking.h"

namespace braid {

const DataField* FileFieldOf(const DataField& field, const TableSchema& file_schema, const DataFileMeta& file) {
  const std::optional<std::size_t> position = FindField(file_schema.fields, field.id);
  if (!position) return nullptr;
  const DataField& found = file_schema.fields[*position];
  return StoresColumn(file, found.name) ? &found : nullptr;
}

PredicatePtr InFileTerms(const PredicatePtr& condition, const TableSchema& schema, const TableSchema& file_schema, const DataFileMeta& file) {
  if (condition == nullptr) return nullptr;
  using Op = Predicate::Op;
  if (condition->op() == Op::kAnd || condition->op() == Op::kOr) {
    std::vector<PredicatePtr> children;
    for (const PredicatePtr& child : condition->children()) {
      PredicatePtr translated = InFileTerms(child, schema, file_schema, file);
      if (translated != nullptr) {
        children.push_back(std::move(translated));
      } else if (condition->op() == Op::kOr) {
        return nullptr;
      }
    }
    if (children.empty()) return nullptr;
    return condition->op() == Op::kAnd ? Predicate::And(std::move(children)) : Predicate::Or(std::move(children));
  }
  if (condition->op() == Op::kTrue || condition->op() == Op::kFalse) return condition;
  const DataField* field = schema.FindColumn(condition->column());
  if (field == nullptr) return nullptr;
  const bool is_partition = std::find(schema.partition_keys.begin(), schema.partition_keys.end(), field->name) != schema.partition_keys.end();
  const DataField* in_file = is_partition ? nullptr : FileFieldOf(*field, file_schema, file);
  if (in_file == nullptr || !in_file->type.SameShape(field->type)) return nullptr;
  return Predicate::Leaf(condition->op(), in_file->name, in_file->type, condition->literals());
}

}  // namespace braid
