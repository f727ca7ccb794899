#include <utility>

#include "meta/field_ids_internal.h"

namespace braid {

DataType ReassignFieldIds(const DataType& type, std::int32_t& highest_id) {
  const auto renumbered = [&](const DataType& child) { return ReassignFieldIds(child, highest_id); };
  switch (type.kind()) {
    case TypeKind::kArray: return DataType::Array(renumbered(type.element())).WithNullability(type.nullable());
    case TypeKind::kMultiset: return DataType::Multiset(renumbered(type.element())).WithNullability(type.nullable());
    case TypeKind::kMap: {
      DataType key = renumbered(type.key());
      return DataType::Map(std::move(key), renumbered(type.element())).WithNullability(type.nullable());
    }
    case TypeKind::kRow: {
      std::vector<DataField> fields(type.fields().begin(), type.fields().end());
      for (DataField& field : fields) {
        field.type = renumbered(field.type);
        field.id = FieldId(++highest_id);
      }
      return DataType::Row(std::move(fields)).WithNullability(type.nullable());
    }
    default: return type;
  }
}

}  // namespace braid
