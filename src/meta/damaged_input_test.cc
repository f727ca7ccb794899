// Metadata files end in a value or an error, whatever their bytes.

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include <gtest/gtest.h>

#include "base/allocation_limit_testing.h"
#include "base/byte_mutator_testing.h"
#include "base/result_matchers.h"
#include "io/memory_file_system.h"
#include "meta/manifest_codec.h"
#include "meta/schema_json.h"
#include "meta/snapshot_json.h"
#include "meta/statistics.h"
#include "meta/stores.h"
#include "meta/tag_json.h"

namespace braid {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;  // for inputs of a few kilobytes

std::string TestFile(const std::filesystem::path& path) {
  std::ifstream stream(std::filesystem::path(BRAID_SOURCE_DIR) / "tests/data" / path, std::ios::binary);
  EXPECT_TRUE(stream.good()) << path;
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The only file below a folder of tests/data whose name begins so.
std::filesystem::path FindTestFile(const std::string& folder, const std::string& prefix) {
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(BRAID_SOURCE_DIR) / "tests/data" / folder)) {
    if (entry.path().filename().string().starts_with(prefix)) return std::filesystem::path(folder) / entry.path().filename();
  }
  ADD_FAILURE() << "no " << prefix << " in " << folder;
  return {};
}

void ReadDamaged(const std::string& good, int rounds, const std::function<bool(const std::string&)>& read) {
  EXPECT_TRUE(read(good));
  for (int round = 0; round < rounds; ++round) {
    const std::string damaged = ByteMutator(static_cast<std::uint32_t>(round)).Mutate(good);
    SCOPED_TRACE(round);
    const AllocationLimit limit(kMostBytes);
    EXPECT_NO_THROW(static_cast<void>(read(damaged)));
  }
}

// ---- JSON. ----

TEST(DamagedInputTest, Snapshots) {
  ReadDamaged(TestFile("catalog/pk_deduplicate/warehouse/g.db/t/snapshot/snapshot-5"), 8000, [](const std::string& text) {
    const Result<Snapshot> snapshot = ParseSnapshot(text);
    return snapshot && ParseSnapshot(PrintSnapshot(*snapshot)).has_value();
  });
}

TEST(DamagedInputTest, Schemas) {
  for (const char* table : {"pk_deduplicate/warehouse/g.db/t", "evolution_avro/warehouse/g.db/append"}) {
    const std::string schema = TestFile(std::string("catalog/") + table + "/schema/schema-0");
    ReadDamaged(schema, 8000, [](const std::string& text) { return ParseTableSchema(text).has_value(); });
  }
}

TEST(DamagedInputTest, Tags) {
  const std::string tag = TestFile(FindTestFile("catalog/tags/warehouse/g.db/t/tag", "tag-"));
  ReadDamaged(tag, 8000, [](const std::string& text) {
    const Result<Tag> parsed = ParseTag("t", text);
    if (parsed) static_cast<void>(PrintTag(*parsed));
    return parsed.has_value();
  });
}

TEST(DamagedInputTest, StatisticsAndConsumers) {
  MemoryFileSystem fs;
  const std::string statistics = TestFile(FindTestFile("catalog/statistics/warehouse/g.db/t/statistics", "stat-"));
  const TablePaths main("/t", std::string(kMainBranch));
  ReadDamaged(statistics, 3000, [&](const std::string& text) {
    EXPECT_THAT(fs.Replace(main.root() + "/statistics/s", text), IsOk());
    return ReadStatistics(fs, main, "s").has_value();
  });
  ASSERT_THAT(WriteConsumer(fs, main, {.id = "c", .next_snapshot = SnapshotId(7)}), IsOk());
  const std::string path = main.root() + "/consumer/consumer-c";
  BRAID_ASSERT_OK_AND_ASSIGN(const std::string consumer, fs.ReadAll(path));
  ReadDamaged(consumer, 1000, [&](const std::string& text) {
    EXPECT_THAT(fs.Replace(path, text), IsOk());
    return ReadConsumer(fs, main, "c").has_value();
  });
}

