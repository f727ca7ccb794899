// Every scalar expression whose result Flink 2.2.1 gave (tests/data/flink/expressions.jsonl): type and value, or an
// error.

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <arrow/api.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "base/result_matchers.h"
#include "base/text.h"
#include "duck/engine.h"
#include "duck/flink_expression_testing.h"
#include "duck/flink_text.h"
#include "duck/function_table.h"
#include "syntax/parser.h"
#include "types/batch.h"
#include "types/cast.h"

namespace braid {
namespace {

/// A value in the form of the fixture (its README).
Json ToJson(const Datum& value, const DataType& type) {
  if (value.is_null()) return nullptr;
  switch (type.kind()) {
    case TypeKind::kBoolean: return value.as_bool();
    case TypeKind::kTinyInt:
    case TypeKind::kSmallInt:
    case TypeKind::kInt:
    case TypeKind::kBigInt: return value.as_int();
    case TypeKind::kFloat:
    case TypeKind::kDouble: {
      const double number = type.kind() == TypeKind::kFloat ? value.as_float() : value.as_double();
      if (std::isnan(number)) return "NaN";
      if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
      return number;
    }
    case TypeKind::kBinary:
    case TypeKind::kVarBinary: return ToHex(value.as_string());
    case TypeKind::kTime: {
      std::string text;
      AppendFlinkTime(value.as_int() * 1000, value.as_int() % 1000 == 0 ? 0 : 3, text);
      return text;
    }
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: {
      const Timestamp at = value.as_timestamp();
      const std::int64_t seconds = at.millis / 1000 - (at.millis % 1000 < 0 ? 1 : 0);
      std::string text;
      AppendFlinkTimestamp(
          {seconds, static_cast<std::int32_t>((at.millis - seconds * 1000) * 1'000'000 + at.nanos_of_milli)},
          type.precision(), text);
      text[text.find(' ')] = 'T';
      return type.kind() == TypeKind::kTimestamp ? text : text + "Z";
    }
    case TypeKind::kArray: {
      Json::Array array;
      for (const Datum& element : value.as_list()) array.push_back(ToJson(element, type.element()));
      return array;
    }
    case TypeKind::kMap: {
      Json::Array entries;
      for (const Datum& entry : value.as_list()) {
        entries.emplace_back(
            Json::Array{ToJson(entry.as_list()[0], type.key()), ToJson(entry.as_list()[1], type.element())});
      }
      return entries;
    }
    case TypeKind::kRow: {
      Json::Object row;
      for (std::size_t i = 0; i < type.fields().size(); ++i)
        row.emplace_back(type.fields()[i].name, ToJson(value.as_list()[i], type.fields()[i].type));
      return row;
    }
    default: return FormatDatum(value, type);
  }
}

bool Same(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) {
    if (a.is_integer() && b.is_integer()) return a == b;
    const double x = a.as_double();
    const double y = b.as_double();
    // FLOATs are printed with the fewest digits that tell them apart.
    return x == y || std::fabs(x - y) <= 1e-12 * std::fabs(y) || static_cast<float>(x) == static_cast<float>(y);
  }
  if (a.is_array() && b.is_array() && a.as_array().size() == b.as_array().size()) {
    for (std::size_t i = 0; i < a.as_array().size(); ++i) {
      if (!Same(a.as_array()[i], b.as_array()[i])) return false;
    }
    return true;
  }
  return a == b;
}

std::string TypeText(const SqlType& type) {
  std::string text = type.ToString();
  for (std::size_t at = text.find(" WITH LOCAL TIME ZONE"); at != std::string::npos;
       at = text.find(" WITH LOCAL TIME ZONE")) {
    text.erase(at, std::string_view(" WITH LOCAL TIME ZONE").size());
    const std::size_t begin = text.rfind("TIMESTAMP(", at);
    text.replace(begin, 9, "TIMESTAMP_LTZ");
  }
  return text;
}

class FlinkExpressionsTest : public testing::Test {
 protected:
  void SetUp() override {
    Result<std::unique_ptr<DuckEngine>> engine = DuckEngine::Open({});
    ASSERT_THAT(engine, IsOk());
    engine_ = std::move(engine).value();
    Result<std::unique_ptr<DuckConnection>> connection = engine_->Connect();
    ASSERT_THAT(connection, IsOk());
    connection_ = std::move(connection).value();
  }

