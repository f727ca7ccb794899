#include "duck/function_table.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "duck/function_entry_internal.h"
#include "duck/type_mapping.h"

namespace braid {

SqlType SqlType::WithNullability(bool nullable) const {
  SqlType type = *this;
  type.data_ = data_.WithNullability(nullable);
  return type;
}

std::string SqlType::ToString() const {
  const std::string suffix = nullable() ? "" : " NOT NULL";
  switch (kind_) {
    case Kind::kValue: return data_.ToString();
    case Kind::kNull: return "NULL";
    case Kind::kMonths: return "INTERVAL MONTH" + suffix;
    case Kind::kMillis: return "INTERVAL SECOND(3)" + suffix;
    case Kind::kSymbol: return "SYMBOL";
  }
  return {};
}

bool AnyNullable(std::span<const CallArgument> arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [](const CallArgument& argument) {
    return argument.type.kind() != SqlType::Kind::kSymbol && argument.type.nullable();
  });
}

std::string FillTemplate(std::string_view emission, std::span<const CallArgument> arguments,
                         const CallContext& context) {
  std::string sql;
  while (!emission.empty()) {
    const std::size_t open = emission.find('{');
    sql += emission.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = emission.find('}', open);
    const std::string_view name = emission.substr(open + 1, close - open - 1);
    emission.remove_prefix(close + 1);
    if (name == "*") {
      for (std::size_t i = 0; i < arguments.size(); ++i) sql += (i > 0 ? ", " : "") + arguments[i].sql;
    } else if (name == "zone") {
      sql += QuoteDuckText(context.zone);
    } else if (const auto index = ParseInt64(name)) {
      sql += arguments[static_cast<std::size_t>(*index)].sql;
    } else {
      sql += '{' + std::string(name) + '}';
    }
  }
  return sql;
}

std::string DescribeTypes(std::span<const CallArgument> arguments) {
  std::string text = "(";
  for (const CallArgument& argument : arguments) {
    if (text.size() > 1) text += ", ";
    text +=
        argument.type.kind() == SqlType::Kind::kSymbol ? argument.sql : argument.type.WithNullability(true).ToString();
  }
  return text + ")";
}

Error WrongArguments(std::string_view name, std::span<const CallArgument> arguments, std::string_view wanted) {
  return Error(ErrorCode::kInvalidArgument, fmt::format("{} cannot take {}", name, DescribeTypes(arguments)))
      .Hint(fmt::format("it takes ({})", wanted));
}

bool IsText(const SqlType& type) {
  return type.is_value() && type.data().is_text();
}
bool IsNumeric(const SqlType& type) {
  return type.is_value() && type.data().is_numeric();
}
bool IsKind(const SqlType& type, TypeKind kind) {
  return type.is_value() && type.data().kind() == kind;
}

std::string DuckTypeOf(const DataType& type) {
  return ToDuckType(type).value();
}

