#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/result_matchers.h"
#include "io/fault_injecting_file_system.h"
#include "io/memory_file_system.h"
#include "meta/manifest_scan.h"
#include "meta/stores.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;
using testing::Optional;
using testing::SizeIs;

const std::vector<DataType>& PartitionTypes() {
  static const std::vector<DataType> types = {DataType::String(), DataType::Int()};
  return types;
}

BinaryRow Partition(const Datum& day, const Datum& hour) {
  const std::vector<Datum> values = {day, hour};
  return BinaryRow::Make(PartitionTypes(), values);
}

ManifestEntry Entry(BinaryRow partition, std::string_view file_name) {
  ManifestEntry entry{.partition = std::move(partition), .total_buckets = 4};
  entry.file.file_name = file_name;
  entry.file.row_count = 10;
  return entry;
}

class ManifestStoreTest : public testing::Test {
 protected:
  void CopyFromJava(std::string_view name) {
    std::ifstream in(std::string(BRAID_SOURCE_DIR "/tests/data/meta/manifests/1.4/").append(name), std::ios::binary);
    ASSERT_THAT(fs_.Replace(paths_.ManifestFile(name), std::string(std::istreambuf_iterator<char>(in), {})), IsOk());
  }

  MemoryFileSystem fs_;
  TablePaths paths_{"/w/db.db/t", "main"};
  MetadataFileNames names_;
};

TEST_F(ManifestStoreTest, SummarisesTheEntriesOfAManifest) {
  std::vector<ManifestEntry> entries = {Entry(Partition("2024-05-14", 7), "a"), Entry(Partition("2024-05-14", 11), "b"),
                                        Entry(Partition({}, 9), "c"), Entry(Partition("2024-05-13", 8), "d")};
  entries[0].kind = FileKind::kDelete;
  entries[1].bucket = BucketId(3);
  entries[2].bucket = BucketId(-2);
  entries[2].file.level = 5;
  entries[3].file.schema_id = SchemaId(2);
  for (std::size_t i = 0; i < 4; ++i) entries[i].file.first_row_id = static_cast<std::int64_t>(100 - 10 * i);
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestFileMeta> manifests,
                             WriteManifests(fs_, paths_, names_, entries, PartitionTypes(), {}));
  ASSERT_THAT(manifests, SizeIs(1));
  BRAID_ASSERT_OK_AND_ASSIGN(const FileStatus status, fs_.Stat(paths_.ManifestFile(manifests[0].file_name)));
  const ManifestFileMeta expected = {.file_name = manifests[0].file_name,
                                     .file_size = status.size_bytes,
                                     .num_added_files = 3,
                                     .num_deleted_files = 1,
                                     .partition_stats = {.min_values = Partition("2024-05-13", 7),
                                                         .max_values = Partition("2024-05-14", 11),
                                                         .null_counts = {1, 0}},
                                     .schema_id = SchemaId(2),
                                     .min_bucket = -2,
                                     .max_bucket = 3,
                                     .min_level = 0,
                                     .max_level = 5,
                                     .min_row_id = 70,
                                     .max_row_id = 109};
  EXPECT_EQ(manifests[0], expected);
  EXPECT_THAT(ReadManifest(fs_, paths_, manifests[0].file_name), HasValue(ElementsAreArray(entries)));

  // One entry without row ids makes those of all unknown.
  entries[1].file.first_row_id = std::nullopt;
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestFileMeta> others,
                             WriteManifests(fs_, paths_, names_, entries, PartitionTypes(), {}));
  EXPECT_EQ(others[0].min_row_id, std::nullopt);
  EXPECT_EQ(others[0].max_row_id, std::nullopt);
}

// Java's entries, written by us, must be summarised as Java did.
TEST_F(ManifestStoreTest, SummarisesAsJavaDoes) {
  CopyFromJava("manifest-e0185c93-809d-4bba-81f9-c458740a3b13-0");
  CopyFromJava("manifest-list-6042d747-5226-43c2-9e96-dcc81912c901-1");
  BRAID_ASSERT_OK_AND_ASSIGN(std::vector<ManifestFileMeta> list,
                             ReadManifestList(fs_, paths_, "manifest-list-6042d747-5226-43c2-9e96-dcc81912c901-1"));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestEntry> entries, ReadManifest(fs_, paths_, list.at(0).file_name));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestFileMeta> written,
                             WriteManifests(fs_, paths_, names_, entries, PartitionTypes(), {}));
  list[0].file_name = written.at(0).file_name;
  list[0].file_size = written[0].file_size;
  EXPECT_EQ(written, list);
}