  Result<Json> Evaluate(const EmittedCall& call, const std::vector<std::string>& columns) {
    const DataType type = call.type.is_value() ? call.type.data() : DataType::BigInt();
    std::string sql = "SELECT " + call.sql;
    if (!columns.empty()) {
      sql += " FROM (SELECT ";
      for (std::size_t i = 0; i < columns.size(); ++i)
        sql += fmt::format("{}CASE WHEN r >= 0 THEN {} END AS l{}", i > 0 ? ", " : "", columns[i], i);
      sql += " FROM range(3) t(r))";
    }
    BRAID_TRY_ASSIGN(const auto result, connection_->Query(sql, std::vector{type}));
    BRAID_TRY_ASSIGN(const std::vector<Batch> batches, ReadAllBatches(*result));
    const std::int64_t last = batches.at(0).row_count() - 1;
    const Json value = ToJson(DatumAt(*batches.at(0).rows->column(0), 0, type), type);
    if (value != ToJson(DatumAt(*batches.at(0).rows->column(0), last, type), type))
      return Error(ErrorCode::kInternal, "rows differ");
    if (call.type.is_interval())
      return Json(Json::Object{{call.type.kind() == SqlType::Kind::kMonths ? "months" : "millis", value}});
    return value;
  }

  /// Empty if the expression gives what the case says, else what is wrong.
  std::string Check(const Json& c, Resolver::Literals literals) {
    CallContext context;
    if (const Json* settings = c.Find("settings")) {
      if (const Json* zone = settings->Find("table.local-time-zone")) context.zone = zone->as_string();
    }
    const Json* error = c.Find("error");
    const bool wants_null = error != nullptr && error->as_string().starts_with("EnforcerException");
    const Result<syntax::Expression> parsed = syntax::ParseExpression(c.Find("expr")->as_string());
    if (!parsed) return error != nullptr ? "" : "does not parse: " + parsed.error().message();
    Resolver resolver(context, literals);
    const Result<EmittedCall> call = resolver.Resolve(*parsed);
    if (!call) return error != nullptr && !wants_null ? "" : "does not resolve: " + call.error().message();
    const Result<Json> value = Evaluate(*call, resolver.columns());
    if (error != nullptr) {
      if (wants_null) return value && value->is_null() ? "" : "is not NULL";
      return value ? "gives " + PrintJson(*value) + " instead of an error" : "";
    }
    if (!value) return "fails: " + value.error().message() + " in " + call->sql;
    const std::string type = TypeText(call->type);
    if (c.Find("type") != nullptr && type != c.Find("type")->as_string()) return "has type " + type;
    if (c.Find("value") == nullptr) return "";
    // What a planner's constant folding gives counts less than what its generated code does.
    const Json* runtime = c.Find("runtime");
    const Json* other = runtime != nullptr && runtime->is_object() ? runtime->Find("value") : nullptr;
    if (!Same(*value, *c.Find("value")) && !(other != nullptr && Same(*value, *other)))
      return "gives " + PrintJson(*value) + " by " + call->sql;
    return "";
  }

