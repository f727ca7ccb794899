#include "mergetree/key_value_file.h"

#include <fmt/format.h>

#include "base/result_matchers.h"
#include "io/memory_file_system.h"
#include "mergetree/data_file_options.h"
#include "mergetree/key_value_testing.h"

namespace braid {
namespace {

class KeyValueFileTest : public testing::Test {
 protected:
  std::unique_ptr<KeyValueRollingWriter> OpenWriter(const Options& options, int level = 0,
                                                    FileSource source = FileSource::kAppend) {
    const auto factory = MakeKeyValueWriterFactory({fs_, "/t/bucket-0", schema_, SchemaId(3), options, &clock_});
    EXPECT_THAT(factory, IsOk());
    auto writer = (*factory)->OpenData(level, source);
    EXPECT_THAT(writer, IsOk());
    return *std::move(writer);
  }

  std::vector<KeyValueRow> ReadBack(const std::vector<DataFileMeta>& files) {
    PlainKeyValueReaderFactory readers(fs_, "/t/bucket-0", schema_);
    std::vector<KeyValueRow> rows;
    for (const DataFileMeta& file : files) {
      const auto reader = readers.Open(file, false);
      EXPECT_THAT(reader, IsOk());
      const auto batches = ReadAllBatches(**reader);
      EXPECT_THAT(batches, IsOk());
      for (KeyValueRow& row : RowsOf(schema_, *batches)) rows.push_back(std::move(row));
    }
    return rows;
  }

  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>();
  ManualClock clock_{1'700'000'000'123};
  KeyValueSchema schema_ = SmallSchema();
  const std::vector<KeyValueRow> rows_ = {{{-7, "zebra", 1}, 12},
                                          {{3, Datum(), Datum()}, 10, RowKind::kDelete},
                                          {{5, "a text of more than sixteen letters", 9}, 11, RowKind::kUpdateAfter}};
};

TEST_F(KeyValueFileTest, FillsTheMetadataOfAFile) {
  const auto writer = OpenWriter({}, 2, FileSource::kCompact);
  ASSERT_THAT(writer->Write(KeyValueBatch(schema_, rows_)), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<DataFileMeta> files, writer->Finish());
  ASSERT_EQ(files.size(), 1U);
  const DataFileMeta& file = files[0];
  EXPECT_TRUE(file.file_name.starts_with("data-") && file.file_name.ends_with("-0.parquet")) << file.file_name;
  EXPECT_THAT(fs_->AllFiles(), testing::ElementsAre("/t/bucket-0/" + file.file_name));
  EXPECT_EQ(file.file_size, fs_->Stat("/t/bucket-0/" + file.file_name)->size_bytes);
  EXPECT_EQ(file.row_count, 3);
  const DataType key = DataType::BigInt().NotNull();
  EXPECT_EQ(file.min_key.Get(0, key)->as_int(), -7);
  EXPECT_EQ(file.max_key.Get(0, key)->as_int(), 5);
  EXPECT_EQ(file.min_sequence_number, 10);
  EXPECT_EQ(file.max_sequence_number, 12);
  EXPECT_EQ(file.schema_id, SchemaId(3));
  EXPECT_EQ(file.level, 2);
  EXPECT_EQ(file.delete_row_count, 1);
  EXPECT_EQ(file.file_source, FileSource::kCompact);
  EXPECT_EQ(UtcOfLocalTimeMs(*file.creation_time_ms), 1'700'000'000'123);
  EXPECT_EQ(file.value_stats_cols, std::nullopt);
  EXPECT_EQ(file.write_cols, std::nullopt);

  EXPECT_EQ(file.key_stats.min_values.Get(0, key)->as_int(), -7);
  EXPECT_EQ(file.key_stats.max_values.Get(0, key)->as_int(), 5);
  EXPECT_EQ(file.key_stats.null_counts, (std::vector<std::optional<std::int64_t>>{0}));
  EXPECT_EQ(file.value_stats.min_values.arity(), 3);
  EXPECT_EQ(file.value_stats.min_values.Get(1, DataType::String())->as_string(), "a text of more t");
  EXPECT_EQ(file.value_stats.max_values.Get(1, DataType::String())->as_string(), "zebra");
  EXPECT_EQ(file.value_stats.max_values.Get(2, DataType::Int())->as_int(), 9);
  EXPECT_EQ(file.value_stats.null_counts, (std::vector<std::optional<std::int64_t>>{0, 1, 1}));
}

TEST_F(KeyValueFileTest, ReadsBackWhatItWroteWithAndWithoutKeyColumns) {
  for (const char* thin : {"false", "true"}) {
    for (const char* format : {"parquet"}) {
      SCOPED_TRACE(fmt::format("{} thin={}", format, thin));
      const auto writer = OpenWriter(Options(Options::Map{{"data-file.thin-mode", thin}, {"file.format", format}}));
      ASSERT_THAT(writer->Write(KeyValueBatch(schema_, rows_)), IsOk());
      BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<DataFileMeta> files, writer->Finish());
      EXPECT_EQ(ReadBack(files), rows_);
      EXPECT_EQ(files[0].key_stats.max_values.Get(0, DataType::BigInt().NotNull())->as_int(), 5);
    }
  }
}

TEST_F(KeyValueFileTest, ReadsKeysThatAreNoRequestedValues) {
  const auto writer = OpenWriter({});
  ASSERT_THAT(writer->Write(KeyValueBatch(schema_, rows_)), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<DataFileMeta> files, writer->Finish());
  KeyValueSchema projected = schema_;
  projected.value_fields = {schema_.value_fields[2]};
  projected.requested_values = 1;
  PlainKeyValueReaderFactory readers(fs_, "/t/bucket-0", projected);
  BRAID_ASSERT_OK_AND_ASSIGN(const auto reader, readers.Open(files[0], false));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<Batch> batches, ReadAllBatches(*reader));
  ASSERT_EQ(batches.size(), 1U);
  EXPECT_EQ(DatumAt(*batches[0].rows->column(0), 0, DataType::BigInt()), Datum(-7));
  EXPECT_EQ(RowsOf(projected, batches)[0], (KeyValueRow{{1}, 12}));
}

