#include "meta/manifest_codec.h"

#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/result_matchers.h"
#include "base/text.h"
#include "format/avro_cursor.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;
using testing::SizeIs;

// Files of Java; see the README beside them.
constexpr const char* kOldList = "0.8/manifest-list-60d2c28f-8208-4019-89ca-a5b327d49d57-2";
constexpr const char* kOldManifest = "0.8/manifest-a3ec0174-6019-424a-ba88-8093af269b2c-1";
constexpr const char* kOldIndexManifest = "0.8/index-manifest-94f748b2-6e12-428f-b8e5-00571e29ba8d-0";
constexpr const char* kList = "1.4/manifest-list-6042d747-5226-43c2-9e96-dcc81912c901-0";
constexpr const char* kManifest = "1.4/manifest-e0185c93-809d-4bba-81f9-c458740a3b13-0";
constexpr const char* kEvolvedManifest = "1.4/manifest-e9317d24-0db2-4edc-8f20-87c0ab5cec1d-0";
constexpr const char* kIndexManifest = "1.4/index-manifest-406dd94d-fd96-48ff-a01f-69c737b66cb5-0";

std::string Load(std::string_view name) {
  std::ifstream in(std::string(BRAID_SOURCE_DIR "/tests/data/meta/manifests/").append(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string Hex(std::string_view hex) {
  return FromHex(hex).value();
}
BinaryRow Row(std::string_view hex) {
  return BinaryRow::Deserialize(Hex(hex)).value();
}

/// A file of codec null with one block of these records.
std::string AvroFile(std::string_view schema, std::int64_t count, std::string_view records) {
  std::string file(kAvroMagic);
  AvroEncoder encoder(file);
  encoder.StartItems(1);
  encoder.Bytes("avro.schema");
  encoder.Bytes(schema);
  encoder.EndItems();
  file.append(kAvroSyncBytes, 's');
  encoder.Long(count);
  encoder.Bytes(records);
  file.append(kAvroSyncBytes, 's');
  return file;
}

Result<std::vector<ManifestFileMeta>> DecodeList(std::string file) {
  BRAID_TRY_ASSIGN(const AvroContainer container, AvroContainer::Open(std::move(file)));
  return DecodeManifestList(container);
}
Result<std::vector<ManifestEntry>> DecodeEntries(std::string file, const ManifestFilter& filter = {}) {
  BRAID_TRY_ASSIGN(const AvroContainer container, AvroContainer::Open(std::move(file)));
  std::vector<ManifestEntry> entries;
  BRAID_TRY(DecodeManifest(container, 0, container.blocks().size(), filter,
                           [&](ManifestEntry& entry) { entries.push_back(std::move(entry)); }));
  return entries;
}
Result<std::vector<IndexManifestEntry>> DecodeIndex(std::string file) {
  BRAID_TRY_ASSIGN(const AvroContainer container, AvroContainer::Open(std::move(file)));
  return DecodeIndexManifest(container);
}

/// The records of a file's only block.
std::string RecordsOf(const std::string& file) {
  const Result<AvroContainer> container = AvroContainer::Open(file);
  EXPECT_THAT(container, IsOk());
  EXPECT_EQ(container->blocks().size(), 1U);
  AvroDecompressor decompressor;
  return std::string(decompressor.Decompress(container->header().codec, container->blocks()[0].bytes).value());
}

// The entry that the specification decodes in metadata.md §4.3, with the key ('Alice', 1).
ManifestEntry SpecifiedEntry() {
  ManifestEntry entry{.kind = FileKind::kDelete,
                      .partition = Row("0000000100000000000000000a00000000000000"),
                      .bucket = BucketId(0),
                      .total_buckets = 2};
  DataFileMeta& file = entry.file;
  file.file_name = "data-3061fa63-6ed0-422c-9169-5c3e4b25485e-1.parquet";
  file.file_size = 1728;
  file.row_count = 1;
  file.min_key = file.max_key = Row("000000020000000000000000416c6963650000850100000000000000");
  file.key_stats = {.min_values = file.min_key, .max_values = file.max_key, .null_counts = {0, 0}};
  file.value_stats = {.min_values = Row("00000003000000000000000001000000000000000200000000000000"
                                        "0300000000000000"),
                      .max_values = BinaryRow(),
                      .null_counts = {0, std::nullopt, 0}};
  file.min_sequence_number = file.max_sequence_number = 2;
  file.creation_time_ms = 1756145373115;
  file.delete_row_count = 0;
  file.file_source = FileSource::kAppend;
  file.value_stats_cols = {"f0", "f1", "f2"};
  return entry;
}

TEST(ManifestCodecTest, WritesTheBytesOfTheSpecifiedEntry) {
  std::string out;
  EncodeManifestEntry(SpecifiedEntry(), out);
  const std::string key =
      "38"
      "000000020000000000000000416c6963650000850100000000000000";
  EXPECT_EQ(ToHex(out),
            "04"
            "02"
            "28"
            "0000000100000000000000000a00000000000000"
            "00"
            "04"  // version … total buckets
            "66" +
                ToHex("data-3061fa63-6ed0-422c-9169-5c3e4b25485e-1.parquet") +
                "801b"
                "02" +
                key + key +  //
                key + key +
                "02"
                "04"
                "0200"
                "0200"
                "00"  // key statistics
                "48"
                "00000003000000000000000001000000000000000200000000000000"
                "0300000000000000"
                "18"
                "000000000000000000000000"
                "02"
                "06"
                "0200"
                "00"
                "0200"
                "00"  // value statistics
                "04"
                "04"
                "00"
                "00"
                "00"  // sequences … extra files
                "02"
                "f6bedea69c66"
                "0200"
                "00"
                "0200"  // creation time … source
                "02"
                "06"
                "046630"
                "046631"
                "046632"
                "00"
                "00"
                "00"
                "00"
                "00");
}

TEST(ManifestCodecTest, ReadsWhatItWrites) {
  ManifestEntry full = SpecifiedEntry();
  full.kind = FileKind::kAdd;
  full.bucket = BucketId(-2);
  full.total_buckets = -2;
  full.file.schema_id = SchemaId(5);
  full.file.level = 5;
  full.file.extra_files = {"a.index", "b.blob"};
  full.file.embedded_index = std::string("\0\1", 2);
  full.file.file_source = FileSource::kCompact;
  full.file.external_path = "s3://bucket/data.parquet";
  full.file.first_row_id = 100;
  full.file.write_cols = std::vector<std::string>{"a"};
  full.file.write_cols_sequences = std::vector<std::int64_t>{7};
  std::string records;
  EncodeManifestEntry(SpecifiedEntry(), records);
  EncodeManifestEntry(full, records);
  EXPECT_THAT(DecodeEntries(AvroFile(kManifestSchema, 2, records)), HasValue(ElementsAre(SpecifiedEntry(), full)));

  IndexManifestEntry index{.partition = Row("0000000100000000000000000a00000000000000"),
                           .bucket = BucketId(3),
                           .index_type = "btree",
                           .file_name = "i",
                           .file_size = 10,
                           .row_count = 20};
  index.external_path = "file:/i";
  index.global_index = GlobalIndexMeta{.row_range_start = 1, .row_range_end = 9, .index_field_id = 4};
  IndexManifestEntry other = index;
  other.kind = FileKind::kDelete;
  other.global_index->extra_field_ids = std::vector<std::int32_t>{5, 6};
  other.global_index->index_meta = "m";
  other.global_index->source_meta = "s";
  other.deletion_vectors = {{.data_file_name = "d", .offset = 1, .length = 22},
                            {.data_file_name = "e", .offset = 31, .length = 2, .cardinality = 3}};
  records.clear();
  EncodeIndexManifestEntry(index, records);
  EncodeIndexManifestEntry(other, records);
  EXPECT_THAT(DecodeIndex(AvroFile(kIndexManifestSchema, 2, records)), HasValue(ElementsAre(index, other)));
}

TEST(ManifestCodecTest, ReadsListsOfJava) {
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestFileMeta> list, DecodeList(Load(kList)));
  ASSERT_THAT(list, SizeIs(2));
  EXPECT_EQ(list[0].file_name, "manifest-ac71000d-59d4-47fa-8bb6-ce83592a74d2-0");
  EXPECT_EQ(list[0].file_size, 2230);
  EXPECT_EQ(list[0].num_added_files, 3);
  EXPECT_EQ(list[0].num_deleted_files, 0);
  EXPECT_EQ(list[0].partition_stats.max_values,
            Row("0000000200000000000000000a000000180000000100000000000000323032342d30312d3032000000000000"));
  EXPECT_THAT(list[0].partition_stats.null_counts, ElementsAre(Optional(0), Optional(0)));
  EXPECT_THAT(list[1].max_level, Optional(0));
  EXPECT_EQ(list[1].min_row_id, std::nullopt);
}

TEST(ManifestCodecTest, ReadsEntriesOfJava) {
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestEntry> entries, DecodeEntries(Load(kManifest)));
  ASSERT_THAT(entries, SizeIs(9));
  EXPECT_EQ(entries[8].kind, FileKind::kAdd);
  EXPECT_EQ(entries[8].total_buckets, 1);
  EXPECT_EQ(entries[8].file.file_name, "data-960e9645-7375-40c2-8791-c97e610e4a45-0.parquet");
  EXPECT_EQ(entries[8].file.min_key, Row("0000000100000000000000000100000000000000"));
  EXPECT_EQ(entries[8].file.level, 5);
  EXPECT_THAT(entries[8].file.creation_time_ms, Optional(1795966942543));
  EXPECT_THAT(entries[8].file.file_source, Optional(FileSource::kCompact));
  EXPECT_EQ(entries[8].file.value_stats_cols, std::nullopt);

  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestEntry> evolved, DecodeEntries(Load(kEvolvedManifest)));
  EXPECT_EQ(evolved[1].kind, FileKind::kDelete);
  EXPECT_EQ(evolved[1].total_buckets, -1);
  EXPECT_THAT(evolved[1].file.value_stats_cols, Optional(IsEmpty()));
  EXPECT_THAT(evolved[1].file.first_row_id, Optional(0));
  EXPECT_THAT(evolved[1].file.write_cols, Optional(ElementsAre("a")));
}

