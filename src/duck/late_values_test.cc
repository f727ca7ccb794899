#include "duck/late_values.h"

#include <memory>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "duck/engine.h"
#include "duck/scan_function.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::StartsWith;
using testing::UnorderedElementsAre;

constexpr std::int64_t kLong = 8;

std::shared_ptr<arrow::Array> Texts(const std::vector<std::string>& texts) {
  arrow::StringBuilder builder;
  for (const std::string& text : texts) {
    EXPECT_TRUE((text == "NULL" ? builder.AppendNull() : builder.Append(text)).ok());
  }
  return builder.Finish().ValueOrDie();
}

std::vector<std::string> TextsOf(const arrow::Array& column) {
  std::vector<std::string> texts;
  const auto& values = static_cast<const arrow::BinaryArray&>(column);
  for (std::int64_t row = 0; row < values.length(); ++row)
    texts.push_back(values.IsNull(row) ? "NULL" : values.GetString(row));
  return texts;
}

TEST(LateValuesTest, RefersToLongValuesAlone) {
  LateValues values(kLong);
  const std::shared_ptr<arrow::Array> column = Texts({"short", "NULL", "12345678", "1234567", "a long one", "12345678"});
  BRAID_ASSERT_OK_AND_ASSIGN(const auto references, values.WithReferences(column));
  EXPECT_TRUE(references->type()->Equals(column->type()));
  const std::vector<std::string> texts = TextsOf(*references);
  ASSERT_THAT(texts, ElementsAre("short", "NULL", StartsWith("(long value "), "1234567", StartsWith("(long value "),
                                 StartsWith("(long value ")));
  EXPECT_EQ(texts[2], texts[5]);
  EXPECT_NE(texts[2], texts[4]);
  EXPECT_THAT(TextsOf(*values.Find(texts[2])), ElementsAre("12345678"));
  EXPECT_THAT(TextsOf(*values.Find(texts[4])), ElementsAre("a long one"));
  EXPECT_EQ(values.Find("short"), nullptr);
}

TEST(LateValuesTest, EqualValuesOfOtherColumnsHaveTheSameReference) {
  LateValues values(kLong);
  BRAID_ASSERT_OK_AND_ASSIGN(const auto first, values.WithReferences(Texts({"same value"})));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto second, values.WithReferences(Texts({"another value", "same value"})));
  EXPECT_EQ(TextsOf(*first)[0], TextsOf(*second)[1]);
}

TEST(LateValuesTest, DoesNotKnowTheReferencesOfOthers) {
  LateValues values(kLong);
  LateValues others(kLong);
  BRAID_ASSERT_OK_AND_ASSIGN(const auto references, values.WithReferences(Texts({"a long one"})));
  EXPECT_EQ(others.Find(TextsOf(*references)[0]), nullptr);
}

TEST(LateValuesTest, LeavesColumnsWithoutThem) {
  LateValues values(kLong);
  const std::shared_ptr<arrow::Array> column = Texts({"short", "NULL"});
  BRAID_ASSERT_OK_AND_ASSIGN(const auto same, values.WithReferences(column));
  EXPECT_EQ(same, column);
}

class LateColumnsTest : public testing::Test {
 protected:
  LateColumnsTest() {
    EngineSettings settings;
    settings.late_value_bytes = kLong;
    engine_ = DuckEngine::Open(settings).value();
    connection_ = engine_->Connect().value();
  }

  ScanRegistration Register(const std::vector<std::string>& keys, const std::vector<std::string>& texts,
                            std::shared_ptr<LateValues> values) {
    const auto field = [](const char* name) {
      return DataField{.id = FieldId(0), .name = name, .type = DataType::String(), .description = {}, .default_value = {}};
    };
    const auto schema = arrow::schema({arrow::field("k", arrow::utf8()), arrow::field("v", arrow::utf8())});
    std::vector<Batch> batches = {
        {arrow::RecordBatch::Make(schema, static_cast<std::int64_t>(keys.size()), {Texts(keys), Texts(texts)}), nullptr}};
    return engine_->Register(MakeBatchSource("t", {field("k"), field("v")}, std::move(batches)),
                             {.positions = {1}, .values = std::move(values)});
  }

  std::vector<std::string> Rows(const std::string& sql) {
    const auto result = connection_->Query(sql).value();
    std::vector<std::string> rows;
    for (;;) {
      const std::optional<Batch> batch = result->Next().value();
      if (!batch) return rows;
      for (std::int64_t row = 0; row < batch->row_count(); ++row) {
        std::string text;
        for (const auto& column : batch->rows->columns()) text += "|" + TextsOf(*column->Slice(row, 1))[0];
        rows.push_back(text);
      }
    }
  }

  std::unique_ptr<DuckEngine> engine_;
  std::unique_ptr<DuckConnection> connection_;
};

TEST_F(LateColumnsTest, ValuesComeBackInTheirRows) {
  const auto scan = Register({"a", "b", "c", "d"}, {"the first value", "short", "NULL", "the last value"},
                             engine_->MakeLateValues());
  EXPECT_THAT(Rows("SELECT k, v FROM " + scan.sql() + " ORDER BY k DESC"),
              ElementsAre("|d|the last value", "|c|NULL", "|b|short", "|a|the first value"));
}

TEST_F(LateColumnsTest, DuckDbHasReferencesAlone) {
  const auto scan = Register({"a", "b"}, {std::string(1000, 'x'), "short"}, engine_->MakeLateValues());
  EXPECT_THAT(Rows("SELECT k, CAST(length(v) < 200 AS VARCHAR) FROM " + scan.sql() + " ORDER BY k"),
              ElementsAre("|a|true", "|b|true"));
}

TEST_F(LateColumnsTest, ReferencesOutliveTheScanInTables) {
  const std::shared_ptr<LateValues> values = engine_->MakeLateValues();
  {
    const auto scan = Register({"a", "b"}, {"an equal value", "an equal value"}, values);
    ASSERT_THAT(connection_->Execute("CREATE TEMP TABLE kept AS SELECT * FROM " + scan.sql()), IsOk());
  }
  {
    const auto scan = Register({"a", "c"}, {"an equal value", "another value"}, values);
    ASSERT_THAT(connection_->Execute("INSERT INTO kept SELECT * FROM " + scan.sql()), IsOk());
  }
  EXPECT_THAT(Rows("SELECT k, v, CAST(count(*) AS VARCHAR) FROM kept GROUP BY ALL"),
              UnorderedElementsAre("|a|an equal value|2", "|b|an equal value|1", "|c|another value|1"));
}

TEST_F(LateColumnsTest, OtherTextsOfTheRowsStay) {
  const auto scan = Register({"a key that is long", "b"}, {"short", "a long value"}, engine_->MakeLateValues());
  EXPECT_THAT(Rows("SELECT v, k, upper(k) FROM " + scan.sql() + " ORDER BY k"),
              ElementsAre("|short|a key that is long|A KEY THAT IS LONG", "|a long value|b|B"));
}

}  // namespace
}  // namespace braid