TEST_F(ManifestStoreTest, WritesNoManifestForNoEntriesButAnEmptyList) {
  EXPECT_THAT(WriteManifests(fs_, paths_, names_, {}, {}, {}), HasValue(IsEmpty()));
  EXPECT_THAT(fs_.AllFiles(), IsEmpty());
  BRAID_ASSERT_OK_AND_ASSIGN(const WrittenMetadata list, WriteManifestList(fs_, paths_, names_, {}, {}));
  EXPECT_THAT(ReadManifestList(fs_, paths_, list.name), HasValue(IsEmpty()));
}

TEST_F(ManifestStoreTest, StartsANewManifestAtTheTargetSize) {
  std::vector<ManifestEntry> entries;
  for (int i = 0; i < 3500; ++i)
    entries.push_back(Entry(Partition("2024-05-14", i), "data-" + std::to_string(i) + ".parquet"));
  const ManifestWriteOptions options{.compression = "null", .target_file_size = 100'000};
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestFileMeta> manifests,
                             WriteManifests(fs_, paths_, names_, entries, PartitionTypes(), options));
  // An entry takes about 160 bytes, so every check, each 1,000 entries, finds the target reached.
  ASSERT_THAT(manifests, SizeIs(4));
  EXPECT_EQ(manifests[0].num_added_files, 1000);
  EXPECT_EQ(manifests[3].num_added_files, 500);
  std::vector<ManifestEntry> read;
  for (const ManifestFileMeta& manifest : manifests) {
    BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestEntry> part, ReadManifest(fs_, paths_, manifest.file_name));
    read.insert(read.end(), part.begin(), part.end());
  }
  EXPECT_THAT(read, ElementsAreArray(entries));
}

TEST_F(ManifestStoreTest, ReadsBlocksOneByOne) {
  std::vector<ManifestEntry> entries;
  for (int i = 0; i < 2000; ++i)
    entries.push_back(Entry(Partition("2024-05-14", i % 3), "data-" + std::to_string(i) + ".parquet"));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestFileMeta> manifests,
                             WriteManifests(fs_, paths_, names_, entries, PartitionTypes(), {}));
  BRAID_ASSERT_OK_AND_ASSIGN(const ManifestScanner scanner,
                             ManifestScanner::Open(fs_, paths_, manifests.at(0).file_name));
  EXPECT_GT(scanner.block_count(), 2U);
  const std::string wanted = Partition("2024-05-14", 1).Serialize();
  const ManifestFilter filter{.accepts = [&](const ManifestEntryHead& head) { return head.partition == wanted; }};
  std::vector<ManifestEntry> read;
  for (std::size_t block = 0; block < scanner.block_count(); ++block) {
    BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestEntry> part, scanner.ReadBlocks(block, block + 1, filter));
    read.insert(read.end(), part.begin(), part.end());
  }
  std::erase_if(entries, [&](const ManifestEntry& entry) { return entry.partition.Serialize() != wanted; });
  EXPECT_THAT(read, ElementsAreArray(entries));
}

TEST_F(ManifestStoreTest, NamesTheFileThatIsMissingOrDamaged) {
  EXPECT_THAT(ReadManifest(fs_, paths_, "manifest-x-0"), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(ReadManifest(fs_, paths_, "manifest-x-0"), HasMessage("/w/db.db/t/manifest/manifest-x-0"));
  ASSERT_THAT(fs_.Replace(paths_.ManifestFile("manifest-x-0"), "garbage"), IsOk());
  EXPECT_THAT(ReadManifest(fs_, paths_, "manifest-x-0"), IsError(ErrorCode::kCorruption));
  EXPECT_THAT(ReadManifestList(fs_, paths_, "manifest-x-0"), HasMessage("/w/db.db/t/manifest/manifest-x-0"));
  EXPECT_THAT(ReadIndexManifest(fs_, paths_, "manifest-x-0"), HasMessage("at byte 0"));
}

// Partitions and counts as the script of golden case manifest_formats has them.
TEST_F(ManifestStoreTest, ReadsListsOfJavaInOrc) {
  CopyFromJava("manifest-list-969cbe17-a338-4c43-a91a-164ab6ba4abf-0");
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestFileMeta> list,
                             ReadManifestList(fs_, paths_, "manifest-list-969cbe17-a338-4c43-a91a-164ab6ba4abf-0"));
  for (const ManifestFileMeta& manifest : list) {
    EXPECT_EQ(manifest.num_added_files, 2);
    EXPECT_EQ(manifest.num_deleted_files, 0);
    EXPECT_EQ(manifest.partition_stats.min_values, BinaryRow::Make(std::vector<DataType>{DataType::Int()}, DatumList{1}));
    EXPECT_EQ(manifest.partition_stats.max_values, BinaryRow::Make(std::vector<DataType>{DataType::Int()}, DatumList{2}));
  }
}

