#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "types/batch.h"
#include "types/cast.h"
#include "types/predicate.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

DataField Field(std::string name, std::string_view type) {
  Result<DataType> parsed = ParseDataType(type);
  BRAID_CHECK(parsed.has_value());
  return {FieldId(0), std::move(name), *std::move(parsed), std::nullopt, std::nullopt};
}

std::vector<DataField> FiltersTable() {
  return {Field("id", "INT"),  Field("s", "STRING"),        Field("d", "DOUBLE"),  Field("dec", "DECIMAL(10, 2)"),
          Field("dt", "DATE"), Field("ts", "TIMESTAMP(3)"), Field("b", "BOOLEAN"), Field("l", "BIGINT")};
}

Datum Parsed(std::string_view text, const DataField& field) { return *ParseDatum(text, field.type); }

/// The rows of the golden table filters/g.append; the id of the last one, which is NULL there, is 8 here.
std::vector<DatumList> FiltersRows() {
  const std::vector<DataField> fields = FiltersTable();
  const double infinity = std::numeric_limits<double>::infinity();
  const auto row = [&fields](Datum id, Datum s, Datum d, const char* dec, const char* dt, const char* ts, Datum b,
                             Datum l) {
    return DatumList{std::move(id),         std::move(s),          std::move(d), Parsed(dec, fields[3]),
                     Parsed(dt, fields[4]), Parsed(ts, fields[5]), std::move(b), std::move(l)};
  };
  const std::int64_t max = std::numeric_limits<std::int64_t>::max();
  return {
      row(1, "alpha", 1.5, "1.00", "2024-01-01", "2024-01-01T00:00:00", true, 1),
      row(2, "beta", -0.0, "-1.00", "2024-01-02", "2024-01-02T12:00:00", false, 2),
      row(3, "", 0.0, "0.00", "1969-12-31", "1969-12-31T23:59:59.999", Datum(), -1),
      {4, Datum(), std::nan(""), Datum(), Datum(), Datum(), Datum(), Datum()},
      row(5, "alphabet", infinity, "99999999.99", "9999-12-31", "9999-12-31T00:00:00", true, max),
      row(6, "al%pha_", -infinity, "0.01", "2024-01-01", "2024-01-01T00:00:00.001", false, -max - 1),
      row(7, "中文", 2.0, "2.00", "2024-02-29", "2024-02-29T00:00:00", true, 7),
      row(Datum(), "ALPHA", 1.5, "1.00", "2024-01-01", "2024-01-01T00:00:00", true, 1),
  };
}

struct FilterCase {
  std::string filter;
  std::vector<int> rows;  // numbers from 1
};

// What Java Paimon reads, from the golden case filters.
std::vector<FilterCase> JavaFilters() {
  return {
      {"id = 1", {1}},
      {"id <> 1", {2, 3, 4, 5, 6, 7}},
      {"id < 3", {1, 2}},
      {"id <= 3", {1, 2, 3}},
      {"id > 5", {6, 7}},
      {"id >= 5", {5, 6, 7}},
      {"id IN (1, 2, 100)", {1, 2}},
      {"id NOT IN (1, 2)", {3, 4, 5, 6, 7}},
      {"id BETWEEN 2 AND 4", {2, 3, 4}},
      {"id IS NULL", {8}},
      {"id IS NOT NULL", {1, 2, 3, 4, 5, 6, 7}},
      {"s = ''", {3}},
      {"s LIKE 'al%'", {1, 5, 6}},
      {"s LIKE '%pha%'", {1, 5, 6}},
      {"s LIKE '%a'", {1, 2}},
      {"s LIKE 'a_pha'", {1}},
      {"s LIKE 'al\\%pha\\_'", {6}},
      {"s LIKE 'alpha'", {1}},
      {"s > 'alpha'", {2, 5, 7}},
      {"s < 'a'", {3, 8}},
      {"d = 0", {3}},
      {"d = 'NaN'", {4}},
      {"d > 1.5", {4, 5, 7}},
      {"d < 0", {2, 6}},
      {"d = '-0.0'", {2}},
      {"d >= 'Infinity'", {4, 5}},
      {"dec = 1", {1, 8}},
      {"dec > 0.005", {1, 5, 7, 8}},
      {"dec IN (1, 0.01)", {1, 6, 8}},
      {"dt = '2024-01-01'", {1, 6, 8}},
      {"dt < '1970-01-01'", {3}},
      {"ts > '2024-01-01T00:00:00'", {2, 5, 6, 7}},
      {"ts <= '1970-01-01T00:00:00'", {3}},
      {"b = true", {1, 5, 7, 8}},
      {"b <> true", {2, 6}},
      {"b IS NULL", {3, 4}},
      {"l > 9223372036854775806", {5}},
      {"l < 0", {3, 6}},
      {"id = 1 OR s = ''", {1, 3}},
      {"(id = 1 OR id = 2) AND b = false", {2}},
      {"id > 1 AND d IS NOT NULL AND s <> 'beta'", {3, 5, 6, 7}},
      {"id NOT IN (1) AND (s IS NULL OR l = 7)", {4, 7}},
  };
}

