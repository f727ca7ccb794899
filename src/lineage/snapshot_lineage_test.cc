#include "lineage/snapshot_lineage.h"

#include <gtest/gtest.h>

#include "base/result_matchers.h"
#include "io/memory_file_system.h"

namespace braid {
namespace {

SnapshotLineage Example() {
  return {.job = "word count/daily", .run = "5f3a0b12-1111-4222-8333-444455556666", .attempt = 1, .generation = 3, .barrier = 7, .type = "batch", .sinks = 2, .start_ms = 1000,
          .sources = {{.table = "default.word_table", .table_uuid = "u1", .branch = "main", .line = "root", .mode = SourceMode::kDelta, .from = 4, .to = 5, .to_identity = "i5"},
                      {.table = "default.dim", .table_uuid = "u2", .branch = "b", .line = "branch:b", .mode = SourceMode::kFull, .from = 6, .to = 6, .to_identity = "i6"}}};
}

Snapshot Committed(const SnapshotLineage& lineage) {
  Snapshot snapshot;
  snapshot.commit_user = CommitUserOf(lineage);
  snapshot.properties = EncodeLineage(lineage).properties;
  return snapshot;
}

TEST(SnapshotLineageTest, ReadsWhatItWrote) { EXPECT_EQ(DecodeLineage(Committed(Example())), Example()); }

TEST(SnapshotLineageTest, WritesTheSpecifiedKeys) {
  const std::map<std::string, std::string> properties = EncodeLineage(Example()).properties;
  EXPECT_EQ(properties.at("braid.lineage.version"), "1");
  EXPECT_EQ(properties.at("braid.lineage.sources"),
            R"([{"table":"default.word_table","tableUuid":"u1","branch":"main","line":"root","mode":"delta","from":4,"to":5,"toIdentity":"i5"},)"
            R"({"table":"default.dim","tableUuid":"u2","branch":"b","line":"branch:b","mode":"full","from":6,"to":6,"toIdentity":"i6"}])");
  EXPECT_EQ(CommitUserOf(Example()), "word-count-daily_g3_5f3a0b12");
}

TEST(SnapshotLineageTest, BelievesOnlyTheRunsOwnCommits) {
  Snapshot copied = Committed(Example());
  copied.commit_user = "another-writer";  // a rollback or a manifest compaction that took the properties along
  EXPECT_EQ(DecodeLineage(copied), std::nullopt);
  for (const char* key : {"version", "job", "run", "generation", "barrier", "type", "sources"}) {
    Snapshot incomplete = Committed(Example());
    incomplete.properties.erase(std::string("braid.lineage.") + key);
    EXPECT_EQ(DecodeLineage(incomplete), std::nullopt) << key;
  }
  Snapshot damaged = Committed(Example());
  damaged.properties["braid.lineage.sources"] = "[{";
  EXPECT_EQ(DecodeLineage(damaged), std::nullopt);
}

TEST(SnapshotLineageTest, RefusesJobNamesThatASnapshotShouldNotCarry) {
  EXPECT_THAT(CheckJobName(std::string(256, 'j')), IsOk());
  EXPECT_THAT(CheckJobName(std::string(257, 'j')), IsError(ErrorCode::kInvalidArgument));
}

TEST(SnapshotLineageTest, KeepsMoreThanEightKilobytesOfSourcesInASideFile) {
  SnapshotLineage many = Example();
  many.sources.resize(200, many.sources.front());
  const EncodedLineage encoded = EncodeLineage(many);
  ASSERT_TRUE(encoded.side_file);
  EXPECT_EQ(encoded.side_file->name, "sources-5f3a0b12-1111-4222-8333-444455556666-7.json");
  EXPECT_FALSE(encoded.properties.contains("braid.lineage.sources"));

  MemoryFileSystem files;
  const std::string path = SideFilePath("/w/d.db/t", encoded.side_file->name);
  EXPECT_EQ(path, "/w/d.db/t/.braid/lineage/" + encoded.side_file->name);
  ASSERT_THAT(files.CreateAtomically(path, encoded.side_file->content), IsOk());
  const std::optional<SnapshotLineage> decoded = DecodeLineage(Committed(many));
  ASSERT_TRUE(decoded);
  BRAID_ASSERT_OK_AND_ASSIGN(const SnapshotLineage whole, LoadSources(files, "/w/d.db/t", *decoded));
  EXPECT_EQ(whole.sources, many.sources);

  ASSERT_THAT(files.Replace(path, "[]"), IsOk());
  EXPECT_THAT(LoadSources(files, "/w/d.db/t", *decoded), IsError(ErrorCode::kCorruption));
  ASSERT_THAT(files.Delete(path), IsOk());
  EXPECT_THAT(LoadSources(files, "/w/d.db/t", *decoded), IsError(ErrorCode::kNotFound));
}

TEST(SnapshotLineageTest, FollowsASideFileNowhereElse) {
  MemoryFileSystem files;
  SnapshotLineage lineage = Example();
  for (const char* ref : {"", "../../x:1", "a/b:1", ".hidden:1", ":1", "no digest"}) {
    SCOPED_TRACE(ref);
    lineage.sources_ref = ref;
    if (*ref == '\0') {
      EXPECT_THAT(LoadSources(files, "/t", lineage), HasValue(lineage));
    } else {
      EXPECT_THAT(LoadSources(files, "/t", lineage), IsError(ErrorCode::kCorruption));
    }
  }
}

TEST(SnapshotLineageTest, TellsSnapshotsOfOneIdApart) {
  Snapshot with_uuid;
  with_uuid.uuid = "a";
  EXPECT_EQ(IdentityOf(with_uuid), "a");
  Snapshot old;  // Paimon before 2.0
  old.commit_user = "u";
  old.commit_identifier = 3;
  old.time_millis = 9;
  EXPECT_EQ(IdentityOf(old), "u/3/APPEND/9");
}

}  // namespace
}  // namespace braid