TEST_F(ManifestStoreTest, KeepsEverythingInOtherContainers) {
  ManifestEntry full = Entry(Partition("2024-05-14", 7), "data-1.parquet");
  full.bucket = BucketId(3);
  full.file.file_size = 1234;
  full.file.min_key = full.file.max_key = Partition("k", 1);
  full.file.key_stats = {.min_values = Partition("a", 1), .max_values = Partition("b", {}), .null_counts = {0, 1}};
  full.file.value_stats = {.min_values = Partition("c", {}), .max_values = Partition("d", 9), .null_counts = {std::nullopt, 2}};
  full.file.min_sequence_number = 5;
  full.file.max_sequence_number = 9;
  full.file.schema_id = SchemaId(2);
  full.file.level = 4;
  full.file.extra_files = {"x.index", "y.index"};
  full.file.creation_time_ms = 1'700'000'000'123;
  full.file.delete_row_count = 1;
  full.file.embedded_index = std::string("\x00\xff", 2);
  full.file.file_source = FileSource::kCompact;
  full.file.value_stats_cols = std::vector<std::string>{"v", "w"};
  full.file.external_path = "/elsewhere/data-1.parquet";
  full.file.first_row_id = 100;
  full.file.write_cols = std::vector<std::string>{"v"};
  ManifestEntry bare = Entry(Partition({}, 8), "data-2.parquet");
  bare.kind = FileKind::kDelete;
  const std::vector<ManifestEntry> entries = {full, bare};
  IndexManifestEntry index{.bucket = BucketId(1), .index_type = std::string(kDeletionVectorsIndex), .file_name = "index-1", .file_size = 8, .row_count = 2};
  index.deletion_vectors = {{.data_file_name = "data-1.parquet", .offset = 1, .length = 22, .cardinality = 3},
                            {.data_file_name = "data-2.parquet", .offset = 31, .length = 22, .cardinality = {}}};
  const IndexManifestEntry hash{.index_type = std::string(kHashIndex), .file_name = "index-2"};
  for (const auto& [format, magic] : {std::pair("orc", "ORC"), std::pair("parquet", "PAR1")}) {
    SCOPED_TRACE(format);
    const ManifestWriteOptions options{.format = format};
    BRAID_ASSERT_OK_AND_ASSIGN(const auto manifests, WriteManifests(fs_, paths_, names_, entries, PartitionTypes(), options));
    ASSERT_THAT(manifests, SizeIs(1));
    BRAID_ASSERT_OK_AND_ASSIGN(const std::string bytes, fs_.ReadAll(paths_.ManifestFile(manifests[0].file_name)));
    EXPECT_TRUE(bytes.starts_with(magic));
    EXPECT_EQ(manifests[0].file_size, static_cast<std::int64_t>(bytes.size()));
    EXPECT_THAT(ReadManifest(fs_, paths_, manifests[0].file_name), HasValue(ElementsAreArray(entries)));
    BRAID_ASSERT_OK_AND_ASSIGN(const WrittenMetadata list, WriteManifestList(fs_, paths_, names_, manifests, options));
    EXPECT_THAT(ReadManifestList(fs_, paths_, list.name), HasValue(ElementsAreArray(manifests)));
    BRAID_ASSERT_OK_AND_ASSIGN(const WrittenMetadata empty, WriteManifestList(fs_, paths_, names_, {}, options));
    EXPECT_THAT(ReadManifestList(fs_, paths_, empty.name), HasValue(IsEmpty()));
    BRAID_ASSERT_OK_AND_ASSIGN(const WrittenMetadata indexes, WriteIndexManifest(fs_, paths_, names_, {index, hash}, options));
    EXPECT_THAT(ReadIndexManifest(fs_, paths_, indexes.name), HasValue(ElementsAre(index, hash)));
  }
  EXPECT_THAT(WriteManifestList(fs_, paths_, names_, {}, {.format = "csv"}), HasMessage("manifest.format"));
}

