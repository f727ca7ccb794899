#include "sql/aggregates.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace braid {
namespace {

constexpr std::array kAggregateNames = {"APPROX_COUNT_DISTINCT",
                                        "ARRAY_AGG",
                                        "AVG",
                                        "COLLECT",
                                        "COUNT",
                                        "FIRST_VALUE",
                                        "LAST_VALUE",
                                        "LISTAGG",
                                        "MAX",
                                        "MIN",
                                        "PERCENTILE",
                                        "SINGLE_VALUE",
                                        "STDDEV",
                                        "STDDEV_POP",
                                        "STDDEV_SAMP",
                                        "SUM",
                                        "VARIANCE",
                                        "VAR_POP",
                                        "VAR_SAMP"};
constexpr std::array kWindowOnlyNames = {"CUME_DIST", "DENSE_RANK",   "LAG",  "LEAD",
                                         "NTILE",     "PERCENT_RANK", "RANK", "ROW_NUMBER"};

template <typename Names>
bool Contains(const Names& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view known) { return EqualsIgnoreCase(known, name); });
}

Error WrongArguments(const AggregateRequest& request, std::string_view form) {
  std::string types;
  for (const Scalar& argument : request.arguments)
    types += (types.empty() ? "<" : ", <") + Describe(argument.type) + ">";
  return Error(ErrorCode::kInvalidArgument,
               fmt::format("Cannot apply '{0}' to arguments of type '{0}({1})'", request.name, types))
      .Hint(fmt::format("supported: {}({})", request.name, form));
}

/// Derives types and adds calls for one request.
class AggregateResolver {
 public:
  AggregateResolver(const Analysis& analysis, const AggregateRequest& request, const CallSink& add)
      : analysis_(analysis), request_(request), add_(add) {}

  Result<Scalar> Resolve() const {
    const std::string& name = request_.name;
    if (name == "COUNT") return Count();
    for (const Scalar& argument : request_.arguments) {
      if (argument.type.kind() == SqlType::Kind::kNull)
        return Error(ErrorCode::kInvalidArgument, "Illegal use of 'NULL'").Hint("give it a type: CAST(NULL AS INT)");
    }
    if (name == "LISTAGG") return ListAgg();
    if (name == "PERCENTILE") return Percentile();
    if (name == "JSON_OBJECTAGG" || name == "JSON_ARRAYAGG") return Json();
    if (request_.arguments.size() != 1) return WrongArguments(request_, "value");
    if (name == "SUM" || name == "AVG" || name.starts_with("STDDEV") || name.starts_with("VAR")) return Arithmetic();
    if (name == "MIN" || name == "MAX") return Extreme();
    if (name == "APPROX_COUNT_DISTINCT")
      return Add(AggregateFunction::kApproxCountDistinct, DataType::BigInt().NotNull());
    return OfAnyType();
  }

 private:
  const Scalar& argument() const { return request_.arguments.front(); }

  Scalar Add(AggregateFunction function, SqlType type) const {
    return Add(function, request_.arguments, std::move(type));
  }

  Scalar Add(AggregateFunction function, std::vector<Scalar> arguments, SqlType type) const {
    return add_(AggregateCall{.function = function,
                              .arguments = std::move(arguments),
                              .distinct = request_.distinct,
                              .filter = request_.filter,
                              .output = OutputColumn{.id = {}, .name = request_.name, .type = std::move(type)}});
  }

  /// The nullability of what is NULL for groups without values.
  SqlType OfValues(const SqlType& type) const {
    const bool nullable =
        request_.arguments.front().type.nullable() || !request_.never_empty || request_.filter.has_value();
    return type.WithNullability(nullable);
  }

  Result<Scalar> Count() const {
    if (request_.arguments.size() > 1) {
      return Error(ErrorCode::kUnsupported, "COUNT takes one value")
          .Hint("count a ROW or the rows of SELECT DISTINCT a, b");
    }
    if (!request_.star && request_.arguments.empty()) return WrongArguments(request_, "* or value");
    return Add(AggregateFunction::kCount, DataType::BigInt().NotNull());
  }

  Scalar Sum(const Scalar& value) const {
    SqlType type = value.type;
    if (type.data().kind() == TypeKind::kDecimal) type = DataType::Decimal(38, type.data().scale());
    return Add(AggregateFunction::kSum, {value}, OfValues(type));
  }