TEST(ManifestCodecTest, ReadsIndexManifestsOfJava) {
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<IndexManifestEntry> entries, DecodeIndex(Load(kIndexManifest)));
  ASSERT_THAT(entries, SizeIs(3));
  EXPECT_EQ(entries[0].index_type, kDeletionVectorsIndex);
  EXPECT_EQ(entries[0].file_name, "index-d922a03f-f360-4482-99e8-76c591e9d6b0-0");
  EXPECT_EQ(entries[0].row_count, 2);
  EXPECT_THAT(
      entries[0].deletion_vectors,
      Optional(ElementsAre(DeletionVectorMeta{.data_file_name = "data-1cd43fde-a217-48b6-9d81-c6c754c8b281-0.parquet",
                                              .offset = 1,
                                              .length = 44,
                                              .cardinality = 2},
                           DeletionVectorMeta{.data_file_name = "data-085ec0f8-2db3-4b9d-bc5d-cb50c63f9767-0.parquet",
                                              .offset = 45,
                                              .length = 44,
                                              .cardinality = 2})));
  EXPECT_EQ(entries[0].global_index, std::nullopt);
}

TEST(ManifestCodecTest, ReadsTheUnionsOfPaimon0_8) {
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestFileMeta> list, DecodeList(Load(kOldList)));
  ASSERT_THAT(list, SizeIs(3));
  EXPECT_EQ(list[2].file_name, "manifest-a3ec0174-6019-424a-ba88-8093af269b2c-0");
  EXPECT_EQ(list[2].file_size, 1817);
  EXPECT_EQ(list[2].partition_stats, SimpleStats());
  EXPECT_EQ(list[2].min_bucket, std::nullopt);

  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestEntry> entries, DecodeEntries(Load(kOldManifest)));
  ASSERT_THAT(entries, SizeIs(3));
  EXPECT_EQ(entries[2].file.file_name, "data-ab9a1e88-2f32-43a7-8a4d-6c870d515171-0.orc");
  EXPECT_EQ(entries[2].file.value_stats.max_values,
            Row("000000030000000000000000030000000000000063000000000000815e01000000000000"));
  EXPECT_THAT(entries[2].file.value_stats.null_counts, SizeIs(3));
  EXPECT_EQ(entries[2].file.max_sequence_number, 3);
  EXPECT_EQ(entries[2].file.file_source, std::nullopt);

  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<IndexManifestEntry> indexes, DecodeIndex(Load(kOldIndexManifest)));
  ASSERT_THAT(indexes, SizeIs(1));
  EXPECT_THAT(indexes[0].deletion_vectors,
              Optional(ElementsAre(DeletionVectorMeta{
                  .data_file_name = "data-ab9a1e88-2f32-43a7-8a4d-6c870d515171-0.orc", .offset = 1, .length = 22})));
}

