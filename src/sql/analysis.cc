#include "sql/analysis.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace braid {
namespace {

// Deepest nesting of views: a view that reads itself through others must end somewhere.
constexpr int kMaxViewDepth = 32;

// What an error that shows its place holds (syntax/source.h).
constexpr std::string_view kPlaceMark = ", at line ";

}  // namespace

Error Analysis::ErrorAt(syntax::Position position, std::string_view message, ErrorCode code) const {
  if (!text_) return Error(code, std::string(message));
  return syntax::ErrorAt(code, *text_, position, message);
}

Error Analysis::Place(syntax::Position position, const Error& error) const {
  if (!text_ || error.message().find(kPlaceMark) != std::string::npos) return error;
  Error placed = ErrorAt(position, error.message(), error.code());
  for (const std::string& what : error.context()) placed = std::move(placed).Context(what);
  return error.hint().empty() ? placed : std::move(placed).Hint(error.hint());
}

Result<Analysis> Analysis::ForView() const {
  if (view_depth_ >= kMaxViewDepth) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("views are nested more than {} deep", kMaxViewDepth))
        .Hint("a view may read itself through other views");
  }
  Analysis inner = *this;
  inner.text_ = std::nullopt;
  ++inner.view_depth_;
  return inner;
}

Scalar ColumnScalar(ColumnId id, const SqlType& type) {
  return Scalar{.type = type, .sql = ColumnSql(id), .literal = {}, .is_json = false, .columns = {id}, .handed_on = {id}};
}

Scalar ColumnScalar(const OutputColumn& column) {
  return ColumnScalar(column.id, column.type);
}

CallArgument ToArgument(const Scalar& value) {
  return CallArgument{.type = value.type, .sql = value.sql, .literal = value.literal, .is_json = value.is_json};
}

Scalar SymbolScalar(std::string keyword) {
  return Scalar{.type = SqlType::Symbol(), .sql = std::move(keyword), .literal = {}, .is_json = false, .columns = {}};
}

std::vector<ColumnId> UnionColumns(std::span<const Scalar> values) {
  std::vector<ColumnId> all;
  for (const Scalar& value : values) all.insert(all.end(), value.columns.begin(), value.columns.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

Scalar ToScalar(EmittedCall call, std::span<const Scalar> arguments) {
  return Scalar{.type = std::move(call.type),
                .sql = std::move(call.sql),
                .literal = std::move(call.literal),
                .is_json = call.is_json,
                .columns = UnionColumns(arguments)};
}

Result<Scalar> Call(const Analysis& analysis, std::string_view name, std::vector<Scalar> arguments) {
  std::vector<CallArgument> plain;
  plain.reserve(arguments.size());
  for (const Scalar& argument : arguments) plain.push_back(ToArgument(argument));
  BRAID_TRY_ASSIGN(EmittedCall call, ResolveCall(name, std::move(plain), analysis.calls()));
  return ToScalar(std::move(call), arguments);
}

Result<Scalar> LiteralScalar(const Datum& value, const DataType& type) {
  BRAID_TRY_ASSIGN(std::string sql, EmitLiteral(value, type));
  return Scalar{.type = type.WithNullability(value.is_null()),
                .sql = std::move(sql),
                .literal = value,
                .is_json = false,
                .columns = {}};
}

Scalar NullScalar() {
  return Scalar{.type = SqlType::Null(), .sql = "NULL", .literal = Datum(), .is_json = false, .columns = {}};
}

std::optional<Scalar> ConvertTo(const Analysis& analysis, const Scalar& value, const SqlType& type) {
  if (value.type.WithNullability(true) == type.WithNullability(true)) return value;
  if (!type.is_value()) {
    if (value.type.kind() != SqlType::Kind::kNull || !type.is_interval()) return std::nullopt;
    return Scalar{.type = type.WithNullability(true),
                  .sql = "CAST(NULL AS BIGINT)",
                  .literal = Datum(),
                  .is_json = false,
                  .columns = {}};
  }
  std::optional<EmittedCall> call = ImplicitCast(ToArgument(value), type.data(), analysis.calls());
  if (!call) return std::nullopt;
  return ToScalar(*std::move(call), std::span(&value, 1));
}

std::string Describe(const SqlType& type) {
  return type.WithNullability(true).ToString();
}

}  // namespace braid