// By SQL's rules for NULL, by hand.
std::vector<FilterCase> MoreFilters() {
  return {
      {"NOT id = 1", {2, 3, 4, 5, 6, 7}},
      {"NOT (id < 3 OR b IS NULL)", {5, 6, 7}},
      {"not not id = 1", {1}},
      {"NOT (id > 1 AND s LIKE 'a%')", {1, 2, 3, 7, 8}},
      {"s NOT LIKE '%a%'", {3, 7, 8}},
      {"s NOT LIKE 'a%'", {2, 3, 7, 8}},
      {"NOT s LIKE '%a'", {3, 5, 6, 7, 8}},
      {"s NOT LIKE 'alpha'", {2, 3, 5, 6, 7, 8}},
      {"s LIKE '__'", {7}},
      {"s IN ('beta', 'it''s', '中文')", {2, 7}},
      {"s NOT IN ('beta', NULL)", {}},
      {"s IN ('beta', NULL)", {2}},
      {"s BETWEEN 'a' AND 'b'", {1, 5, 6}},
      {"s NOT BETWEEN 'a' AND 'b'", {2, 3, 7, 8}},
      {"id NOT BETWEEN 2 AND 6", {1, 7}},
      {"id NOT BETWEEN 6 AND 2", {1, 2, 3, 4, 5, 6, 7}},
      {"id NOT BETWEEN NULL AND 6", {7}},
      {"id NOT BETWEEN 2 AND NULL", {1}},
      {"id BETWEEN NULL AND 6", {}},
      {"id = NULL", {}},
      {"NOT id = NULL", {}},
      {"`id` = 1 and dt = DATE '2024-01-01'", {1}},
      {"ts = TIMESTAMP '2024-01-01 00:00:00.001'", {6}},
      {"b = 'false' OR b=TRUE", {1, 2, 5, 6, 7, 8}},
      {"l >= -9223372036854775808", {1, 2, 3, 5, 6, 7, 8}},
      {"l < -9223372036854775808 OR l > 9223372036854775807", {}},
      {"TRUE", {1, 2, 3, 4, 5, 6, 7, 8}},
      {"id = 1 AND FALSE", {}},
      {"d NOT IN (0, 1.5)", {2, 4, 5, 6, 7}},
      {"d <> 'NaN'", {1, 2, 3, 5, 6, 7, 8}},
      {"dec >= -1 and dec != 1.004", {2, 3, 5, 6, 7}},
  };
}

void ExpectRows(const FilterCase& c) {
  SCOPED_TRACE(c.filter);
  const std::vector<DataField> fields = FiltersTable();
  const std::vector<DatumList> rows = FiltersRows();
  BRAID_ASSERT_OK_AND_ASSIGN(const PredicatePtr predicate, ParseFilter(c.filter, fields));
  std::vector<int> tested;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (predicate->Test(fields, rows[i])) tested.push_back(static_cast<int>(i) + 1);
  }
  EXPECT_EQ(tested, c.rows) << "by Test";
  BRAID_ASSERT_OK_AND_ASSIGN(const Batch batch, MakeBatch(fields, rows));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<std::int32_t> positions, predicate->Select(batch));
  std::vector<int> selected;
  for (const std::int32_t position : positions) selected.push_back(position + 1);
  EXPECT_EQ(selected, c.rows) << "by Select";
  // The printed form means the same.
  BRAID_ASSERT_OK_AND_ASSIGN(const PredicatePtr again, ParseFilter(predicate->ToString(), fields));
  EXPECT_EQ(again->ToString(), predicate->ToString());
  EXPECT_THAT(again->Select(batch), HasValue(testing::Eq(positions)));
}

TEST(FilterParserTest, SelectsTheRowsThatJavaReads) {
  for (const FilterCase& c : JavaFilters()) ExpectRows(c);
}

TEST(FilterParserTest, SelectsTheRowsThatSqlWould) {
  for (const FilterCase& c : MoreFilters()) ExpectRows(c);
}