TEST(ManifestCodecTest, WritesTheBytesOfJava) {
  std::string records;
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestFileMeta> list, DecodeList(Load(kList)));
  for (const ManifestFileMeta& meta : list) EncodeManifestFileMeta(meta, records);
  EXPECT_EQ(ToHex(records), ToHex(RecordsOf(Load(kList))));

  records.clear();
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<IndexManifestEntry> indexes, DecodeIndex(Load(kIndexManifest)));
  for (const IndexManifestEntry& entry : indexes) EncodeIndexManifestEntry(entry, records);
  EXPECT_EQ(ToHex(records), ToHex(RecordsOf(Load(kIndexManifest))));

  // Java 1.4 does not know _WRITE_COLS_SEQUENCES, the last field, which is null here.
  records.clear();
  for (const char* name : {kManifest, kEvolvedManifest}) {
    records.clear();
    BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestEntry> entries, DecodeEntries(Load(name)));
    for (const ManifestEntry& entry : entries) {
      EncodeManifestEntry(entry, records);
      ASSERT_EQ(records.back(), '\0');
      records.pop_back();
    }
    EXPECT_EQ(ToHex(records), ToHex(RecordsOf(Load(name))));
  }
}

TEST(ManifestCodecTest, HasTheSchemaOfJava) {
  BRAID_ASSERT_OK_AND_ASSIGN(const AvroContainer list, AvroContainer::Open(Load(kList)));
  EXPECT_EQ(list.header().schema_json, kManifestListSchema);
  // Later versions add one field at the end of each.
  BRAID_ASSERT_OK_AND_ASSIGN(const AvroContainer manifest, AvroContainer::Open(Load(kManifest)));
  const std::string added =
      R"(,{"name":"_WRITE_COLS_SEQUENCES","type":["null",{"type":"array","items":"long"}],"default":null})";
  std::string schema(kManifestSchema);
  schema.erase(schema.find(added), added.size());
  EXPECT_EQ(manifest.header().schema_json, schema);
  BRAID_ASSERT_OK_AND_ASSIGN(const AvroContainer index, AvroContainer::Open(Load(kIndexManifest)));
  const std::string source = R"(,{"name":"_SOURCE_META","type":["null","bytes"],"default":null})";
  schema = kIndexManifestSchema;
  schema.erase(schema.find(source), source.size());
  EXPECT_EQ(index.header().schema_json, schema);
}

