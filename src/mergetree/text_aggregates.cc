// Aggregate function listagg.

#include <unordered_set>

#include "mergetree/datum_aggregate_internal.h"

namespace braid {
namespace {

std::vector<std::string_view> SplitTokens(std::string_view text, std::string_view delimiter) {
  std::vector<std::string_view> tokens;
  if (delimiter.empty()) return {text};
  while (true) {
    const std::size_t end = text.find(delimiter);
    tokens.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return tokens;
    text.remove_prefix(end + delimiter.size());
  }
}

/// Texts one behind the other with a delimiter between them; empty ones do not count.
class ListAgg : public DatumFunction {
 public:
  ListAgg(std::string delimiter, bool distinct) : delimiter_(std::move(delimiter)), distinct_(distinct) {}

  Result<Datum> Aggregate(Datum value, Datum input) const override {
    if (value.is_null()) return input;
    if (input.is_null() || input.as_string().empty()) return value;
    if (value.as_string().empty()) return input;
    if (distinct_) return AppendNewTokens(value.as_string(), input.as_string());
    std::string text = std::get<std::string>(std::move(value));
    text += delimiter_;
    text += input.as_string();
    return Datum(std::move(text));
  }

 private:
  Datum AppendNewTokens(const std::string& value, const std::string& input) const {
    std::unordered_set<std::string_view> known;
    for (const std::string_view token : SplitTokens(value, delimiter_)) known.insert(token);
    std::string text = value;
    for (const std::string_view token : SplitTokens(input, delimiter_)) {
      if (token.empty() || !known.insert(token).second) continue;
      text += delimiter_;
      text += token;
    }
    return Datum(std::move(text));
  }

  std::string delimiter_;
  bool distinct_;
};

}  // namespace

Result<FieldAggregatePtr> MakeTextAggregate(std::string_view function, const DataField& field, const Options& options) {
  if (function != "listagg") return FieldAggregatePtr();
  if (field.type.kind() != TypeKind::kVarChar || field.type.length() != DataType::kMaxLength) {
    return TypeNotTaken(function, field, "STRING");
  }
  BRAID_TRY_ASSIGN(const bool distinct, options.GetBool(FieldOption(field.name, "distinct"), false));
  std::string delimiter = options.Get(FieldOption(field.name, "list-agg-delimiter"), ",");
  return MakeDatumAggregate(function, field, std::make_shared<const ListAgg>(std::move(delimiter), distinct));
}

}  // namespace braid