  /// Checks every case and returns how many there are.
  int CheckAll(Resolver::Literals literals) {
    std::ifstream file(BRAID_SOURCE_DIR "/tests/data/flink/expressions.jsonl");
    int count = 0;
    for (std::string line; std::getline(file, line); ++count) {
      const Result<Json> c = ParseJson(line);
      EXPECT_THAT(c, IsOk()) << line;
      const std::string& expression = c->Find("expr")->as_string();
      const std::string problem = Check(*c, literals);
      const Json* settings = c->Find("settings");
      const Json* zone = settings == nullptr ? nullptr : settings->Find("table.local-time-zone");
      // Where an expression stands more than once, its zone tells which.
      const bool known = KnownDeviations().contains(expression) ||
                         (zone != nullptr && KnownDeviations().contains(expression + " in " + zone->as_string()));
      EXPECT_TRUE(problem.empty() || known) << expression << "\n  " << problem << "\n  Flink: " << line;
      EXPECT_FALSE(problem.empty() && known) << expression << " agrees with Flink now: no deviation any more";
    }
    return count;
  }

  /// Where we differ, and why.
  static const std::map<std::string, std::string>& KnownDeviations() {
    static const std::map<std::string, std::string> deviations = {
        {"1 = ANY (SELECT 1)", "queries are not for this layer"},
        {"NULL", "refused by the SQL layer"},
        {"1 != 2", "refused by the SQL layer"},
        {"CURRENT_DATABASE()", "replaced by the SQL layer"},
        {"CURRENT_DATE", "replaced by the SQL layer"},
        {"CURRENT_TIME", "replaced by the SQL layer"},
        {"CURRENT_TIMESTAMP", "replaced by the SQL layer"},
        {"LOCALTIME", "replaced by the SQL layer"},
        {"LOCALTIMESTAMP", "replaced by the SQL layer"},
        {"NOW()", "replaced by the SQL layer"},
        {"PROCTIME()", "replaced by the SQL layer"},
        {"UNIX_TIMESTAMP()", "replaced by the SQL layer"},
        {"PERCENTILE(1, 0.5)", "an aggregate"},
        {"RAND(1)", "unsupported: seeds"},
        {"RAND_INTEGER(1, 10)", "unsupported: seeds"},
        {"PRINTF('%d %s %.2f', 1, 'a', 2.5)", "unsupported"},
        {"PRINTF('%d', 'a')", "unsupported"},
        {"PRINTF(CAST(NULL AS STRING), 1)", "unsupported"},
        {"OBJECT_OF('com.example.User', 'name', 'Bob', 'age', 42)", "unsupported: structured types"},
        {"OBJECT_UPDATE(OBJECT_OF('com.example.User', 'name', 'Bob', 'age', 42), 'age', 43)",
         "unsupported: structured types"},
        {"MAP[CAST(NULL AS STRING), 1]", "batches hold no NULL keys; refused by name"},
        {"INTERVAL '1' WEEK", "Flink takes a week as an hour"},
        {"CEIL(TIMESTAMP '2020-05-17 10:11:12.987' TO WEEK)", "Flink's result lies before its argument"},
        {"EXTRACT(HOUR FROM TO_TIMESTAMP_LTZ(0, 3)) in America/New_York", "Flink gives -5, which is no hour of a day"},
        {"HOUR(TO_TIMESTAMP_LTZ(0, 3)) in America/New_York", "likewise"},
        {"TRY_CAST('T' AS DECIMAL(5,2))", "Flink reads T as 0"},
        {"TRY_CAST('0' AS DATE)", "Flink's TRY_CAST fails"},
        {"CAST('0.1' AS DECIMAL(1,1))", "Flink counts the zero before the point"},
        {"CAST(CAST('NaN' AS DOUBLE) AS FLOAT)", "Flink's planner fails to fold it"},
        {"CAST(CAST('Infinity' AS DOUBLE) AS FLOAT)", "likewise"},
    };
    return deviations;
  }

  std::unique_ptr<DuckEngine> engine_;
  std::unique_ptr<DuckConnection> connection_;
};

TEST_F(FlinkExpressionsTest, GiveWhatFlinkGivesWhenFolded) {
  EXPECT_EQ(CheckAll(Resolver::Literals::kInline), 1294);
}

TEST_F(FlinkExpressionsTest, GiveWhatFlinkGivesOnColumns) {
  EXPECT_EQ(CheckAll(Resolver::Literals::kColumns), 1294);
}

}  // namespace
}  // namespace braid