TEST(ManifestCodecTest, KeepsOnlyWhatTheFilterAccepts) {
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestEntry> all, DecodeEntries(Load(kManifest)));
  const std::string partition = Hex("00000002000000000000000000000000000000800500000000000000");  // ('', 5)
  std::vector<std::string> asked;
  const ManifestFilter filter{.accepts = [&](const ManifestEntryHead& head) {
    asked.emplace_back(head.partition);
    return head.kind == FileKind::kAdd && head.partition == partition && head.bucket == BucketId(0);
  }};
  EXPECT_THAT(DecodeEntries(Load(kManifest), filter), HasValue(ElementsAre(all[5])));
  EXPECT_THAT(asked, SizeIs(9));
  EXPECT_EQ(asked[5], partition);
  EXPECT_THAT(DecodeEntries(Load(kOldManifest), filter), HasValue(IsEmpty()));
}

TEST(ManifestCodecTest, LeavesOutStatisticsThatNobodyNeeds) {
  BRAID_ASSERT_OK_AND_ASSIGN(std::vector<ManifestEntry> all, DecodeEntries(Load(kManifest)));
  for (ManifestEntry& entry : all) entry.file.key_stats = entry.file.value_stats = SimpleStats();
  EXPECT_THAT(DecodeEntries(Load(kManifest), {.keep_key_stats = false, .keep_value_stats = false}),
              HasValue(testing::ElementsAreArray(all)));
}