TEST_F(ManifestStoreTest, NamesDamagedFilesInOtherContainers) {
  for (const char* bytes : {"ORC", "PAR1garbage"}) {
    SCOPED_TRACE(bytes);
    ASSERT_THAT(fs_.Replace(paths_.ManifestFile("m"), bytes), IsOk());
    EXPECT_THAT(ReadManifest(fs_, paths_, "m"), IsError(ErrorCode::kCorruption));
    EXPECT_THAT(ReadManifest(fs_, paths_, "m"), HasMessage("/w/db.db/t/manifest/m"));
  }
}

TEST_F(ManifestStoreTest, WritesAndReadsIndexManifestsInEachCodec) {
  IndexManifestEntry entry{.bucket = BucketId(1),
                           .index_type = std::string(kHashIndex),
                           .file_name = "index-1",
                           .file_size = 8,
                           .row_count = 2};
  for (const char* compression : {"zstd", "zstandard", "snappy", "deflate", "null"}) {
    SCOPED_TRACE(compression);
    BRAID_ASSERT_OK_AND_ASSIGN(const WrittenMetadata written,
                               WriteIndexManifest(fs_, paths_, names_, {entry}, {.compression = compression}));
    BRAID_ASSERT_OK_AND_ASSIGN(const FileStatus status, fs_.Stat(paths_.ManifestFile(written.name)));
    EXPECT_EQ(written.size_bytes, status.size_bytes);
    EXPECT_THAT(ReadIndexManifest(fs_, paths_, written.name), HasValue(ElementsAre(entry)));
  }
  EXPECT_THAT(WriteIndexManifest(fs_, paths_, names_, {entry}, {.compression = "xz"}),
              HasMessage("manifest.compression"));
}

TEST_F(ManifestStoreTest, LeavesNoFileBehindWhenWritingFails) {
  std::vector<ManifestEntry> entries;
  for (int i = 0; i < 2500; ++i) entries.push_back(Entry(Partition("2024-05-14", i), "data-" + std::to_string(i)));
  for (std::int64_t nth = 1;; ++nth) {
    SCOPED_TRACE(nth);
    const auto memory = std::make_shared<MemoryFileSystem>();
    FaultInjectingFileSystem fs(memory);
    fs.FailAt(nth, FaultInjectingFileSystem::Fault::kTornWrite);
    const auto manifests =
        WriteManifests(fs, paths_, names_, entries, PartitionTypes(), {.compression = "null", .target_file_size = 1});
    if (manifests) {
      EXPECT_THAT(memory->AllFiles(), SizeIs(3));
      break;
    }
    EXPECT_THAT(manifests, IsError(ErrorCode::kIo));
    EXPECT_THAT(memory->AllFiles(), IsEmpty());
  }
}

TEST(MetadataFileNamesTest, CountsEachKindFromZero) {
  MetadataFileNames names;
  const std::string first = names.NextManifest();
  ASSERT_EQ(first.size(), std::string("manifest-").size() + 36 + 2);
  const std::string uuid = first.substr(9, 36);
  EXPECT_EQ(first, "manifest-" + uuid + "-0");
  EXPECT_EQ(names.NextManifest(), "manifest-" + uuid + "-1");
  EXPECT_EQ(names.NextManifestList(), "manifest-list-" + uuid + "-0");
  EXPECT_EQ(names.NextManifestList(), "manifest-list-" + uuid + "-1");
  EXPECT_EQ(names.NextIndexManifest(), "index-manifest-" + uuid + "-0");
  EXPECT_EQ(names.NextIndex(), "index-" + uuid + "-0");
  EXPECT_EQ(names.NextStatistics(), "stat-" + uuid + "-0");
  EXPECT_NE(MetadataFileNames().NextManifest(), first);
}

}  // namespace
}  // namespace braid
