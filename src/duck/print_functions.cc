#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <duckdb/execution/expression_executor.hpp>
#include <duckdb/function/scalar_function.hpp>
#include <duckdb/planner/expression/bound_function_expression.hpp>

#include "duck/errors_internal.h"
#include "duck/flink_text.h"
#include "duck/json_text.h"
#include "duck/rows_internal.h"
#include "types/time_zone.h"
#include "types/data_type.h"
#include "types/date_time.h"
#include "types/number_text.h"
#include "types/utf8.h"
#include "types/variant_json.h"

namespace braid {
namespace {

using duckdb::LogicalType;
using Text = std::string_view;

enum class Style {
  kText,  // as CAST to STRING prints: [a, NULL], {k=v}, (1, x)
  kJson,  // as JSON_STRING does
};

/// Prints values of any type.
class Printer {
 public:
  Printer(const DataType& type, const TimeZone& zone, Style style)
      : type_(type), zone_(zone), json_(style == Style::kJson) {
    for (const DataType& child : Children(type)) children_.emplace_back(child, zone, style);
  }

  void Print(const duckdb::RecursiveUnifiedVectorFormat& format, duckdb::idx_t row, std::string& out) const {
    const duckdb::idx_t index = format.unified.sel->get_index(row);
    if (!format.unified.validity.RowIsValid(index)) {
      out += json_ ? "null" : "NULL";
      return;
    }
    switch (type_.kind()) {
      case TypeKind::kArray:
      case TypeKind::kVector: PrintList(format, index, out); return;
      case TypeKind::kMap:
      case TypeKind::kMultiset: PrintMap(format, index, out); return;
      case TypeKind::kRow: PrintRow(format, row, out); return;
      case TypeKind::kVariant: PrintVariant(format, row, out); return;
      default: break;
    }
    if (!json_ || type_.kind() == TypeKind::kBoolean || type_.is_numeric()) {
      PrintAtom(format.unified, index, out);
      return;
    }
    std::string text;
    PrintAtom(format.unified, index, text);
    AppendJacksonText(text, out);
  }

 private:
  static std::vector<DataType> Children(const DataType& type) {
    std::vector<DataType> children;
    for (const DataField& field : type.fields()) children.push_back(field.type);
    if (type.kind() == TypeKind::kMap) children.push_back(type.key());
    if (type.is_nested() && type.kind() != TypeKind::kRow) children.push_back(type.element());
    if (type.kind() == TypeKind::kMultiset) children.push_back(DataType::Int());
    return children;
  }

  template <typename T>
  static const T& Value(const duckdb::UnifiedVectorFormat& format, duckdb::idx_t index) {
    return duckdb::UnifiedVectorFormat::GetData<T>(format)[index];
  }

  void PrintAtom(const duckdb::UnifiedVectorFormat& format, duckdb::idx_t index, std::string& out) const {
    switch (type_.kind()) {
      case TypeKind::kBoolean:
        out += Value<bool>(format, index) ? (json_ ? "true" : "TRUE") : (json_ ? "false" : "FALSE");
        return;
      case TypeKind::kTinyInt: out += std::to_string(Value<std::int8_t>(format, index)); return;
      case TypeKind::kSmallInt: out += std::to_string(Value<std::int16_t>(format, index)); return;
      case TypeKind::kInt: out += std::to_string(Value<std::int32_t>(format, index)); return;
      case TypeKind::kBigInt: out += std::to_string(Value<std::int64_t>(format, index)); return;
      case TypeKind::kFloat: AppendJavaNumber(Value<float>(format, index), out); return;
      case TypeKind::kDouble: AppendJavaNumber(Value<double>(format, index), out); return;
      case TypeKind::kDecimal: AppendDecimal(DecimalAt(format, index), type_.scale(), out); return;
      case TypeKind::kDate: AppendFlinkDate(Value<duckdb::date_t>(format, index).days, out); return;
      case TypeKind::kTime:
        AppendFlinkTime(Value<duckdb::dtime_t>(format, index).micros, type_.precision(), out);
        return;
      case TypeKind::kTimestamp:
      case TypeKind::kTimestampLtz: PrintTimestamp(Value<std::int64_t>(format, index), out); return;
      case TypeKind::kBinary:
      case TypeKind::kVarBinary:
      case TypeKind::kBlob: out += RepairUtf8(ArgumentOf<Text>::Read(Value<duckdb::string_t>(format, index))); return;
      default: out += ArgumentOf<Text>::Read(Value<duckdb::string_t>(format, index)); return;
    }
  }

  Int128 DecimalAt(const duckdb::UnifiedVectorFormat& format, duckdb::idx_t index) const {
    if (type_.precision() <= 4) return Value<std::int16_t>(format, index);
    if (type_.precision() <= 9) return Value<std::int32_t>(format, index);
    if (type_.precision() <= 18) return Value<std::int64_t>(format, index);
    const auto& value = Value<duckdb::hugeint_t>(format, index);
    return (static_cast<Int128>(value.upper) << 64) | static_cast<Int128>(value.lower);
  }