namespace {

struct Word {
  std::string_view name;
  bool optional = false;
  bool repeated = false;
  bool takes_null = false;
};

std::vector<Word> Words(std::string_view arguments) {
  std::vector<Word> words;
  while (!arguments.empty()) {
    std::string_view name = arguments.substr(0, arguments.find(' '));
    arguments.remove_prefix(std::min(arguments.size(), name.size() + 1));
    Word word;
    if (name.front() == '~') {
      word.takes_null = true;
      name.remove_prefix(1);
    }
    if (name.back() == '?') word.optional = true;
    if (name.back() == '*') word.repeated = true;
    if (word.optional || word.repeated) name.remove_suffix(1);
    word.name = name;
    words.push_back(word);
  }
  return words;
}

bool FitsValue(std::string_view word, const DataType& type) {
  const bool instant = type.is_timestamp();
  if (word == "text") return type.is_text();
  if (word == "bytes") return type.is_bytes();
  if (word == "textbytes") return type.is_text() || type.is_bytes();
  if (word == "bool") return type.kind() == TypeKind::kBoolean;
  if (word == "int") return type.is_integer() && type.kind() != TypeKind::kBigInt;
  if (word == "bigint") return type.is_integer();
  if (word == "exact") return type.is_integer() || type.kind() == TypeKind::kDecimal;
  if (word == "numeric" || word == "double") return type.is_numeric();
  if (word == "date") return type.kind() == TypeKind::kDate;
  if (word == "time") return type.kind() == TypeKind::kTime;
  if (word == "timestamp") return type.kind() == TypeKind::kTimestamp;
  if (word == "ltz") return type.kind() == TypeKind::kTimestampLtz;
  if (word == "instant") return instant;
  if (word == "datetime") return instant || type.kind() == TypeKind::kDate;
  if (word == "temporal") return instant || type.kind() == TypeKind::kDate || type.kind() == TypeKind::kTime;
  if (word == "array") return type.kind() == TypeKind::kArray;
  if (word == "map") return type.kind() == TypeKind::kMap || type.kind() == TypeKind::kMultiset;
  if (word == "row") return type.kind() == TypeKind::kRow;
  return word == "any";
}

bool Fits(const Word& word, const SqlType& type) {
  switch (type.kind()) {
    case SqlType::Kind::kSymbol: return word.name == "symbol";
    case SqlType::Kind::kNull: return word.takes_null;
    case SqlType::Kind::kMonths:
    case SqlType::Kind::kMillis: return word.name == "interval" || word.name == "any";
    case SqlType::Kind::kValue: break;
  }
  return FitsValue(word.name, type.data());
}

/// The words of the arguments one by one, or nullopt if their number or a type does not fit.
std::optional<std::vector<Word>> Match(std::string_view pattern, std::span<const CallArgument> arguments) {
  const std::vector<Word> words = Words(pattern);
  std::vector<Word> matched;
  std::size_t next = 0;
  for (const CallArgument& argument : arguments) {
    if (next == words.size() || !Fits(words[next], argument.type)) return std::nullopt;
    matched.push_back(words[next]);
    if (!words[next].repeated) ++next;
  }
  for (; next < words.size(); ++next) {
    if (!words[next].optional && !words[next].repeated) return std::nullopt;
  }
  return matched;
}

Status CastToWords(std::span<CallArgument> arguments, std::span<const Word> words, const CallContext& context) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].type.is_value()) continue;
    std::optional<DataType> type;
    if (words[i].name == "int") type = DataType::Int();
    if (words[i].name == "bigint") type = DataType::BigInt();
    if (words[i].name == "double") type = DataType::Double();
    if (!type || arguments[i].type.data().kind() == type->kind()) continue;
    BRAID_TRY_ASSIGN(arguments[i], CastArgument(arguments[i], *type, context));
  }
  return Ok();
}

/// Whether the arguments fit a pattern; those that do are cast as it says.
Result<bool> MatchArguments(std::string_view pattern, std::vector<CallArgument>& arguments,
                            const CallContext& context) {
  const std::optional<std::vector<Word>> words = Match(pattern, arguments);
  if (!words) return false;
  BRAID_TRY(CastToWords(arguments, *words, context));
  return true;
}

Result<DataType> ResultType(std::string_view spec, std::span<const CallArgument> arguments) {
  if (spec.front() == '=') return arguments[static_cast<std::size_t>(spec[1] - '0')].type.data();
  if (spec.starts_with("varchar "))
    return DataType::VarChar(std::max(1, arguments[static_cast<std::size_t>(spec[8] - '0')].type.data().length()));
  return ParseDataType(spec);
}