  Result<Scalar> Converted(const Scalar& value, const DataType& type) const {
    BRAID_TRY_ASSIGN(EmittedCall call, ResolveCast(ToArgument(value), type, false, analysis_.calls()));
    Scalar converted = ToScalar(std::move(call), std::span(&value, 1));
    converted.type = OfValues(type);
    return converted;
  }

  Result<Scalar> Arithmetic() const {
    if (!argument().type.is_value() || !argument().type.data().is_numeric()) return WrongArguments(request_, "NUMERIC");
    if (request_.name == "SUM") return Sum(argument());
    if (request_.name == "AVG") return Average();
    return Variance();
  }

  /// The type in which Flink gives averages and variances.
  DataType MeanType() const {
    const DataType& type = argument().type.data();
    return type.kind() == TypeKind::kDecimal ? DataType::Decimal(38, std::max(6, type.scale())) : type.Nullable();
  }

  Result<Scalar> Average() const {
    const DataType& type = argument().type.data();
    Scalar value = argument();
    // Integers are summed as BIGINT and floats as DOUBLE, whatever the result is.
    const bool widens = (type.is_integer() && type.kind() != TypeKind::kBigInt) || type.kind() == TypeKind::kFloat;
    if (widens) {
      const DataType wide = type.is_integer() ? DataType::BigInt() : DataType::Double();
      BRAID_TRY_ASSIGN(EmittedCall cast,
                       ResolveCast(ToArgument(value), wide.WithNullability(type.nullable()), false, analysis_.calls()));
      value = ToScalar(std::move(cast), std::span(&argument(), 1));
    }
    BRAID_TRY_ASSIGN(const Scalar mean, Call(analysis_, "/", {Sum(value), CountOfValues()}));
    return Converted(mean, MeanType());
  }

  Scalar CountOfValues() const { return Add(AggregateFunction::kCount, {argument()}, DataType::BigInt().NotNull()); }

  /// (SUM(x²) − SUM(x)² / n) / n, or / (n − 1): Flink's own formula, in the argument's arithmetic.
  Result<Scalar> Variance() const {
    const std::string& name = request_.name;
    const bool population = name.ends_with("_POP");
    BRAID_TRY_ASSIGN(const Scalar square, Call(analysis_, "*", {argument(), argument()}));
    const Scalar sum = Sum(argument());
    const Scalar count = CountOfValues();
    BRAID_TRY_ASSIGN(const Scalar squared_sum, Call(analysis_, "*", {sum, sum}));
    BRAID_TRY_ASSIGN(const Scalar mean_of_squared_sum, Call(analysis_, "/", {squared_sum, count}));
    BRAID_TRY_ASSIGN(const Scalar difference, Call(analysis_, "-", {Sum(square), mean_of_squared_sum}));
    Scalar divisor = count;
    if (!population) {
      BRAID_TRY_ASSIGN(const Scalar one, LiteralScalar(1, DataType::BigInt()));
      BRAID_TRY_ASSIGN(const Scalar less, Call(analysis_, "-", {count, one}));
      BRAID_TRY_ASSIGN(const Scalar zero, LiteralScalar(0, DataType::BigInt()));
      BRAID_TRY_ASSIGN(divisor, Call(analysis_, "NULLIF", {less, zero}));
    }
    BRAID_TRY_ASSIGN(Scalar variance, Call(analysis_, "/", {difference, divisor}));
    if (name.starts_with("STDDEV")) {
      BRAID_TRY_ASSIGN(const Scalar half, LiteralScalar(0.5, DataType::Double()));
      BRAID_TRY_ASSIGN(variance, Call(analysis_, "POWER", {variance, half}));
    }
    BRAID_TRY_ASSIGN(variance, Converted(variance, MeanType()));
    if (!population) variance.type = variance.type.WithNullability(true);
    return variance;
  }

  Result<Scalar> Extreme() const {
    if (argument().type.is_value() &&
        (argument().type.data().is_nested() || argument().type.data().kind() == TypeKind::kVariant)) {
      return Error(ErrorCode::kInvalidArgument,
                   fmt::format("{} cannot order values of type {}", request_.name, Describe(argument().type)));
    }
    return Add(request_.name == "MIN" ? AggregateFunction::kMin : AggregateFunction::kMax, OfValues(argument().type));
  }

