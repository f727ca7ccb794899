#include "cli/result_printer.h"

#include <algorithm>
#include <array>
#include <memory>

#include <gmock/gmock.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

using testing::HasSubstr;

// What statements print in one form.
class ResultPrinterTest : public testing::Test {
 protected:
  ResultPrinterTest() {
    session_ =
        std::make_unique<Session>(SessionSettings{.options = Options(Options::Map{{"table.local-time-zone", "UTC"}})});
  }

  std::string Print(std::string_view form, std::initializer_list<const char*> statements) {
    std::FILE* out = std::tmpfile();
    const auto printer = MakeResultPrinter(form, out, false).value();
    for (const char* statement : statements) {
      Result<StatementResult> result = session_->Execute(statement);
      const Status printed = result ? printer->Print(*result, *session_) : Status(result.error());
      if (!printed) {
        EXPECT_THAT(printer->PrintFailure(printed.error()), IsOk());
      }
    }
    std::rewind(out);
    std::string text;
    std::array<char, 4096> buffer;
    for (std::size_t count = 0; (count = std::fread(buffer.data(), 1, buffer.size(), out)) > 0;)
      text.append(buffer.data(), count);
    std::fclose(out);
    return text;
  }

 private:
  std::unique_ptr<Session> session_;
};

// As Flink's SQL client 2.2.1 prints it.
TEST_F(ResultPrinterTest, FramesRowsAsFlinksClient) {
  EXPECT_THAT(Print("tableau",
                    {"SELECT 1 AS `a very long column name, longer than its values`, CAST('2020-01-02' AS DATE) AS d, "
                     "CAST(1.5 AS DOUBLE) AS f, CAST(1 AS DECIMAL(10,2)) AS `dec`, x'00ff' AS b, MAP['k',1] AS m, "
                     "ROW(1,'r') AS r, TIME '01:02:03' AS tm, INTERVAL '1' DAY AS i, TO_TIMESTAMP_LTZ(0, 3) AS l"}),
              testing::StartsWith("+--------------------------------+------------+-----+------+---------+-------+------"
                                  "--+----------+-----------------+-------------------------+\n"
                                  "| a very long column name, lo... |          d |   f |  dec |       b |     m |      "
                                  "r |       tm |               i |                       l |\n"
                                  "+--------------------------------+------------+-----+------+---------+-------+------"
                                  "--+----------+-----------------+-------------------------+\n"
                                  "|                              1 | 2020-01-02 | 1.5 | 1.00 | x'00ff' | {k=1} | (1, "
                                  "r) | 01:02:03 | +1 00:00:00.000 | 1970-01-01 00:00:00.000 |\n"
                                  "+--------------------------------+------------+-----+------+---------+-------+------"
                                  "--+----------+-----------------+-------------------------+\n"
                                  "1 row in set ("));
}

TEST_F(ResultPrinterTest, CountsColumnsOfWideCharacters) {
  EXPECT_THAT(Print("tableau", {"SELECT TRUE AS b, CAST(NULL AS INT) AS nothing, 'ü漢字' AS wide"}),
              testing::StartsWith("+------+---------+-------+\n"
                                  "|    b | nothing |  wide |\n"
                                  "+------+---------+-------+\n"
                                  "| TRUE |  <NULL> | ü漢字 |\n"
                                  "+------+---------+-------+\n"));
  EXPECT_EQ(DisplayWidth("a\xCC\x81"), 1U);  // a combining accent
  EXPECT_EQ(FitDisplayWidth("漢字漢字", 7), "漢字...");
  EXPECT_EQ(FitDisplayWidth("漢字", 4), "漢字");
}

TEST_F(ResultPrinterTest, SaysThatThereAreNoRows) {
  EXPECT_EQ(Print("tableau", {"SHOW VIEWS"}), "Empty set\n");
  EXPECT_THAT(Print("tableau", {"SELECT * FROM (VALUES (1)) AS t(x) WHERE x > 1"}), testing::StartsWith("Empty set ("));
  EXPECT_EQ(Print("tableau", {"SHOW CURRENT CATALOG"}),
            "+----------------------+\n| current catalog name |\n+----------------------+\n|      default_catalog "
            "|\n+----------------------+\n1 row in set\n");
}

TEST_F(ResultPrinterTest, PrintsJsonLinesAndCsv) {
  const char* query =
      "SELECT x, y FROM (VALUES (1, 'a,b'), (2, 'say \"x\"'), (3, ''), (4, CAST(NULL AS STRING))) AS t(x, y) ORDER BY "
      "x";
  EXPECT_EQ(Print("jsonl", {"SET 'a' = 'b'", query}),
            "{\"x\":1,\"y\":\"a,b\"}\n{\"x\":2,\"y\":\"say \\\"x\\\"\"}\n{\"x\":3,\"y\":\"\"}\n{\"x\":4,\"y\":null}\n");
  EXPECT_EQ(Print("csv", {query}), "x,y\n1,\"a,b\"\n2,\"say \"\"x\"\"\"\n3,\"\"\n4,\n");
}

TEST_F(ResultPrinterTest, AnswersEveryStatementWithOneLine) {
  const std::string text = Print("statements", {"SET 'a' = 'b'", "SELECT 'a' AS k, CAST(1.5 AS DOUBLE) AS v ORDER BY k",
                                                "SELECT 1 / x FROM (VALUES (0)) AS t(x)"});
  EXPECT_THAT(text, testing::StartsWith(
                        "{\"stmt\":1,\"kind\":\"OK\"}\n"
                        "{\"stmt\":2,\"kind\":\"RESULT\",\"columns\":[{\"name\":\"k\",\"type\":\"CHAR(1) NOT NULL\"},"
                        "{\"name\":\"v\",\"type\":\"DOUBLE NOT "
                        "NULL\"}],\"ordered\":true,\"rows\":[{\"kind\":\"+I\",\"row\":[\"a\",1.5]}]}\n"
                        "{\"stmt\":3,\"kind\":\"ERROR\",\"error\":\""));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
}

TEST_F(ResultPrinterTest, RefusesAnUnknownForm) {
  EXPECT_THAT(MakeResultPrinter("xml", stdout, false), HasMessage("'xml' is no form of output"));
}

}  // namespace
}  // namespace braid
