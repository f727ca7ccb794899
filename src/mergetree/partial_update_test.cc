#include <algorithm>
#include <map>
#include <optional>
#include <random>

#include <fmt/format.h>

#include "base/result_matchers.h"
#include "mergetree/key_value_testing.h"
#include "mergetree/merge_reader.h"

namespace braid {
namespace {

using testing::ElementsAre;

constexpr RowKind kDelete = RowKind::kDelete;
constexpr RowKind kUpdateBefore = RowKind::kUpdateBefore;

/// k BIGINT key; s INT orders a STRING, n BIGINT; t INT and u INT order b STRING; f INT is free.
KeyValueSchema WideSchema() {
  return SchemaOf({Field(0, "k", DataType::BigInt().NotNull()), Field(1, "a", DataType::String()),
                   Field(2, "s", DataType::Int()), Field(3, "n", DataType::BigInt()), Field(4, "t", DataType::Int()),
                   Field(5, "u", DataType::Int()), Field(6, "b", DataType::String()), Field(7, "f", DataType::Int())},
                  1);
}

Options With(Options::Map options) {
  options.emplace("merge-engine", "partial-update");
  return Options(std::move(options));
}

Options::Map Groups() {
  return {
      {"fields.s.sequence-group", "a,n"}, {"fields.t,u.sequence-group", "b"}, {"fields.n.aggregate-function", "sum"}};
}

Result<std::vector<KeyValueRow>> Merged(const KeyValueSchema& schema, const Options& options,
                                        const std::vector<std::vector<KeyValueRow>>& runs) {
  BRAID_TRY_ASSIGN(auto function, MakeMergeFunction(options, schema));
  std::vector<std::unique_ptr<BatchReader>> readers;
  for (const auto& run : runs) readers.push_back(ReaderOf(schema, run));
  BRAID_TRY_ASSIGN(const auto reader, MakeMergeReader(schema, std::move(readers), std::move(function), {}));
  BRAID_TRY_ASSIGN(const std::vector<Batch> batches, ReadAllBatches(*reader));
  return RowsOf(schema, batches);
}

TEST(PartialUpdateTest, FillsInColumnsThatAreThere) {
  const KeyValueSchema schema = SmallSchema();
  EXPECT_THAT(Merged(schema, With({}),
                     {{{{1, "a", Datum()}, 0}, {{2, "x", 5}, 1}}, {{{1, Datum(), 7}, 2}, {{2, Datum(), Datum()}, 3}}}),
              HasValue(ElementsAre(KeyValueRow{{1, "a", 7}, 2}, KeyValueRow{{2, "x", 5}, 3})));
}

TEST(PartialUpdateTest, TakesRetractionsAsOptionsSay) {
  const KeyValueSchema schema = SmallSchema();
  const std::vector<std::vector<KeyValueRow>> runs = {{{{1, "a", 1}, 0}}, {{{1, "gone", Datum()}, 1, kDelete}}};
  EXPECT_THAT(Merged(schema, With({}), runs), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Merged(schema, With({{"ignore-delete", "true"}}), runs),
              HasValue(ElementsAre(KeyValueRow{{1, "a", 1}, 0})));
  const Options removing = With({{"partial-update.remove-record-on-delete", "true"}});
  EXPECT_THAT(Merged(schema, removing, runs), HasValue(ElementsAre(KeyValueRow{{1, "gone", Datum()}, 1, kDelete})));
  EXPECT_THAT(Merged(schema, removing, {runs[0], runs[1], {{{1, Datum(), 3}, 2}}}),
              HasValue(ElementsAre(KeyValueRow{{1, "gone", 3}, 2})));
  EXPECT_THAT(Merged(schema, removing, {runs[0], {{{1, "gone", 2}, 1, kUpdateBefore}}}),
              HasValue(ElementsAre(KeyValueRow{{1, "a", 1}, 1})));
}

TEST(PartialUpdateTest, RefusesOptionsThatContradict) {
  const KeyValueSchema schema = WideSchema();
  const std::vector<std::pair<Options::Map, std::string>> cases = {
      {{{"ignore-delete", "true"}, {"partial-update.remove-record-on-delete", "true"}}, "exclude each other"},
      {{{"fields.s.sequence-group", "a"}, {"partial-update.remove-record-on-delete", "true"}}, "exclude each other"},
      {{{"fields.s.sequence-group", "a"}, {"partial-update.remove-record-on-sequence-group", "t"}},
       "orders no sequence"},
      {{{"fields.s.sequence-group", "a"}, {"fields.t.sequence-group", "a"}}, "two sequence groups"},
      {{{"fields.n.aggregate-function", "sum"}}, "in no sequence group"},
  };
  for (const auto& [options, message] : cases) {
    EXPECT_THAT(MakeMergeFunction(With(options), schema), HasMessage(message)) << message;
  }
}

/// One column of the model, from the documentation: the value and, for sum, how it changes.
class Model {
 public:
  Model(const KeyValueSchema& schema, const Options& options) : options_(options) {
    grouped_ = options.Has("fields.s.sequence-group");
    removing_ = options.Get("partial-update.remove-record-on-sequence-group", "");
    row_.resize(schema.value_fields.size());
  }

  /// What rows of one key, oldest first, become.
  KeyValueRow Merge(const std::vector<KeyValueRow>& rows) {
    if (rows.size() == 1) return rows[0];
    for (const KeyValueRow& row : rows) Add(row);
    const bool gone = deleted_ || !inserted_;
    return {row_, sequence_, gone ? kDelete : RowKind::kInsert};
  }