  Result<Scalar> OfAnyType() const {
    const std::string& name = request_.name;
    if (name == "FIRST_VALUE") return Add(AggregateFunction::kFirstValue, OfValues(argument().type));
    if (name == "LAST_VALUE") return Add(AggregateFunction::kLastValue, OfValues(argument().type));
    if (name == "SINGLE_VALUE") return Add(AggregateFunction::kSingleValue, argument().type.WithNullability(true));
    if (!argument().type.is_value()) return WrongArguments(request_, "value");
    if (name == "COLLECT")
      return Add(AggregateFunction::kCollect, DataType::Multiset(argument().type.data()).NotNull());
    return Add(AggregateFunction::kArrayAgg, OfValues(DataType::Array(argument().type.data())));
  }

  Result<Scalar> ListAgg() const {
    const std::vector<Scalar>& arguments = request_.arguments;
    const auto is_text = [](const Scalar& value) { return value.type.is_value() && value.type.data().is_text(); };
    if (arguments.empty() || arguments.size() > 2 || !std::all_of(arguments.begin(), arguments.end(), is_text)) {
      return WrongArguments(request_, "text [, separator]");
    }
    if (arguments.size() == 2 && (!arguments[1].literal || arguments[1].literal->is_null())) {
      return Error(ErrorCode::kInvalidArgument, "the separator of LISTAGG must be a literal and not NULL");
    }
    std::vector<Scalar> all = arguments;
    if (all.size() == 1) {
      BRAID_TRY_ASSIGN(Scalar comma, LiteralScalar(",", DataType::Char(1)));
      all.push_back(std::move(comma));
    }
    SqlType type = OfValues(arguments.front().type);
    return Add(AggregateFunction::kListAgg, std::move(all), std::move(type));
  }

  Result<Scalar> Percentile() const {
    const std::vector<Scalar>& arguments = request_.arguments;
    const auto is_number = [](const SqlType& type) { return type.is_value() && type.data().is_numeric(); };
    if (arguments.size() == 3)
      return Error(ErrorCode::kUnsupported, "PERCENTILE with frequencies is not supported yet");
    if (arguments.size() != 2 || !is_number(arguments[0].type)) return WrongArguments(request_, "NUMERIC, fraction");
    const bool many = arguments[1].type.is_value() && arguments[1].type.data().kind() == TypeKind::kArray;
    if (!many && !is_number(arguments[1].type)) return WrongArguments(request_, "NUMERIC, fraction");
    const DataType result = many ? DataType::Array(DataType::Double()) : DataType::Double();
    std::vector<Scalar> converted;
    for (const auto& [value, type] : {std::pair(arguments[0], DataType::Double()), std::pair(arguments[1], result)}) {
      BRAID_TRY_ASSIGN(EmittedCall cast, ResolveCast(ToArgument(value), type, false, analysis_.calls()));
      converted.push_back(ToScalar(std::move(cast), std::span(&value, 1)));
    }
    return Add(AggregateFunction::kPercentile, std::move(converted), result);
  }

  /// One member's or element's JSON text, without the braces or brackets around it.
  Result<Scalar> JsonPiece(std::string_view constructor) const {
    std::vector<Scalar> all = {SymbolScalar("NULL")};
    all.insert(all.end(), request_.arguments.begin(), request_.arguments.end());
    BRAID_TRY_ASSIGN(Scalar piece, Call(analysis_, constructor, std::move(all)));
    piece.sql = fmt::format("({})[2:-2]", piece.sql);
    return piece;
  }

  Result<Scalar> Json() const {
    const bool object = request_.name == "JSON_OBJECTAGG";
    BRAID_TRY_ASSIGN(Scalar piece, JsonPiece(object ? "JSON_OBJECT" : "JSON_ARRAY"));
    std::vector<Scalar> arguments = {std::move(piece)};
    if (object) {
      if (!argument().type.is_value() || !argument().type.data().is_text())
        return WrongArguments(request_, "KEY text VALUE value");
      arguments.insert(arguments.begin(), argument());
    }
    AggregateCall call{
        .function = object ? AggregateFunction::kJsonObjectAgg : AggregateFunction::kJsonArrayAgg,
        .arguments = std::move(arguments),
        .distinct = request_.distinct,
        .filter = request_.filter,
        .output = OutputColumn{.id = {}, .name = request_.name, .type = DataType::VarChar(2000).NotNull()}};
    if (!request_.json_nulls) {
      BRAID_TRY_ASSIGN(Scalar given, Call(analysis_, "IS NOT NULL", {request_.arguments.back()}));
      if (call.filter) {
        BRAID_TRY_ASSIGN(given, Call(analysis_, "AND", {*call.filter, given}));
      }
      call.filter = std::move(given);
    }
    return add_(std::move(call));
  }

