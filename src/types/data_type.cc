#include "types/data_type.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace braid {

/// What nested types hold: one element; key and value; or fields.
struct DataType::Children {
  std::vector<DataType> types;
  std::vector<DataField> fields;
};

DataType DataType::Array(DataType element) {
  DataType type(TypeKind::kArray);
  type.children_ = std::make_shared<const Children>(Children{{std::move(element)}, {}});
  return type;
}

DataType DataType::Multiset(DataType element) {
  DataType type(TypeKind::kMultiset);
  type.children_ = std::make_shared<const Children>(Children{{std::move(element)}, {}});
  return type;
}

DataType DataType::Map(DataType key, DataType value) {
  DataType type(TypeKind::kMap);
  type.children_ = std::make_shared<const Children>(Children{{std::move(key), std::move(value)}, {}});
  return type;
}

DataType DataType::Row(std::vector<DataField> fields) {
  DataType type(TypeKind::kRow);
  type.children_ = std::make_shared<const Children>(Children{{}, std::move(fields)});
  return type;
}

DataType DataType::Vector(DataType element, std::int32_t length) {
  DataType type(TypeKind::kVector, length);
  type.children_ = std::make_shared<const Children>(Children{{std::move(element)}, {}});
  return type;
}

DataType DataType::WithNullability(bool nullable) const {
  DataType type = *this;
  type.nullable_ = nullable;
  return type;
}

const DataType& DataType::element() const {
  BRAID_CHECK(children_ != nullptr && !children_->types.empty());
  return children_->types.back();
}

const DataType& DataType::key() const {
  BRAID_CHECK(kind_ == TypeKind::kMap);
  return children_->types.front();
}

std::span<const DataField> DataType::fields() const {
  if (kind_ != TypeKind::kRow) return {};
  return children_->fields;
}

namespace {

std::string Quoted(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote) out.push_back(quote);
    out.push_back(c);
  }
  out.push_back(quote);
  return out;
}

std::string FieldsToString(std::span<const DataField> fields) {
  std::string out;
  for (const DataField& field : fields) {
    if (!out.empty()) out += ", ";
    out += fmt::format("{} {}", Quoted(field.name, '`'), field.type.ToString());
    if (field.description && !field.description->empty()) out += " " + Quoted(*field.description, '\'');
  }
  return out;
}

std::string LengthToString(std::string_view name, std::string_view unbounded, std::int32_t length) {
  if (length == DataType::kMaxLength) return std::string(unbounded);
  return fmt::format("{}({})", name, length);
}

std::string NullableToString(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kBoolean: return "BOOLEAN";
    case TypeKind::kTinyInt: return "TINYINT";
    case TypeKind::kSmallInt: return "SMALLINT";
    case TypeKind::kInt: return "INT";
    case TypeKind::kBigInt: return "BIGINT";
    case TypeKind::kFloat: return "FLOAT";
    case TypeKind::kDouble: return "DOUBLE";
    case TypeKind::kDecimal: return fmt::format("DECIMAL({}, {})", type.precision(), type.scale());
    case TypeKind::kChar: return fmt::format("CHAR({})", type.length());
    case TypeKind::kVarChar: return LengthToString("VARCHAR", "STRING", type.length());
    case TypeKind::kBinary: return fmt::format("BINARY({})", type.length());
    case TypeKind::kVarBinary: return LengthToString("VARBINARY", "BYTES", type.length());
    case TypeKind::kDate: return "DATE";
    case TypeKind::kTime: return fmt::format("TIME({})", type.precision());
    case TypeKind::kTimestamp: return fmt::format("TIMESTAMP({})", type.precision());
    case TypeKind::kTimestampLtz: return fmt::format("TIMESTAMP({}) WITH LOCAL TIME ZONE", type.precision());
    case TypeKind::kVariant: return "VARIANT";
    case TypeKind::kBlob: return "BLOB";
    case TypeKind::kArray: return fmt::format("ARRAY<{}>", type.element().ToString());
    case TypeKind::kMultiset: return fmt::format("MULTISET<{}>", type.element().ToString());
    case TypeKind::kMap: return fmt::format("MAP<{}, {}>", type.key().ToString(), type.element().ToString());
    case TypeKind::kRow: return fmt::format("ROW<{}>", FieldsToString(type.fields()));
    case TypeKind::kVector: return fmt::format("VECTOR<{}, {}>", type.element().ToString(), type.length());
  }
  return {};
}

}  // namespace

std::string DataType::ToString() const {
  std::string text = NullableToString(*this);
  if (!nullable_) text += " NOT NULL";
  return text;
}

bool operator==(const DataType& a, const DataType& b) {
  if (a.kind_ != b.kind_ || a.nullable_ != b.nullable_ || a.first_ != b.first_ || a.scale_ != b.scale_) return false;
  if (a.children_ == b.children_) return true;
  return a.children_ != nullptr && b.children_ != nullptr && a.children_->types == b.children_->types &&
         a.children_->fields == b.children_->fields;
}

bool DataType::SameShape(const DataType& other) const {
  if (kind_ != other.kind_ || first_ != other.first_ || scale_ != other.scale_) return false;
  if (children_ == other.children_) return true;
  return std::ranges::equal(children_->types, other.children_->types,
                            [](const DataType& a, const DataType& b) { return a.SameShape(b); }) &&
         std::ranges::equal(children_->fields, other.children_->fields, [](const DataField& a, const DataField& b) {
           return a.name == b.name && a.type.SameShape(b.type);
         });
}

namespace {

std::optional<std::size_t> PositionOf(std::span<const DataField> fields, const auto& matches) {
  const auto found = std::ranges::find_if(fields, matches);
  if (found == fields.end()) return std::nullopt;
  return static_cast<std::size_t>(found - fields.begin());
}

std::int32_t HighestFieldId(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kRow: return braid::HighestFieldId(type.fields());
    case TypeKind::kMap: return std::max(HighestFieldId(type.key()), HighestFieldId(type.element()));
    case TypeKind::kArray:
    case TypeKind::kMultiset:
    case TypeKind::kVector: return HighestFieldId(type.element());
    default: return -1;
  }
}

}  // namespace

std::optional<std::size_t> FindField(std::span<const DataField> fields, std::string_view name) {
  return PositionOf(fields, [name](const DataField& field) { return field.name == name; });
}

std::optional<std::size_t> FindField(std::span<const DataField> fields, FieldId id) {
  return PositionOf(fields, [id](const DataField& field) { return field.id == id; });
}

std::int32_t HighestFieldId(std::span<const DataField> fields) {
  std::int32_t highest = -1;
  for (const DataField& field : fields) {
    highest = std::max({highest, field.id.value(), HighestFieldId(field.type)});
  }
  return highest;
}

}  // namespace braid
