// BLOB columns whose values are told by descriptors: `blob-descriptor-field`, `blob-external-storage-field`,
// `blob-as-descriptor`.

#include <string>

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "format/blob_descriptor.h"
#include "table/blob_source.h"
#include "table/column_update.h"
#include "table/row_range_compaction.h"
#include "table/table_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

const DataType kInt = DataType::Int();

class BlobReferencesTest : public testing::Test {
 protected:
  // Columns id, raw (in `.blob` files) and b (as the options say).
  Table Make(Options::Map options) {
    options.emplace("row-tracking.enabled", "true");
    options.emplace("data-evolution.enabled", "true");
    Result<Table> table = CreateTestTable(fs_, TestDefinition({{"id", kInt}, {"raw", DataType::Blob()}, {"b", DataType::Blob()}}, {}, std::move(options)));
    EXPECT_THAT(table, IsOk());
    EXPECT_THAT(fs_->Replace("/media/a.bin", "0123456789"), IsOk());
    return *std::move(table);
  }

  static std::string Described(const std::string& uri, std::int64_t offset = 0, std::int64_t length = -1) {
    return PrintBlobDescriptor({.uri = uri, .offset = offset, .length = length});
  }

  // The column's value in the only row, as bytes.
  static Result<Datum> OnlyValue(const Table& table, const std::string& column) {
    const ReadRequest request{.projection = std::vector<std::string>{column}, .filter = nullptr};
    BRAID_TRY_ASSIGN(const Plan plan, PlanBatch(table, request));
    BRAID_TRY_ASSIGN(const auto reader, ReadPlan(table, plan, request));
    BRAID_TRY_ASSIGN(const std::vector<Batch> batches, ReadAllBatches(*reader));
    EXPECT_EQ(batches.size(), 1U);
    return DatumAt(*batches.at(0).rows->column(0), 0, DataType::Blob());
  }

  std::vector<std::string> FilesBelow(const std::string& folder) const {
    std::vector<std::string> names;
    const Result<std::vector<FileInfo>> files = fs_->List(folder);
    EXPECT_THAT(files, IsOk());
    for (const FileInfo& file : *files) names.push_back(file.name);
    return names;
  }

  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>();
};

