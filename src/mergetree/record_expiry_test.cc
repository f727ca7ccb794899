#include "base/result_matchers.h"
#include "mergetree/key_value_testing.h"
#include "mergetree/record_expiry_internal.h"

namespace braid {
namespace {

constexpr std::int64_t kNowMs = 1'700'000'000'999;

KeyValueSchema WithTime(DataType type) {
  return SchemaOf({Field(0, "k", DataType::BigInt().NotNull()), Field(1, "t", std::move(type))}, 1);
}

Options Hour(std::string field = "t") {
  return Options({{"record-level.expire-time", "1 h"}, {"record-level.time-field", std::move(field)}});
}

TEST(RecordExpiryTest, DropsRowsOlderThanTheirLifetime) {
  struct Case {
    std::string name;
    DataType type;
    Datum last_kept;
    Datum first_over;
  };
  const std::int64_t limit = kNowMs / 1000 - 3600;
  const std::vector<Case> cases = {
      {"INT counts seconds", DataType::Int(), limit, limit - 1},
      {"BIGINT counts seconds", DataType::BigInt(), limit, limit - 1},
      {"or milliseconds, if that many", DataType::BigInt(), limit * 1000, limit * 1000 - 1},
      {"timestamp", DataType::Timestamp(3), Timestamp{limit * 1000, 0}, Timestamp{limit * 1000 - 1, 0}},
      {"instant", DataType::TimestampLtz(9), Timestamp{limit * 1000, 0}, Timestamp{limit * 1000 - 1, 999'999}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const KeyValueSchema schema = WithTime(c.type);
    BRAID_ASSERT_OK_AND_ASSIGN(const std::optional<RecordExpiry> expiry, RecordExpiry::Make(Hour(), schema));
    const Batch batch = KeyValueBatch(schema, {{{1, c.last_kept}}, {{2, c.first_over}}, {{3, Datum()}}});
    BRAID_ASSERT_OK_AND_ASSIGN(const Batch fresh, expiry->Fresh(batch, kNowMs));
    EXPECT_THAT(RowsOf(schema, {fresh}),
                testing::ElementsAre(KeyValueRow{{1, c.last_kept}}, KeyValueRow{{3, Datum()}}));
  }
}

TEST(RecordExpiryTest, NeedsATimeField) {
  const KeyValueSchema schema = WithTime(DataType::String());
  BRAID_ASSERT_OK_AND_ASSIGN(const std::optional<RecordExpiry> none, RecordExpiry::Make(Options(), schema));
  EXPECT_FALSE(none);
  EXPECT_THAT(RecordExpiry::Make(Options(Options::Map{{"record-level.expire-time", "1 h"}}), schema),
              HasMessage("names no column"));
  EXPECT_THAT(RecordExpiry::Make(Hour("x"), schema), HasMessage("'x'"));
  EXPECT_THAT(RecordExpiry::Make(Hour(), schema), HasMessage("STRING"));
}

}  // namespace
}  // namespace braid