constexpr const char* kListInAnotherOrder = R"({"type": "record", "name": "x", "fields": [
    {"name": "_NEW", "type": {"type": "map", "values": ["null", "double"]}},
    {"name": "_SCHEMA_ID", "type": "int"},
    {"name": "_PARTITION_STATS", "type": ["null", {"type": "record", "name": "y", "fields": [
      {"name": "_NULL_COUNTS", "type": ["null", {"type": "array", "items": "long"}]},
    {"name": "_MAX_VALUES", "type": "bytes"},
      {"name": "_MIN_VALUES", "type": "bytes"}]}]},
    {"name": "_NUM_DELETED_FILES", "type": ["long", "null"]}, {"name": "_NUM_ADDED_FILES", "type": "long"},
    {"name": "_FILE_SIZE", "type": "long"}, {"name": "_FILE_NAME", "type": "bytes"},
    {"name": "_VERSION", "type": "int"}]})";

TEST(ManifestCodecTest, MatchesFieldsByName) {
  const std::string row =
      "18"
      "000000000000000000000000";
  const std::string record =
      Hex("02"
          "0261"
          "02"
          "0000000000000000"
          "00"
          "06"
          "02"
          "00" +
          row + row +
          "00"
          "0a"
          "08"
          "0c"
          "026d"
          "04");
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestFileMeta> list,
                             DecodeList(AvroFile(kListInAnotherOrder, 1, record)));
  EXPECT_THAT(list, ElementsAre(ManifestFileMeta{.file_name = "m",
                                                 .file_size = 6,
                                                 .num_added_files = 4,
                                                 .num_deleted_files = 5,
                                                 .partition_stats = {},
                                                 .schema_id = SchemaId(3),
                                                 .min_bucket = {},
                                                 .max_bucket = {},
                                                 .min_level = {},
                                                 .max_level = {},
                                                 .min_row_id = {},
                                                 .max_row_id = {}}));
}