TEST(FilterParserTest, ReadsTheFiltersOfOtherGoldenTables) {
  struct Case {
    std::string type;
    std::string filter;  // of column c
    std::string printed;
  };
  const std::vector<Case> cases = {
      {"STRING", "c = '7'", "c = '7'"},
      {"INT", "c IN (1, 2, 99)", "c IN (1, 2, 99)"},
      {"STRING", "c = 'a/b'", "c = 'a/b'"},
      {"SMALLINT", "c < 0", "c < 0"},
      {"STRING", "c = '-5'", "c = '-5'"},
      {"INT", "c IN (12, -2147483648)", "c IN (12, -2147483648)"},
      {"BIGINT", "c BETWEEN -3 AND 101", "c BETWEEN -3 AND 101"},
      {"TIMESTAMP(6)", "c >= '1970-01-01T00:00:00'", "c >= '1970-01-01 00:00:00.000000'"},
      {"DECIMAL(38, 10)", "c > 0", "c > 0.0000000000"},
      {"DOUBLE", "c > 1e308", "c > '1.0E308'"},
      {"TIMESTAMP(3) WITH LOCAL TIME ZONE", "c = '2024-07-01T00:00:00.001Z'", "c = '2024-07-01 00:00:00.001'"},
      {"STRING", "c >= 'zzz' OR c = 'it''s'", "c >= 'zzz' OR c = 'it''s'"},
      {"BYTES", "c = '00ff' OR c = X'0a'", "c = x'00ff' OR c = x'0a'"},
      {"TIME(3)", "c < '01:02:03.004'", "c < '01:02:03.004'"},
      {"VARCHAR(3)", "c = 'longer'", "c = 'longer'"},
      {"FLOAT", "c = 0.1", "c = '0.1'"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.filter);
    const std::vector<DataField> fields = {Field("c", c.type)};
    BRAID_ASSERT_OK_AND_ASSIGN(const PredicatePtr predicate, ParseFilter(c.filter, fields));
    EXPECT_EQ(predicate->ToString(), c.printed);
  }
}

TEST(FilterParserTest, SaysWhatIsWrongAndWhere) {
  std::vector<DataField> fields = FiltersTable();
  fields.push_back(Field("amount", "DOUBLE"));
  fields.push_back(Field("list", "ARRAY<INT>"));
  struct Case {
    std::string filter;
    std::string message;
  };
  const std::vector<Case> cases = {
      {"", "at position 1: expected the name of a column, found the end"},
      {"id", "at position 3: expected a comparison after id, found the end"},
      {"id = ", "at position 6: expected a number for column id of type INT, found the end"},
      {"id = x", "at position 6: expected a number for column id of type INT, found 'x'"},
      {"id = 1.5", "expected a number for column id of type INT, found '1.5'"},
      {"id = 2147483648", "expected a number for column id of type INT, found '2147483648'"},
      {"s = abc", "at position 5: expected text in single quotes for column s of type STRING, found 'abc'"},
      {"dt = 2024", "expected a date such as '2024-02-29'"},
      {"dt = '2024'", "expected a date such as '2024-02-29'"},
      {"dt = '2024-02-30'", "found '2024-02-30'"},
      {"ts = 'yesterday'", "expected a timestamp such as"},
      {"dec = 123456789.1", "expected a number for column dec of type DECIMAL(10, 2), found '123456789.1'"},
      {"b = 2", "expected true or false for column b of type BOOLEAN, found '2'"},
      {"s = 'open", "the quote ' at position 5 is not closed"},
      {"id = 1 id = 2", "at position 8: expected AND, OR or the end, found 'id'"},
      {"(id = 1", "expected ), found the end"},
      {"id NOT 1", "at position 8: expected IN, BETWEEN or LIKE, found '1'"},
      {"id IN ()", "expected a number for column id"},
      {"id IS NOT", "expected NULL, found the end"},
      {"id LIKE '1%'", "LIKE takes text, but column id is INT"},
      {"s LIKE 'a\\b'", "expected a pattern in which only %, _ and \\ follow a \\"},
      {"list = 1", "column list of type ARRAY<INT> can be tested for NULL only"},
      {"amont > 1", "the filter names an unknown column amont at position 1\n  try: did you mean amount?"},
      {"zzzzzzzz > 1", "the columns are id, s, d"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.filter);
    const Result<PredicatePtr> predicate = ParseFilter(c.filter, fields);
    EXPECT_THAT(predicate, IsError(ErrorCode::kInvalidArgument));
    EXPECT_THAT(predicate, HasMessage(c.message));
  }
  EXPECT_THAT(ParseFilter("list IS NULL", fields), IsOk());
  EXPECT_THAT(ParseFilter(std::string(10000, '('), fields), HasMessage("at most 500 parentheses"));
}

}  // namespace
}  // namespace braid
