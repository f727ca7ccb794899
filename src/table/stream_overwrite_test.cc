// Streams of key tables through overwrites (`streaming-read-overwrite`); what is expected is what Java Paimon 1.4.2 gave for
// the same writes.

#include <gtest/gtest.h>

#include "table/table_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const DataType kInt = DataType::Int();

class StreamOverwriteTest : public testing::Test {
 protected:
  void Create(std::vector<std::pair<std::string, DataType>> columns, std::vector<std::string> keys, Options::Map options,
              std::vector<std::string> partition_keys = {}) {
    options.insert({{"bucket", "1"}, {"write-only", "true"}, {"streaming-read-overwrite", "true"}});
    BRAID_ASSERT_OK_AND_ASSIGN(table_, CreateTestTable(fs_, TestDefinition(std::move(columns), std::move(keys), std::move(options),
                                                                           std::move(partition_keys))));
  }

  void Overwrite(const std::vector<DatumList>& rows, std::map<std::string, std::string> partition, const std::vector<RowKind>& kinds = {}) {
    Committable committable;
    if (!rows.empty()) {
      BRAID_ASSERT_OK_AND_ASSIGN(committable.messages, WriteRows(*table_, rows, kinds));
    }
    ASSERT_THAT(TableCommit(*table_, "user").Overwrite(committable, {.partition = std::move(partition), .dynamic = false}), IsOk());
  }

  // The changes of one snapshot as "kind row", bucket by bucket.
  std::vector<std::string> ChangesOf(std::int64_t snapshot, const PredicatePtr& filter = nullptr) {
    const Result<Table> from = table_->With(Options(Options::Map{{"scan.snapshot-id", std::to_string(snapshot)}}));
    EXPECT_THAT(from, IsOk());
    const ReadRequest request{.projection = {}, .filter = filter};
    const auto stream = StreamScan::Open(*from, request);
    EXPECT_THAT(stream, IsOk());
    const auto plan = (*stream)->Next();
    EXPECT_THAT(plan, IsOk());
    const auto reader = ReadPlan(*from, **plan, request);
    EXPECT_THAT(reader, IsOk());
    const auto batches = ReadAllBatches(**reader);
    EXPECT_THAT(batches, IsOk());
    std::vector<std::string> rows;
    for (const Batch& batch : *batches) {
      for (std::int64_t row = 0; row < batch.row_count(); ++row) {
        std::string& text = rows.emplace_back(std::string(RowKindName(batch.kind(row))) + " ");
        AppendRowJson(batch, row, table_->schema().fields, text);
      }
    }
    return rows;
  }

  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>();
  std::optional<Table> table_;
};

TEST_F(StreamOverwriteTest, TakesBackWhatWasThereAndBringsWhatCame) {
  Create({{"p", kInt}, {"k", kInt}, {"v", DataType::String()}}, {"p", "k"}, {}, {"p"});
  ASSERT_THAT(Insert(*table_, {{1, 1, "a"}, {1, 2, "b"}, {2, 1, "c"}}), IsOk());
  ASSERT_THAT(Insert(*table_, {{1, 2, "b2"}, {1, 1, "a"}, {1, 4, "d"}}, {RowKind::kInsert, RowKind::kDelete, RowKind::kInsert}), IsOk());
  Overwrite({{1, 2, "x"}, {1, 5, "y"}}, {{"p", "1"}});
  Overwrite({}, {{"p", "2"}});
  EXPECT_THAT(ChangesOf(3), ElementsAre(R"(-D {"p":1,"k":2,"v":"b2"})", R"(-D {"p":1,"k":4,"v":"d"})", R"(+I {"p":1,"k":2,"v":"x"})",
                                        R"(+I {"p":1,"k":5,"v":"y"})"));
  EXPECT_THAT(ChangesOf(4), ElementsAre(R"(-D {"p":2,"k":1,"v":"c"})"));
  const PredicatePtr is_x = Predicate::Leaf(Predicate::Op::kEqual, "v", DataType::String(), {"x"});
  EXPECT_THAT(ChangesOf(3, is_x), ElementsAre(R"(+I {"p":1,"k":2,"v":"x"})"));
}

TEST_F(StreamOverwriteTest, ShowsMergedRowsAlone) {
  Create({{"k", kInt}, {"v", kInt}}, {"k"}, {{"merge-engine", "aggregation"}, {"fields.v.aggregate-function", "sum"}});
  ASSERT_THAT(Insert(*table_, {{1, 1}, {2, 2}}), IsOk());
  ASSERT_THAT(Insert(*table_, {{1, 10}}), IsOk());
  Overwrite({{1, 100}}, {});
  EXPECT_THAT(ChangesOf(3), ElementsAre(R"(-D {"k":1,"v":11})", R"(-D {"k":2,"v":2})", R"(+I {"k":1,"v":100})"));
}

TEST_F(StreamOverwriteTest, LeavesOutRetractionsThatAnOverwriteBrings) {
  Create({{"k", kInt}, {"v", DataType::String()}}, {"k"}, {{"changelog-producer", "input"}});
  Overwrite({{2, "c"}, {3, "d"}, {4, "e"}}, {}, {RowKind::kInsert, RowKind::kDelete, RowKind::kUpdateAfter});
  EXPECT_THAT(ChangesOf(1), ElementsAre(R"(+I {"k":2,"v":"c"})", R"(+U {"k":4,"v":"e"})"));
}

TEST_F(StreamOverwriteTest, OverwritesAreLeftOutUnlessAskedFor) {
  Create({{"k", kInt}}, {"k"}, {});
  ASSERT_THAT(Insert(*table_, {{1}}), IsOk());
  Overwrite({{2}}, {});
  BRAID_ASSERT_OK_AND_ASSIGN(table_, table_->With(Options(Options::Map{{"streaming-read-overwrite", "false"}})));
  EXPECT_THAT(ChangesOf(2), IsEmpty());
}

TEST_F(StreamOverwriteTest, RefusesChangelogsThatHaveThemAlready) {
  for (const char* producer : {"lookup", "full-compaction"}) {
    fs_ = std::make_shared<MemoryFileSystem>();
    Create({{"k", kInt}}, {"k"}, {{"changelog-producer", producer}, {"streaming-read-overwrite", "false"}});
    BRAID_ASSERT_OK_AND_ASSIGN(const Table asked, table_->With(Options(Options::Map{{"streaming-read-overwrite", "true"}})));
    EXPECT_THAT(StreamScan::Open(asked, {}), IsError(ErrorCode::kInvalidArgument));
  }
}

}  // namespace
}  // namespace braid