TEST(ManifestCodecTest, RefusesOtherFormsOfRecords) {
  const auto list_of_version = [](int version) {
    std::string records;
    EncodeManifestFileMeta({.file_name = "m"}, records);
    records[0] = static_cast<char>(version * 2);
    return AvroFile(kManifestListSchema, 1, records);
  };
  EXPECT_THAT(DecodeList(list_of_version(2)), HasValue(SizeIs(1)));
  EXPECT_THAT(DecodeList(list_of_version(1)), IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(DecodeList(list_of_version(1)), HasMessage("Paimon before 0.2"));
  EXPECT_THAT(DecodeList(list_of_version(3)), IsError(ErrorCode::kCorruption));
  EXPECT_THAT(DecodeList(Load(kManifest)), HasMessage("no field _FILE_NAME"));
}

TEST(ManifestCodecTest, RefusesFilesOfSizesThatCannotBe) {
  struct Case {
    std::int64_t bytes;
    std::int64_t rows;
    std::optional<std::int64_t> first_row_id;
    bool is_read;
  };
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  for (const Case& c : {Case{0, 0, {}, true}, Case{10, 5, kMost - 5, true}, Case{-1, 5, {}, false}, Case{10, -1, {}, false},
                        Case{10, 5, kMost - 4, false}, Case{10, 5, -1, false}}) {
    ManifestEntry entry{};
    entry.file.file_name = "f";
    entry.file.file_size = c.bytes;
    entry.file.row_count = c.rows;
    entry.file.first_row_id = c.first_row_id;
    std::string records;
    EncodeManifestEntry(entry, records);
    const auto entries = DecodeEntries(AvroFile(kManifestSchema, 1, records));
    if (c.is_read) {
      EXPECT_THAT(entries, HasValue(SizeIs(1)));
    } else {
      EXPECT_THAT(entries, IsError(ErrorCode::kCorruption));
    }
  }
}

TEST(ManifestCodecTest, RefusesBlocksThatHoldOtherThanTheyClaim) {
  std::string records;
  EncodeManifestFileMeta({.file_name = "m"}, records);
  for (const auto& [count, bytes] :
       std::vector<std::pair<std::int64_t, std::string>>{{2, records},
                                                         {0, records},
                                                         {1, records + "x"},
                                                         {1, records.substr(0, 10)},
                                                         {std::int64_t{1} << 62, records}}) {
    EXPECT_THAT(DecodeList(AvroFile(kManifestListSchema, count, bytes)), IsError(ErrorCode::kCorruption));
    EXPECT_THAT(DecodeList(AvroFile(kManifestListSchema, count, bytes)), HasMessage("at byte"));
  }
}

/// Any value will do, or the news that the file is damaged; damage may also turn the first version into the old one.
void ExpectDamageOrValue(std::string_view name, const std::string& file) {
  const auto expect = [](const auto& result) {
    if (result || result.error().code() == ErrorCode::kCorruption) return;
    EXPECT_THAT(result, HasMessage("Paimon before 0.2"));
  };
  if (name == kList || name == kOldList) return expect(DecodeList(file));
  if (name == kIndexManifest || name == kOldIndexManifest) return expect(DecodeIndex(file));
  expect(DecodeEntries(file));
}

TEST(ManifestCodecTest, SurvivesDamageAtEveryByte) {
  for (const char* name : {kOldManifest, kEvolvedManifest, kList, kOldIndexManifest, kIndexManifest}) {
    SCOPED_TRACE(name);
    const std::string file = Load(name);
    for (std::size_t i = 0; i < file.size(); ++i) {
      SCOPED_TRACE(i);
      ExpectDamageOrValue(name, file.substr(0, i));
      for (const int flip : {0x01, 0x80}) {
        std::string damaged = file;
        damaged[i] = static_cast<char>(damaged[i] ^ flip);
        ExpectDamageOrValue(name, damaged);
      }
    }
  }
}

// Compression hides most damage from the record decoder; here it sees every byte.
TEST(ManifestCodecTest, SurvivesDamageAtEveryByteOfRecords) {
  struct Case {
    const char* name;
    std::int64_t count;
  };
  for (const Case& c : {Case{kOldManifest, 3}, Case{kManifest, 9}, Case{kIndexManifest, 3}, Case{kList, 2}}) {
    SCOPED_TRACE(c.name);
    BRAID_ASSERT_OK_AND_ASSIGN(const AvroContainer container, AvroContainer::Open(Load(c.name)));
    const std::string records = RecordsOf(Load(c.name));
    const std::string_view schema = container.header().schema_json;
    for (std::size_t i = 0; i < records.size(); ++i) {
      SCOPED_TRACE(i);
      ExpectDamageOrValue(c.name, AvroFile(schema, c.count, records.substr(0, i)));
      for (const int flip : {0x01, 0x04, 0x7f, 0x80, 0xff}) {
        std::string damaged = records;
        damaged[i] = static_cast<char>(damaged[i] ^ flip);
        ExpectDamageOrValue(c.name, AvroFile(schema, c.count, damaged));
      }
    }
  }
}

}  // namespace
}  // namespace braid