TEST_F(KeyValueFileTest, RollsFilesBySizeAndRows) {
  std::vector<KeyValueRow> rows;
  for (std::int64_t i = 0; i < 20'000; ++i) rows.push_back({{Datum(i), fmt::format("{}", i * 7919), 0}, i});
  const auto by_rows = OpenWriter(Options(Options::Map{{"target-file-row-num", "9000"}}));
  ASSERT_THAT(by_rows->Write(KeyValueBatch(schema_, rows)), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<DataFileMeta> files, by_rows->Finish());
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(files[0].row_count, 9000);
  EXPECT_EQ(files[2].row_count, 2000);
  EXPECT_EQ(files[1].min_sequence_number, 9000);
  EXPECT_TRUE(files[2].file_name.ends_with("-2.parquet")) << "files of one writer count up: " << files[2].file_name;
  EXPECT_EQ(ReadBack(files), rows);

  const auto by_size = OpenWriter(Options(Options::Map{{"target-file-size", "1 b"}}));
  ASSERT_THAT(by_size->Write(KeyValueBatch(schema_, rows)), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<DataFileMeta> small, by_size->Finish());
  EXPECT_EQ(small.size(), 3U) << "the size is looked at every 8192 rows";
}

TEST_F(KeyValueFileTest, DeletesUnfinishedFiles) {
  auto writer = OpenWriter(Options(Options::Map{{"target-file-row-num", "2"}}));
  ASSERT_THAT(writer->Write(KeyValueBatch(schema_, rows_)), IsOk());
  EXPECT_EQ(fs_->AllFiles().size(), 2U);
  writer.reset();
  EXPECT_TRUE(fs_->AllFiles().empty());
}

TEST_F(KeyValueFileTest, FollowsOptionsOfLevelsAndChangelogs) {
  const Options options(Options::Map{{"file.compression.per.level", "0:lz4,3:none"},
                                     {"metadata.stats-mode.per.level", "0:none"},
                                     {"file.suffix.include.compression", "true"},
                                     {"changelog-file.prefix", "log-"}});
  BRAID_ASSERT_OK_AND_ASSIGN(const DataFileOptions level0, DataFileOptions::ForLevel(options, 0));
  EXPECT_EQ(level0.extension, "lz4.parquet");
  EXPECT_EQ(level0.stats_mode, "none");
  EXPECT_EQ(level0.format_options.Get("file.compression", ""), "lz4");
  BRAID_ASSERT_OK_AND_ASSIGN(const DataFileOptions level3, DataFileOptions::ForLevel(options, 3));
  EXPECT_EQ(level3.extension, "parquet");
  BRAID_ASSERT_OK_AND_ASSIGN(const DataFileOptions level5, DataFileOptions::ForLevel(options, 5));
  EXPECT_EQ(level5.extension, "zstd.parquet");
  EXPECT_EQ(level5.stats_mode, "truncate(16)");
  BRAID_ASSERT_OK_AND_ASSIGN(const DataFileOptions changelog, DataFileOptions::ForChangelog(options));
  EXPECT_EQ(changelog.prefix, "log-");
  EXPECT_EQ(changelog.extension, "lz4.parquet");
  EXPECT_THAT(DataFileOptions::ForLevel(Options(Options::Map{{"file.format.per.level", "avro"}}), 0),
              HasMessage("file.format.per.level"));
}

}  // namespace
}  // namespace braid