  void PrintTimestamp(std::int64_t value, std::string& out) const {
    const bool nanos = type_.kind() == TypeKind::kTimestamp && type_.precision() > 6;
    const std::int64_t per_second = nanos ? 1'000'000'000 : 1'000'000;
    if (type_.kind() == TypeKind::kTimestampLtz && !json_) value = zone_.ToLocal(value);
    const std::int64_t seconds = FloorDivide(value, per_second);
    const std::int64_t rest = value - seconds * per_second;
    const std::size_t begin = out.size();
    AppendFlinkTimestamp({seconds, static_cast<std::int32_t>(nanos ? rest : rest * 1000)}, type_.precision(), out);
    if (!json_) return;
    out[out.find(' ', begin)] = 'T';
    if (type_.kind() == TypeKind::kTimestampLtz) out += 'Z';
  }

  void PrintList(const duckdb::RecursiveUnifiedVectorFormat& format, duckdb::idx_t index, std::string& out) const {
    const auto& entry = Value<duckdb::list_entry_t>(format.unified, index);
    out += '[';
    for (duckdb::idx_t i = 0; i < entry.length; ++i) {
      if (i > 0) out += separator();
      children_[0].Print(format.children[0], entry.offset + i, out);
    }
    out += ']';
  }

  void PrintMap(const duckdb::RecursiveUnifiedVectorFormat& format, duckdb::idx_t index, std::string& out) const {
    const auto& entry = Value<duckdb::list_entry_t>(format.unified, index);
    out += '{';
    for (duckdb::idx_t i = 0; i < entry.length; ++i) {
      if (i > 0) out += separator();
      children_[0].Print(format.children[0].children[0], entry.offset + i, out);
      out += json_ ? ':' : '=';
      children_[1].Print(format.children[0].children[1], entry.offset + i, out);
    }
    out += '}';
  }

  void PrintRow(const duckdb::RecursiveUnifiedVectorFormat& format, duckdb::idx_t row, std::string& out) const {
    out += json_ ? '{' : '(';
    for (std::size_t i = 0; i < children_.size(); ++i) {
      if (i > 0) out += separator();
      if (json_) {
        AppendJacksonText(type_.fields()[i].name, out);
        out += ':';
      }
      children_[i].Print(format.children[i], row, out);
    }
    out += json_ ? '}' : ')';
  }

  /// As JSON in either style.
  static void PrintVariant(const duckdb::RecursiveUnifiedVectorFormat& format, duckdb::idx_t row, std::string& out) {
    const auto bytes = [&](std::size_t part) {
      const duckdb::UnifiedVectorFormat& vector = format.children[part].unified;
      return ArgumentOf<Text>::Read(Value<duckdb::string_t>(vector, vector.sel->get_index(row)));
    };
    out += ValueOrThrow(VariantToJson(bytes(0), bytes(1)));
  }

  const char* separator() const { return json_ ? "," : ", "; }

  DataType type_;
  const TimeZone& zone_;
  bool json_;
  std::vector<Printer> children_;
};

struct PrintBindData : duckdb::FunctionData {
  DataType type = DataType::Int();
  std::shared_ptr<const TimeZone> zone;

  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override { return duckdb::make_uniq<PrintBindData>(*this); }
  bool Equals(const duckdb::FunctionData& other) const override {
    const auto& that = other.Cast<PrintBindData>();
    return type == that.type && zone == that.zone;
  }
};

/// flink_text and flink_json (value, type, zone): the last two are constants.
duckdb::unique_ptr<duckdb::FunctionData> BindPrint(duckdb::ClientContext& context, duckdb::ScalarFunction& function,
                                                   duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  const auto constant = [&](std::size_t i) {
    return duckdb::ExpressionExecutor::EvaluateScalar(context, *arguments[i]).ToString();
  };
  auto bound = duckdb::make_uniq<PrintBindData>();
  bound->type = ValueOrThrow(ParseDataType(constant(1)));
  bound->zone = ValueOrThrow(TimeZone::Find(constant(2)));
  function.arguments[0] = arguments[0]->return_type;
  return bound;
}

template <Style PrintStyle>
void PrintValues(duckdb::DataChunk& arguments, duckdb::ExpressionState& state, duckdb::Vector& result) {
  const auto& bound = state.expr.Cast<duckdb::BoundFunctionExpression>().bind_info->Cast<PrintBindData>();
  const Printer printer(bound.type, *bound.zone, PrintStyle);
  duckdb::Vector& values = arguments.data[0];
  const duckdb::idx_t rows = arguments.AllConstant() ? 1 : arguments.size();
  duckdb::RecursiveUnifiedVectorFormat format;
  duckdb::Vector::RecursiveToUnifiedFormat(values, rows, format);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  std::string text;
  for (duckdb::idx_t row = 0; row < rows; ++row) {
    if (!format.unified.validity.RowIsValid(format.unified.sel->get_index(row))) {
      duckdb::FlatVector::SetNull(result, row, true);
      continue;
    }
    text.clear();
    printer.Print(format, row, text);
    duckdb::FlatVector::GetData<duckdb::string_t>(result)[row] = duckdb::StringVector::AddString(result, text);
  }
  if (arguments.AllConstant()) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

}  // namespace

void RegisterPrintFunctions(FunctionRegistrar& registrar) {
  const LogicalType text = LogicalType::VARCHAR;
  registrar.Add(
      duckdb::ScalarFunction("flink_text", {LogicalType::ANY, text, text}, text, PrintValues<Style::kText>, BindPrint));
  registrar.Add(
      duckdb::ScalarFunction("flink_json", {LogicalType::ANY, text, text}, text, PrintValues<Style::kJson>, BindPrint));
}

}  // namespace braid