// Nesting has an end long before the stack's.
TEST(DamagedInputTest, DeepJson) {
  constexpr std::size_t kDepth = 200'000;
  EXPECT_THAT(ParseSnapshot(std::string(kDepth, '[')), IsError(ErrorCode::kCorruption));
  EXPECT_THAT(ParseSnapshot(std::string(kDepth, '[') + std::string(kDepth, ']')), IsError(ErrorCode::kCorruption));
  std::string objects;
  for (std::size_t i = 0; i < kDepth; ++i) objects += R"({"a":)";
  EXPECT_THAT(ParseTableSchema(objects + "1" + std::string(kDepth, '}')), IsError(ErrorCode::kCorruption));
}

// ---- Avro. ----

/// A container of records, uncompressed, so that damage reaches them.
std::string Plain(std::string_view schema, const std::function<void(AvroContainerWriter&)>& write) {
  MemoryFileSystem fs;
  Result<std::unique_ptr<OutputFile>> file = fs.Create("/plain");
  EXPECT_THAT(file, IsOk());
  AvroCompressor compressor;
  AvroContainerWriter writer(*std::move(file), schema, {.codec = AvroCodec::kNull}, compressor);
  write(writer);
  EXPECT_THAT(writer.Finish(), IsOk());
  return *fs.ReadAll("/plain");
}

bool DecodeEntries(const AvroContainer& container) {
  std::size_t entries = 0;
  const Status status = DecodeManifest(container, 0, container.blocks().size(), {}, [&](ManifestEntry&) { ++entries; });
  return status.has_value();
}

TEST(DamagedInputTest, Manifests) {
  for (const auto& [version, file] : {std::pair("0.8", "manifest-a3ec"), std::pair("1.4", "manifest-e018")}) {
    const std::string bytes = TestFile(FindTestFile(std::string("meta/manifests/") + version, file));
    ReadDamaged(bytes, 2000, [](const std::string& damaged) {
      const Result<AvroContainer> container = AvroContainer::Open(damaged);
      return container && DecodeEntries(*container);
    });
    BRAID_ASSERT_OK_AND_ASSIGN(const AvroContainer container, AvroContainer::Open(bytes));
    const std::string plain = Plain(kManifestSchema, [&](AvroContainerWriter& writer) {
      const Status status = DecodeManifest(container, 0, container.blocks().size(), {}, [&](ManifestEntry& entry) {
        EncodeManifestEntry(entry, writer.block());
        EXPECT_THAT(writer.EndRecord(), IsOk());
      });
      EXPECT_THAT(status, IsOk());
    });
    ReadDamaged(plain, 6000, [](const std::string& damaged) {
      const Result<AvroContainer> opened = AvroContainer::Open(damaged);
      return opened && DecodeEntries(*opened);
    });
  }
}

TEST(DamagedInputTest, ManifestLists) {
  const std::string bytes = TestFile(FindTestFile("meta/manifests/1.4", "manifest-list-"));
  BRAID_ASSERT_OK_AND_ASSIGN(const AvroContainer container, AvroContainer::Open(bytes));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto manifests, DecodeManifestList(container));
  const std::string plain = Plain(kManifestListSchema, [&](AvroContainerWriter& writer) {
    for (const ManifestFileMeta& manifest : manifests) {
      EncodeManifestFileMeta(manifest, writer.block());
      EXPECT_THAT(writer.EndRecord(), IsOk());
    }
  });
  for (const std::string& good : {bytes, plain}) {
    ReadDamaged(good, 4000, [](const std::string& damaged) {
      const Result<AvroContainer> opened = AvroContainer::Open(damaged);
      return opened && DecodeManifestList(*opened).has_value();
    });
  }
}

TEST(DamagedInputTest, IndexManifests) {
  const std::string bytes = TestFile(FindTestFile("meta/manifests/1.4", "index-manifest-"));
  BRAID_ASSERT_OK_AND_ASSIGN(const AvroContainer container, AvroContainer::Open(bytes));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto entries, DecodeIndexManifest(container));
  const std::string plain = Plain(kIndexManifestSchema, [&](AvroContainerWriter& writer) {
    for (const IndexManifestEntry& entry : entries) {
      EncodeIndexManifestEntry(entry, writer.block());
      EXPECT_THAT(writer.EndRecord(), IsOk());
    }
  });
  for (const std::string& good : {bytes, plain}) {
    ReadDamaged(good, 4000, [](const std::string& damaged) {
      const Result<AvroContainer> opened = AvroContainer::Open(damaged);
      return opened && DecodeIndexManifest(*opened).has_value();
    });
  }
}

}  // namespace
}  // namespace braid
