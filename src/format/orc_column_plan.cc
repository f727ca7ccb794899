#include "format/orc_column_plan.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>

namespace braid {
namespace {

bool IsAnyOf(OrcTypeKind kind, std::initializer_list<OrcTypeKind> kinds) {
  return std::ranges::find(kinds, kind) != kinds.end();
}

bool IsInteger(OrcTypeKind kind) {
  return IsAnyOf(kind, {OrcTypeKind::kByte, OrcTypeKind::kShort, OrcTypeKind::kInt, OrcTypeKind::kLong});
}

/// Whether values of the file's type can be read as the wanted one; what is below them aside.
bool Holds(const OrcType& found, const DataType& wanted) {
  switch (wanted.kind()) {
    case TypeKind::kBoolean: return found.kind == OrcTypeKind::kBoolean;
    case TypeKind::kTinyInt:
    case TypeKind::kSmallInt:
    case TypeKind::kInt:
    case TypeKind::kBigInt: return IsInteger(found.kind);
    case TypeKind::kFloat: return found.kind == OrcTypeKind::kFloat;
    case TypeKind::kDouble: return IsAnyOf(found.kind, {OrcTypeKind::kFloat, OrcTypeKind::kDouble});
    case TypeKind::kDecimal:
      return found.kind == OrcTypeKind::kDecimal && found.scale == static_cast<std::uint32_t>(wanted.scale());
    case TypeKind::kChar:
    case TypeKind::kVarChar:
    case TypeKind::kBinary:
    case TypeKind::kVarBinary:
    case TypeKind::kBlob:
      return IsAnyOf(found.kind,
                     {OrcTypeKind::kString, OrcTypeKind::kVarChar, OrcTypeKind::kChar, OrcTypeKind::kBinary});
    case TypeKind::kDate: return IsAnyOf(found.kind, {OrcTypeKind::kDate, OrcTypeKind::kInt});
    case TypeKind::kTime: return found.kind == OrcTypeKind::kInt;
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: return IsAnyOf(found.kind, {OrcTypeKind::kTimestamp, OrcTypeKind::kTimestampInstant});
    case TypeKind::kArray: return found.kind == OrcTypeKind::kList && found.children.size() == 1;
    case TypeKind::kMap:
    case TypeKind::kMultiset: return found.kind == OrcTypeKind::kMap && found.children.size() == 2;
    case TypeKind::kRow: return found.kind == OrcTypeKind::kStruct && found.children.size() == found.names.size();
    case TypeKind::kVariant:
    case TypeKind::kVector: break;
  }
  return false;
}

Error Mismatch(std::string_view name, const OrcType& found, const DataType& wanted) {
  const ErrorCode code = found.kind == OrcTypeKind::kUnion || found.kind == OrcTypeKind::kUnknown
                             ? ErrorCode::kUnsupported
                             : ErrorCode::kCorruption;
  return {code, fmt::format("column {} is stored as {}, which cannot be read as {}", name, found.ToString(),
                            wanted.ToString())};
}

}  // namespace

std::optional<std::uint32_t> FindOrcChild(const OrcType& type, std::string_view name) {
  const auto found = std::ranges::find(type.names, name);
  const auto at = static_cast<std::size_t>(found - type.names.begin());
  if (at >= type.children.size()) return std::nullopt;
  return type.children[at];
}

Result<OrcColumnPlan> PlanOrcColumn(std::string name, const DataType& type, std::span<const OrcType> types,
                                    std::uint32_t column) {
  BRAID_TRY(CheckOrcType(name, type));
  const OrcType& found = types[column];
  if (!Holds(found, type)) return Mismatch(name, found, type);
  OrcColumnPlan plan{
      .name = std::move(name), .type = type, .column = column, .kind = found.kind, .precision = found.precision};
  // Children come behind their parents, so that no type is below itself.
  const auto add = [&](std::string child_name, const DataType& child_type, std::uint32_t child) -> Status {
    if (child <= column || child >= types.size()) {
      return Error(ErrorCode::kCorruption, fmt::format("the type of column {} contradicts itself", plan.name));
    }
    BRAID_TRY_ASSIGN(OrcColumnPlan child_plan, PlanOrcColumn(std::move(child_name), child_type, types, child));
    plan.children.push_back(std::move(child_plan));
    return Ok();
  };
  switch (type.kind()) {
    case TypeKind::kArray: BRAID_TRY(add(plan.name, type.element(), found.children[0])); break;
    case TypeKind::kMap:
      BRAID_TRY(add(plan.name, type.key(), found.children[0]));
      BRAID_TRY(add(plan.name, type.element(), found.children[1]));
      break;
    case TypeKind::kMultiset:
      BRAID_TRY(add(plan.name, type.element(), found.children[0]));
      BRAID_TRY(add(plan.name, DataType::Int(), found.children[1]));
      break;
    case TypeKind::kRow:
      for (const DataField& field : type.fields()) {
        std::string path = fmt::format("{}.{}", plan.name, field.name);
        const std::optional<std::uint32_t> child = FindOrcChild(found, field.name);
        if (!child) return Error(ErrorCode::kCorruption, fmt::format("column {} is missing", path));
        BRAID_TRY(add(std::move(path), field.type, *child));
      }
      break;
    default: break;
  }
  return plan;
}

void AppendOrcColumns(const OrcColumnPlan& plan, std::vector<std::uint32_t>& columns) {
  columns.push_back(plan.column);
  for (const OrcColumnPlan& child : plan.children) AppendOrcColumns(child, columns);
}

}  // namespace braid