Result<EmittedCall> Emit(const FunctionEntry& entry, Arguments& arguments, const CallContext& context) {
  if (entry.rule != nullptr) {
    BRAID_TRY_ASSIGN(EmittedCall call, entry.rule(arguments, context));
    if (entry.nulls == Nulls::kFromArguments) call.type = call.type.WithNullability(AnyNullable(arguments));
    if (entry.nulls == Nulls::kAlways || entry.nulls == Nulls::kNever)
      call.type = call.type.WithNullability(entry.nulls == Nulls::kAlways);
    return call;
  }
  BRAID_TRY_ASSIGN(const DataType type, ResultType(entry.result, arguments));
  const bool nullable =
      entry.nulls == Nulls::kAlways || (entry.nulls == Nulls::kFromArguments && AnyNullable(arguments));
  return EmittedCall{type.WithNullability(nullable), FillTemplate(entry.emission, arguments, context)};
}

using Index = std::map<std::string_view, std::vector<const FunctionEntry*>, std::less<>>;

const Index& Table() {
  static const Index table = [] {
    Index index;
    for (const auto& entries : {ArithmeticEntries(), ComparisonEntries(), LogicalEntries(), ConditionEntries(),
                                NumberEntries(), TextEntries(), TimeEntries(), CollectionEntries(), JsonEntries()}) {
      for (const FunctionEntry& entry : entries) index[entry.name].push_back(&entry);
    }
    return index;
  }();
  return table;
}

/// Names that are syntax rather than functions.
bool IsOperator(std::string_view name) {
  static const std::set<std::string_view> names = [] {
    std::set<std::string_view> operators;
    for (const auto& entries : {ArithmeticEntries(), ComparisonEntries(), LogicalEntries()}) {
      for (const FunctionEntry& entry : entries) operators.insert(entry.name);
    }
    return operators;
  }();
  return names.contains(name) || name.find(' ') != std::string_view::npos;
}

/// What Flink has and Braid lacks.
constexpr std::array<std::string_view, 7> kUnsupported = {"PRINTF", "OBJECT_OF", "OBJECT_UPDATE",    "JSON", "PERCENTILE",
                                                          "MULTISET", "CURRENT_WATERMARK"};

Error UnknownFunction(std::string_view name) {
  if (std::find(kUnsupported.begin(), kUnsupported.end(), ToUpper(name)) != kUnsupported.end()) {
    return Error(ErrorCode::kUnsupported, fmt::format("the function {} is not supported", ToUpper(name)));
  }
  Error error(ErrorCode::kNotFound, fmt::format("there is no function {}", name));
  const std::vector<std::string> names = ScalarFunctionNames();
  if (const auto nearest = NearestName(name, names))
    return std::move(error).Hint(fmt::format("did you mean {}?", *nearest));
  return error;
}

}  // namespace

Result<EmittedCall> ResolveCall(std::string_view name, std::vector<CallArgument> arguments,
                                const CallContext& context) {
  const std::string upper = ToUpper(name);
  const auto found = Table().find(upper);
  if (found == Table().end()) return UnknownFunction(name);
  std::string wanted;
  for (const FunctionEntry* entry : found->second) {
    BRAID_TRY_ASSIGN(const bool fits, MatchArguments(entry->arguments, arguments, context));
    if (fits) return Emit(*entry, arguments, context);
    wanted += (wanted.empty() ? "" : ") or (") + Join(Split(entry->arguments, ' '), ", ");
  }
  for (const CallArgument& argument : arguments) {
    if (argument.type.kind() == SqlType::Kind::kNull) {
      return Error(ErrorCode::kInvalidArgument, fmt::format("{} cannot take a NULL without a type", upper))
          .Hint("write CAST(NULL AS type)");
    }
  }
  return WrongArguments(upper, arguments, wanted);
}

bool HasScalarFunction(std::string_view name) {
  const std::string upper = ToUpper(name);
  return Table().contains(upper) && !IsOperator(upper);
}

std::vector<std::string> ScalarFunctionNames() {
  std::vector<std::string> names;
  for (const auto& [name, entries] : Table()) {
    if (!IsOperator(name)) names.emplace_back(name);
  }
  return names;
}

}  // namespace braid