  const Analysis& analysis_;
  const AggregateRequest& request_;
  const CallSink& add_;
};

Result<Scalar> Shift(const Analysis& analysis, const AggregateRequest& request, const CallSink& add) {
  const std::vector<Scalar>& arguments = request.arguments;
  if (arguments.empty() || arguments.size() > 3) return WrongArguments(request, "value [, offset [, default]]");
  if (arguments.front().type.kind() == SqlType::Kind::kNull)
    return Error(ErrorCode::kInvalidArgument, "Illegal use of 'NULL'");
  std::vector<Scalar> all = {arguments.front()};
  SqlType type = arguments.front().type.WithNullability(true);
  if (arguments.size() > 1) {
    if (!arguments[1].type.is_value() || !arguments[1].type.data().is_integer())
      return WrongArguments(request, "value [, offset [, default]]");
    all.push_back(arguments[1]);
  }
  if (arguments.size() > 2) {
    const std::array types = {arguments[0].type, arguments[2].type};
    const std::optional<SqlType> common = CommonType(types);
    if (!common) return WrongArguments(request, "value [, offset [, default of the value's type]]");
    type = *common;
    for (const std::size_t i : {std::size_t{0}, std::size_t{2}}) {
      std::optional<Scalar> converted = ConvertTo(analysis, arguments[i], type);
      if (!converted) return WrongArguments(request, "value [, offset [, default of the value's type]]");
      if (i == 0)
        all.front() = *std::move(converted);
      else
        all.push_back(*std::move(converted));
    }
  }
  const AggregateFunction function = request.name == "LAG" ? AggregateFunction::kLag : AggregateFunction::kLead;
  return add(AggregateCall{.function = function,
                           .arguments = std::move(all),
                           .distinct = false,
                           .filter = {},
                           .output = OutputColumn{.id = {}, .name = request.name, .type = std::move(type)}});
}

}  // namespace

bool IsAggregateName(std::string_view name) {
  return Contains(kAggregateNames, name);
}
bool IsWindowOnlyName(std::string_view name) {
  return Contains(kWindowOnlyNames, name);
}

std::vector<std::string> AggregateFunctionNames() {
  std::vector<std::string> names(kAggregateNames.begin(), kAggregateNames.end());
  names.insert(names.end(), kWindowOnlyNames.begin(), kWindowOnlyNames.end());
  for (const char* name : {"JSON_ARRAYAGG", "JSON_OBJECTAGG"}) names.emplace_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

Result<Scalar> ResolveAggregate(const Analysis& analysis, const AggregateRequest& request, const CallSink& add) {
  return AggregateResolver(analysis, request, add).Resolve();
}

Result<Scalar> ResolveWindowFunction(const Analysis& analysis, const AggregateRequest& request, const CallSink& add) {
  const std::string& name = request.name;
  if (name == "LAG" || name == "LEAD") return Shift(analysis, request, add);
  const SqlType number =
      name == "PERCENT_RANK" || name == "CUME_DIST" ? DataType::Double().NotNull() : DataType::BigInt().NotNull();
  AggregateCall call{.function = {},
                     .arguments = request.arguments,
                     .distinct = false,
                     .filter = {},
                     .output = OutputColumn{.id = {}, .name = name, .type = number}};
  if (name == "NTILE") {
    if (request.arguments.size() != 1 || !request.arguments[0].type.is_value() ||
        !request.arguments[0].type.data().is_integer()) {
      return WrongArguments(request, "number of parts");
    }
    call.function = AggregateFunction::kNtile;
    return add(std::move(call));
  }
  if (!request.arguments.empty()) return WrongArguments(request, "");
  if (name == "ROW_NUMBER")
    call.function = AggregateFunction::kRowNumber;
  else if (name == "RANK")
    call.function = AggregateFunction::kRank;
  else if (name == "DENSE_RANK")
    call.function = AggregateFunction::kDenseRank;
  else if (name == "PERCENT_RANK")
    call.function = AggregateFunction::kPercentRank;
  else
    call.function = AggregateFunction::kCumeDist;
  return add(std::move(call));
}

}  // namespace braid
