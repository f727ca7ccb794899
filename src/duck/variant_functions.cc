#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <duckdb/function/scalar_function.hpp>
#include <fmt/format.h>

#include "duck/errors_internal.h"
#include "duck/json_text.h"
#include "duck/rows_internal.h"
#include "duck/types_internal.h"
#include "types/number_text.h"
#include "types/variant_builder.h"

namespace braid {
namespace {

/// A number as Flink and Paimon take it from JSON: an integer if it fits 64 bits, else a decimal if it has no exponent
/// and fits 38 digits, else a DOUBLE.
void AppendNumber(const std::string& text, VariantBuilder& out) {
  std::int64_t integer = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, integer);
  if (stop == end && error == std::errc()) return out.AppendInteger(integer);
  const std::size_t point = text.find('.');
  const std::size_t scale = point == std::string::npos ? 0 : text.size() - point - 1;
  if (text.find_first_of("eE") == std::string::npos && scale <= 38) {
    const std::optional<std::optional<Decimal>> decimal = ParseDecimal(text, 38, static_cast<int>(scale));
    if (decimal && *decimal) return out.AppendDecimal((*decimal)->unscaled, static_cast<int>(scale));
  }
  out.AppendDouble(std::strtod(text.c_str(), nullptr));
}

Status AppendNode(const JsonNode& node, VariantBuilder& out) {
  const std::size_t begin = out.position();
  switch (node.kind) {
    case JsonNode::Kind::kNull: out.AppendNull(); return Ok();
    case JsonNode::Kind::kTrue: out.AppendBoolean(true); return Ok();
    case JsonNode::Kind::kFalse: out.AppendBoolean(false); return Ok();
    case JsonNode::Kind::kNumber: AppendNumber(node.text, out); return Ok();
    case JsonNode::Kind::kString: out.AppendText(node.text); return Ok();
    case JsonNode::Kind::kArray: {
      std::vector<std::uint64_t> offsets;
      for (const JsonMember& element : node.children) {
        offsets.push_back(out.position() - begin);
        BRAID_TRY(AppendNode(element.value, out));
      }
      out.FinishArray(begin, offsets);
      return Ok();
    }
    case JsonNode::Kind::kObject: {
      std::vector<VariantBuilder::Member> members;
      for (const JsonMember& member : node.children) {
        members.push_back({.name_id = out.NameId(member.name), .offset = out.position() - begin});
        BRAID_TRY(AppendNode(member.value, out));
      }
      return out.FinishObject(begin, std::move(members));
    }
  }
  return Ok();
}

/// The variant of a text in `builder`. Errors: kInvalidArgument.
Status ParseVariant(std::string_view json, VariantBuilder& builder) {
  builder.Clear();
  const std::optional<JsonNode> root = ParseJsonNode(json);
  if (!root) return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is no JSON", json.substr(0, 200)));
  const Status appended = AppendNode(*root, builder);
  if (appended) return Ok();
  return Error(ErrorCode::kInvalidArgument,
               fmt::format("'{}' is no VARIANT: {}", json.substr(0, 200), appended.error().message()));
}

/// PARSE_JSON; where the text is no JSON, `is_trying` gives NULL and else an error.
template <bool is_trying>
void ParseJson(duckdb::DataChunk& arguments, duckdb::ExpressionState& /*state*/, duckdb::Vector& result) {
  duckdb::UnifiedVectorFormat texts;
  arguments.data[0].ToUnifiedFormat(arguments.size(), texts);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto& parts = duckdb::StructVector::GetEntries(result);
  VariantBuilder builder;
  for (duckdb::idx_t row = 0; row < arguments.size(); ++row) {
    const duckdb::idx_t index = texts.sel->get_index(row);
    if (!texts.validity.RowIsValid(index)) {
      duckdb::FlatVector::SetNull(result, row, true);
      continue;
    }
    const duckdb::string_t text = duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(texts)[index];
    const Status parsed = ParseVariant({text.GetData(), text.GetSize()}, builder);
    if (!parsed && !is_trying) ThrowError(parsed.error());
    if (!parsed) {
      duckdb::FlatVector::SetNull(result, row, true);
      continue;
    }
    const std::string bytes[] = {builder.value(), builder.Metadata()};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      duckdb::FlatVector::GetData<duckdb::string_t>(*parts[i])[row] =
          duckdb::StringVector::AddStringOrBlob(*parts[i], bytes[i]);
    }
  }
  if (arguments.AllConstant()) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

}  // namespace

void RegisterVariantFunctions(FunctionRegistrar& registrar) {
  const duckdb::LogicalType variant = ValueOrThrow(ToLogicalType(DataType::Variant()));
  registrar.Add("flink_parse_json", {duckdb::LogicalType::VARCHAR}, variant, ParseJson<false>);
  registrar.Add("flink_try_parse_json", {duckdb::LogicalType::VARCHAR}, variant, ParseJson<true>);
}

}  // namespace braid