TEST_F(BlobReferencesTest, AreReadAsWhatTheyNameOrAsDescriptors) {
  const Table table = Make({{"blob-descriptor-field", "b"}});
  ASSERT_THAT(Insert(table, {{1, Datum(), Described("/media/a.bin", 2, 3)}, {2, Datum(), Datum()}, {3, Datum(), Described("/media/a.bin")}}), IsOk());
  EXPECT_THAT(SortedRows(table), HasValue(ElementsAre(R"({"id":1,"raw":null,"b":"323334"})", R"({"id":2,"raw":null,"b":null})",
                                                      R"({"id":3,"raw":null,"b":"30313233343536373839"})")));
  ASSERT_THAT(TruncateTable(table, "user"), IsOk());
  ASSERT_THAT(Insert(table, {{1, Datum(), Described("/media/a.bin", 2, 3)}}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const Table described, table.With(Options(Options::Map{{"blob-as-descriptor", "true"}})));
  BRAID_ASSERT_OK_AND_ASSIGN(const Datum value, OnlyValue(described, "b"));
  EXPECT_EQ(value.as_string(), Described("/media/a.bin", 2, 3));
}

TEST_F(BlobReferencesTest, InsertedDescriptorsStandForTheirBytes) {
  const Table table = Make({});
  ASSERT_THAT(Insert(table, {{1, Described("/media/a.bin", 4, 2), "plain"}}), IsOk());
  ASSERT_THAT(fs_->Delete("/media/a.bin"), IsOk());
  EXPECT_THAT(SortedRows(table), HasValue(ElementsAre(R"({"id":1,"raw":"3435","b":"706c61696e"})")));
}

TEST_F(BlobReferencesTest, ValuesInBlobFilesHaveDescriptorsToo) {
  const Table table = Make({});
  ASSERT_THAT(Insert(table, {{1, "value", Datum()}}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const Table described, table.With(Options(Options::Map{{"blob-as-descriptor", "true"}})));
  BRAID_ASSERT_OK_AND_ASSIGN(const Datum bytes, OnlyValue(described, "raw"));
  BRAID_ASSERT_OK_AND_ASSIGN(const BlobDescriptor descriptor, ParseBlobDescriptor(bytes.as_string()));
  EXPECT_EQ(descriptor.offset, 4);  // behind the magic number of the first record
  EXPECT_EQ(descriptor.length, 5);
  EXPECT_THAT(BlobSource::OfTable(table).Read(descriptor), HasValue(std::string("value")));
}

TEST_F(BlobReferencesTest, OnlyDescriptorsGoWhereTheyAreAskedFor) {
  const Table table = Make({{"blob-descriptor-field", "b"}});
  EXPECT_THAT(Insert(table, {{1, Datum(), "value"}}), IsError(ErrorCode::kInvalidArgument));
}

TEST_F(BlobReferencesTest, ExternalColumnsPutValuesIntoFilesOutside) {
  const Table table = Make({{"blob-descriptor-field", "b"},
                            {"blob-external-storage-field", "b"},
                            {"blob-external-storage-path", "/outside/"},
                            {"blob.target-file-size", "40 b"}});
  ASSERT_THAT(Insert(table, {{1, "r", "one"}, {2, "s", ""}, {3, "t", Described("/media/a.bin", 1, 2)}, {4, "u", Datum()}}), IsOk());
  // 19 and 16 bytes, then 18: the last fills the file.
  EXPECT_EQ(FilesBelow("/outside").size(), 1U);
  ASSERT_THAT(fs_->Delete("/media/a.bin"), IsOk());
  EXPECT_THAT(SortedRows(table), HasValue(ElementsAre(R"({"id":1,"raw":"72","b":"6f6e65"})", R"({"id":2,"raw":"73","b":""})",
                                                      R"({"id":3,"raw":"74","b":"3132"})", R"({"id":4,"raw":"75","b":null})")));
  ASSERT_THAT(Insert(table, {{5, Datum(), "next"}}), IsOk());
  EXPECT_EQ(FilesBelow("/outside").size(), 2U);
  const PredicatePtr is_one = Predicate::Leaf(Predicate::Op::kEqual, "b", DataType::Blob(), {"one"});
  EXPECT_THAT(SortedRows(table, {.projection = std::vector<std::string>{"id"}, .filter = is_one}), HasValue(ElementsAre(R"({"id":1})")));
}

TEST_F(BlobReferencesTest, NobodyFindsExternalFilesOfWritersThatFail) {
  const Table table = Make({{"blob-descriptor-field", "b"}, {"blob-external-storage-field", "b"}, {"blob-external-storage-path", "/outside"}});
  EXPECT_THAT(Insert(table, {{1, Datum(), "value"}, {2, Datum(), Described("/media/nothing")}}), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(FilesBelow("/outside"), IsEmpty());
}

TEST_F(BlobReferencesTest, RefusesValuesThatCannotBeHad) {
  const Table table = Make({{"blob-descriptor-field", "b"}});
  struct Case {
    std::string descriptor;
    ErrorCode error;
  };
  const std::vector<Case> cases = {
      {Described("hdfs://name/a"), ErrorCode::kUnsupported},
      {Described("http://host/a"), ErrorCode::kUnsupported},
      {Described("relative/a.bin"), ErrorCode::kUnsupported},
      {Described(""), ErrorCode::kUnsupported},
      {Described("/media/nothing"), ErrorCode::kNotFound},
      {Described("/media/a.bin", 8, 3), ErrorCode::kCorruption},
      {Described("/media/a.bin", 11), ErrorCode::kCorruption},
      {Described("/media/a.bin", 1, INT64_MAX), ErrorCode::kCorruption},
  };
  for (const Case& c : cases) {
    ASSERT_THAT(TruncateTable(table, "user"), IsOk());
    ASSERT_THAT(Insert(table, {{1, Datum(), c.descriptor}}), IsOk());
    EXPECT_THAT(SortedRows(table), IsError(c.error)) << c.descriptor;
    const ReadRequest others{.projection = std::vector<std::string>{"id"}, .filter = nullptr};
    EXPECT_THAT(SortedRows(table, others), HasValue(ElementsAre(R"({"id":1})")));
    EXPECT_THAT(Insert(table, {{1, c.descriptor, Datum()}}), IsError(c.error)) << c.descriptor;
  }
}

TEST_F(BlobReferencesTest, OutsideMustBeOfTheTablesStorage) {
  const Table table = Make({{"blob-descriptor-field", "b"}, {"blob-external-storage-field", "b"}, {"blob-external-storage-path", "s3://bucket/p"}});
  EXPECT_THAT(Insert(table, {{1, Datum(), "value"}}), IsError(ErrorCode::kUnsupported));
}

TEST_F(BlobReferencesTest, AreChangedAndMerged) {
  const Table table = Make({{"blob-descriptor-field", "b"}});
  ASSERT_THAT(Insert(table, {{1, "r", Described("/media/a.bin", 0, 1)}, {2, "s", Described("/media/a.bin", 1, 1)}}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(auto rows, AddressedRows::Make(table));
  EXPECT_THAT(ColumnUpdate::Make(rows, {"raw"}), IsError(ErrorCode::kUnsupported));
  BRAID_ASSERT_OK_AND_ASSIGN(ColumnUpdate update, ColumnUpdate::Make(rows, {"b"}));
  BRAID_ASSERT_OK_AND_ASSIGN(const Batch values, MakeBatch(update.fields(), std::vector<DatumList>{{Described("/media/a.bin", 9)}}));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto file, MakeConstantColumn(Datum(0), kInt, 1));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto at, MakeConstantColumn(Datum(std::int64_t{1}), DataType::BigInt(), 1));
  ASSERT_THAT(update.Add(static_cast<const arrow::Int32Array&>(*file), static_cast<const arrow::Int64Array&>(*at), values), IsOk());
  Committable committable;
  BRAID_ASSERT_OK_AND_ASSIGN(committable.messages, update.Finish());
  ASSERT_THAT(TableCommit(table, "user").Commit(committable), IsOk());
  const auto is_as_expected = HasValue(ElementsAre(R"({"id":1,"raw":"72","b":"30"})", R"({"id":2,"raw":"73","b":"39"})"));
  EXPECT_THAT(SortedRows(table), is_as_expected);
  BRAID_ASSERT_OK_AND_ASSIGN(rows, AddressedRows::Make(table));
  BRAID_ASSERT_OK_AND_ASSIGN(committable.messages, CompactRowRanges(*rows, {.target_bytes = 1 << 20, .min_files = 2}));
  ASSERT_THAT(committable.messages, Not(IsEmpty()));
  ASSERT_THAT(TableCommit(table, "user").Commit(committable), IsOk());
  EXPECT_THAT(SortedRows(table), is_as_expected);
}

}  // namespace
}  // namespace braid