 private:
  struct Group {
    std::vector<std::size_t> ordering;
    std::vector<std::size_t> members;
  };
  static constexpr std::size_t kSum = 3;

  static bool NotLess(const DatumList& a, const DatumList& b, const std::vector<std::size_t>& columns) {
    for (const std::size_t column : columns) {
      if (a[column].is_null() && b[column].is_null()) continue;
      if (a[column].is_null()) return false;
      if (b[column].is_null()) return true;
      const auto order = CompareDatums(a[column], b[column]);
      if (order != std::strong_ordering::equal) return order == std::strong_ordering::greater;
    }
    return true;
  }
  static Datum Plus(const Datum& a, const Datum& b, std::int64_t sign) {
    if (b.is_null()) return a;
    return Datum((a.is_null() ? 0 : a.as_int()) + sign * b.as_int());
  }

  void Add(const KeyValueRow& row) {
    deleted_ = false;
    const bool adds = IsAdd(row.kind);
    if (!adds) {
      if (!filled_) row_ = row.values;
      filled_ = true;
      if (options_.Get("ignore-delete", "") == "true") return;
    }
    sequence_ = row.sequence_number;
    row_[0] = row.values[0];
    if (!adds && !grouped_) {
      if (row.kind == kDelete) {
        deleted_ = true;
        row_ = row.values;
      }
      return;
    }
    const std::vector<Group> groups =
        grouped_ ? std::vector<Group>{{{2}, {1, 3}}, {{4, 5}, {6}}} : std::vector<Group>();
    std::vector<bool> in_group(row_.size(), false);
    if (!adds && row.kind == kDelete) {
      for (const Group& group : groups) {
        const bool named = (removing_ == "s" && group.ordering[0] == 2) || (removing_ == "t" && group.ordering[0] == 4);
        if (!named || IsEmpty(row, group) || !NotLess(row.values, row_, group.ordering)) continue;
        deleted_ = true;
        row_ = row.values;
        return;
      }
    }
    for (const Group& group : groups) {
      for (const std::size_t column : group.ordering) in_group[column] = true;
      for (const std::size_t column : group.members) in_group[column] = true;
      if (IsEmpty(row, group)) continue;
      const bool newer = NotLess(row.values, row_, group.ordering);
      for (const std::size_t column : group.members) {
        if (column == kSum) {
          row_[column] = Plus(row_[column], row.values[column], adds ? 1 : -1);
        } else if (newer) {
          row_[column] = adds ? row.values[column] : Datum();
        }
      }
      if (!newer) continue;
      for (const std::size_t column : group.ordering) row_[column] = row.values[column];
    }
    if (!adds) return;
    for (std::size_t column = 0; column < row_.size(); ++column) {
      if (!in_group[column] && !row.values[column].is_null()) row_[column] = row.values[column];
    }
    inserted_ = true;
    filled_ = true;
  }
  static bool IsEmpty(const KeyValueRow& row, const Group& group) {
    return std::all_of(group.ordering.begin(), group.ordering.end(),
                       [&](std::size_t column) { return row.values[column].is_null(); });
  }

  const Options& options_;
  bool grouped_ = false;
  std::string removing_;
  DatumList row_;
  std::int64_t sequence_ = 0;
  bool deleted_ = false;
  bool inserted_ = false;
  bool filled_ = false;
};

void CheckAgainstModel(std::mt19937_64& random) {
  Options::Map map;
  if (random() % 4 != 0) {
    map = Groups();
    if (random() % 2 == 0)
      map.emplace("partial-update.remove-record-on-sequence-group", random() % 2 == 0 ? "s" : "t");
    else if (random() % 3 == 0)
      map.emplace("ignore-delete", "true");
  } else {
    map.emplace(random() % 2 == 0 ? "ignore-delete" : "partial-update.remove-record-on-delete", "true");
  }
  const Options options = With(map);
  for (const auto& [key, value] : options.values()) SCOPED_TRACE(key + "=" + value);
  const KeyValueSchema schema = WideSchema();
  const auto number = [&](int of) {
    return random() % 3 == 0 ? Datum() : Datum(static_cast<std::int64_t>(random() % static_cast<unsigned>(of)));
  };
  const auto text = [&] { return random() % 3 == 0 ? Datum() : Datum(fmt::format("t{}", random() % 100)); };

  std::vector<std::vector<KeyValueRow>> runs(1 + random() % 5);
  std::map<std::int64_t, std::vector<KeyValueRow>> by_key;
  std::int64_t sequence = 0;
  for (auto& run : runs) {
    for (std::int64_t key = 0; key < 20; ++key) {
      if (random() % 2 == 0) continue;
      const RowKind kind = random() % 4 != 0 ? RowKind::kInsert : random() % 2 == 0 ? kDelete : kUpdateBefore;
      run.push_back(
          {{Datum(key), text(), number(4), number(10), number(2), number(3), text(), number(10)}, sequence++, kind});
      by_key[key].push_back(run.back());
    }
  }
  std::vector<KeyValueRow> expected;
  for (const auto& [key, rows] : by_key) expected.push_back(Model(schema, options).Merge(rows));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<KeyValueRow> merged, Merged(schema, options, runs));
  EXPECT_EQ(merged, expected);
}

TEST(PartialUpdateTest, EqualsARowByRowModelUnderRandomOptions) {
  const std::uint64_t seed = TestSeed();
  SCOPED_TRACE(fmt::format("BRAID_TEST_SEED={}", seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 300 && !testing::Test::HasFailure(); ++round) CheckAgainstModel(random);
}

}  // namespace
}  // namespace braid
