#include "format/parquet_schema.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <parquet/types.h>

#include "format/field_ids.h"

namespace braid {
namespace {

using parquet::LogicalType;
using parquet::Repetition;
using parquet::schema::GroupNode;
using parquet::schema::NodePtr;
using parquet::schema::NodeVector;
using parquet::schema::PrimitiveNode;

/// Where a node stands: what its id and those of its unnamed children follow from.
struct Place {
  std::string name;
  std::int32_t id;         // of this node
  std::int32_t parent_id;  // of the nearest named field, itself included
  int depth = 0;           // below that field
};

Result<NodePtr> MakeNode(const Place& place, const DataType& type);

NodePtr Primitive(const Place& place, const DataType& type, parquet::Type::type physical,
                  std::shared_ptr<const LogicalType> logical = LogicalType::None(), int length = -1) {
  return PrimitiveNode::Make(place.name, type.nullable() ? Repetition::OPTIONAL : Repetition::REQUIRED,
                             std::move(logical), physical, length, place.id);
}

/// Fewest bytes whose two's complement holds every number of that many decimal digits.
int DecimalBytes(int precision) {
  __extension__ unsigned __int128 largest = 1;
  for (int i = 0; i < precision; ++i) largest *= 10;
  largest -= 1;
  int bits = 1;  // the sign
  for (; largest != 0; largest >>= 1) ++bits;
  return (bits + 7) / 8;
}

NodePtr DecimalNode(const Place& place, const DataType& type) {
  const auto logical = LogicalType::Decimal(type.precision(), type.scale());
  if (type.precision() <= 9) return Primitive(place, type, parquet::Type::INT32, logical);
  if (type.precision() <= 18) return Primitive(place, type, parquet::Type::INT64, logical);
  return Primitive(place, type, parquet::Type::FIXED_LEN_BYTE_ARRAY, logical, DecimalBytes(type.precision()));
}

NodePtr TimestampNode(const Place& place, const DataType& type) {
  if (type.precision() > 6) return Primitive(place, type, parquet::Type::INT96);
  const auto unit = type.precision() <= 3 ? LogicalType::TimeUnit::MILLIS : LogicalType::TimeUnit::MICROS;
  const bool utc = type.kind() == TypeKind::kTimestampLtz;
  // Java sets the old converted type for both, so that readers from before logical types know them.
  return Primitive(place, type, parquet::Type::INT64, LogicalType::Timestamp(utc, unit, false, true));
}

NodePtr Group(const Place& place, const DataType& type, NodeVector children,
              std::shared_ptr<const LogicalType> logical) {
  return GroupNode::Make(place.name, type.nullable() ? Repetition::OPTIONAL : Repetition::REQUIRED, children,
                         std::move(logical), place.id);
}

Result<NodePtr> ListNode(const Place& place, const DataType& type) {
  const int depth = place.depth + 1;
  BRAID_TRY_ASSIGN(
      NodePtr element,
      MakeNode({"element", ElementFieldId(place.parent_id, depth), place.parent_id, depth}, type.element()));
  return Group(place, type, {GroupNode::Make("list", Repetition::REPEATED, {element})}, LogicalType::List());
}

Result<NodePtr> MapNode(const Place& place, const DataType& type, const DataType& key, const DataType& value) {
  const int depth = place.depth + 1;
  // A map's key is never NULL in Parquet, whatever the type says.
  BRAID_TRY_ASSIGN(NodePtr key_node,
                   MakeNode({"key", KeyFieldId(place.parent_id, depth), place.parent_id, depth}, key.NotNull()));
  BRAID_TRY_ASSIGN(NodePtr value_node,
                   MakeNode({"value", ElementFieldId(place.parent_id, depth), place.parent_id, depth}, value));
  return Group(place, type,
               {GroupNode::Make("key_value", Repetition::REPEATED, {key_node, value_node},
                                parquet::ConvertedType::MAP_KEY_VALUE)},
               LogicalType::Map());
}

Result<NodePtr> RowNode(const Place& place, const DataType& type) {
  NodeVector children;
  for (const DataField& field : type.fields()) {
    BRAID_TRY_ASSIGN(NodePtr child, MakeNode({field.name, field.id.value(), field.id.value(), 0}, field.type));
    children.push_back(std::move(child));
  }
  return Group(place, type, std::move(children), nullptr);
}

NodePtr VariantNode(const Place& place, const DataType& type) {
  return Group(place, type,
               {Primitive({"value", 0, 0}, DataType::Bytes().NotNull(), parquet::Type::BYTE_ARRAY),
                Primitive({"metadata", 1, 1}, DataType::Bytes().NotNull(), parquet::Type::BYTE_ARRAY)},
               nullptr);
}

Result<NodePtr> MakeNode(const Place& place, const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kBoolean: return Primitive(place, type, parquet::Type::BOOLEAN);
    case TypeKind::kTinyInt: return Primitive(place, type, parquet::Type::INT32, LogicalType::Int(8, true));
    case TypeKind::kSmallInt: return Primitive(place, type, parquet::Type::INT32, LogicalType::Int(16, true));
    case TypeKind::kInt: return Primitive(place, type, parquet::Type::INT32);
    case TypeKind::kBigInt: return Primitive(place, type, parquet::Type::INT64);
    case TypeKind::kFloat: return Primitive(place, type, parquet::Type::FLOAT);
    case TypeKind::kDouble: return Primitive(place, type, parquet::Type::DOUBLE);
    case TypeKind::kDecimal: return DecimalNode(place, type);
    case TypeKind::kChar:
    case TypeKind::kVarChar: return Primitive(place, type, parquet::Type::BYTE_ARRAY, LogicalType::String());
    case TypeKind::kBinary:
    case TypeKind::kVarBinary:
    case TypeKind::kBlob: return Primitive(place, type, parquet::Type::BYTE_ARRAY);
    case TypeKind::kDate: return Primitive(place, type, parquet::Type::INT32, LogicalType::Date());
    case TypeKind::kTime:
      return Primitive(place, type, parquet::Type::INT32, LogicalType::Time(true, LogicalType::TimeUnit::MILLIS));
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: return TimestampNode(place, type);
    case TypeKind::kVariant: return VariantNode(place, type);
    case TypeKind::kArray:
    case TypeKind::kVector: return ListNode(place, type);
    case TypeKind::kMultiset: return MapNode(place, type, type.element(), DataType::Int().NotNull());
    case TypeKind::kMap: return MapNode(place, type, type.key(), type.element());
    case TypeKind::kRow: return RowNode(place, type);
  }
  return Error(ErrorCode::kUnsupported,
               fmt::format("column {} has a type that Parquet files cannot hold: {}", place.name, type.ToString()));
}

NodePtr GroupLike(const GroupNode& group, const NodeVector& children, std::shared_ptr<const LogicalType> logical) {
  if (logical->is_none()) logical = nullptr;  // groups take no LogicalType::None
  return GroupNode::Make(group.name(), group.repetition(), children, std::move(logical), group.field_id());
}

bool IsMapWithOptionalKeys(const GroupNode& group) {
  if (!group.logical_type()->is_map() || group.field_count() != 1 || !group.field(0)->is_group()) return false;
  const auto& pairs = static_cast<const GroupNode&>(*group.field(0));
  return pairs.field_count() == 2 && pairs.field(0)->is_optional();
}

/// The node itself if nothing in it changes.
NodePtr WithOptionalKeyMapsAsLists(const NodePtr& node) {
  if (!node->is_group()) return node;
  const auto& group = static_cast<const GroupNode&>(*node);
  const bool is_map = IsMapWithOptionalKeys(group);
  bool changes = is_map;
  NodeVector children;
  for (int i = 0; i < group.field_count(); ++i) {
    children.push_back(WithOptionalKeyMapsAsLists(group.field(i)));
    changes = changes || children.back() != group.field(i);
  }
  if (!changes) return node;
  return GroupLike(group, children, is_map ? LogicalType::List() : group.logical_type());
}

}  // namespace

Result<std::shared_ptr<parquet::schema::GroupNode>> MakeParquetSchema(std::span<const DataField> fields) {
  NodeVector columns;
  for (const DataField& field : fields) {
    BRAID_TRY_ASSIGN(NodePtr column, MakeNode({field.name, field.id.value(), field.id.value(), 0}, field.type));
    columns.push_back(std::move(column));
  }
  return std::static_pointer_cast<GroupNode>(GroupNode::Make("paimon_schema", Repetition::REQUIRED, columns));
}

NodePtr DescribeOptionalKeyMapsAsLists(const GroupNode& schema) {
  bool changes = false;
  NodeVector children;
  for (int i = 0; i < schema.field_count(); ++i) {
    children.push_back(WithOptionalKeyMapsAsLists(schema.field(i)));
    changes = changes || children.back() != schema.field(i);
  }
  if (!changes) return nullptr;
  return GroupLike(schema, children, schema.logical_type());
}

}  // namespace braid
