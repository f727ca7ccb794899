#include "meta/snapshot_json.h"

#include <gmock/gmock.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

// Written by Java Paimon 0.8.2: explicit null, no sizes, no row ids.
constexpr std::string_view kPaimon08 = R"({
  "version" : 3,
  "id" : 1,
  "schemaId" : 0,
  "baseManifestList" : "manifest-list-7d98388d-a1a9-425c-bc56-70d2ca104aba-0",
  "deltaManifestList" : "manifest-list-7d98388d-a1a9-425c-bc56-70d2ca104aba-1",
  "changelogManifestList" : null,
  "commitUser" : "20ed8ffa-bb36-4fae-8529-958c660029f3",
  "commitIdentifier" : 9223372036854775807,
  "commitKind" : "APPEND",
  "timeMillis" : 1795966591716,
  "logOffsets" : { },
  "totalRecordCount" : 3,
  "deltaRecordCount" : 3,
  "changelogRecordCount" : 0
})";

// Written by Java Paimon 1.4.2.
constexpr std::string_view kPaimon14 = R"({
  "version" : 3,
  "id" : 1,
  "schemaId" : 0,
  "baseManifestList" : "manifest-list-45e095d4-0a96-419e-9309-74cd71491bcc-0",
  "baseManifestListSize" : 1006,
  "deltaManifestList" : "manifest-list-45e095d4-0a96-419e-9309-74cd71491bcc-1",
  "deltaManifestListSize" : 1133,
  "commitUser" : "oracle",
  "commitIdentifier" : 9223372036854775807,
  "commitKind" : "APPEND",
  "timeMillis" : 1795966952561,
  "totalRecordCount" : 2,
  "deltaRecordCount" : 2,
  "nextRowId" : 0
})";

// Every key of the format, in the order of Java's newest line.
constexpr std::string_view kEveryKey = R"({
  "version" : 3,
  "uuid" : "1e6fff55-0d43-4488-9c4c-5fdcc85f471d",
  "id" : 42,
  "schemaId" : 3,
  "baseManifestList" : "manifest-list-a-0",
  "baseManifestListSize" : 10,
  "deltaManifestList" : "manifest-list-a-1",
  "deltaManifestListSize" : 11,
  "changelogManifestList" : "manifest-list-a-2",
  "changelogManifestListSize" : 12,
  "indexManifest" : "index-manifest-a-0",
  "commitUser" : "u",
  "writerVersion" : "2.1",
  "commitIdentifier" : 7,
  "commitKind" : "COMPACT",
  "timeMillis" : 1700000000000,
  "totalRecordCount" : 100,
  "deltaRecordCount" : -5,
  "changelogRecordCount" : 6,
  "watermark" : -9223372036854775808,
  "statistics" : "stat-a-0",
  "properties" : {
    "braid.note" : "naïve \"quote\"",
    "sequence.generation.max-sequence-number" : "9"
  },
  "nextRowId" : 8,
  "operation" : "WRITE"
})";

TEST(SnapshotJsonTest, ReadsASnapshotOfPaimon08) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot snapshot, ParseSnapshot(kPaimon08));
  Snapshot expected;
  expected.id = SnapshotId(1);
  expected.base_manifest_list = "manifest-list-7d98388d-a1a9-425c-bc56-70d2ca104aba-0";
  expected.delta_manifest_list = "manifest-list-7d98388d-a1a9-425c-bc56-70d2ca104aba-1";
  expected.commit_user = "20ed8ffa-bb36-4fae-8529-958c660029f3";
  expected.commit_identifier = kBatchCommitIdentifier;
  expected.time_millis = 1795966591716;
  expected.total_record_count = 3;
  expected.delta_record_count = 3;
  expected.changelog_record_count = 0;
  EXPECT_EQ(snapshot, expected);
}

TEST(SnapshotJsonTest, PrintsWhatJavaPrinted) {
  for (const std::string_view text : {kPaimon14, kEveryKey}) {
    BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot snapshot, ParseSnapshot(text));
    EXPECT_EQ(PrintSnapshot(snapshot), text);
  }
}

TEST(SnapshotJsonTest, ReadsEveryKey) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot snapshot, ParseSnapshot(kEveryKey));
  EXPECT_EQ(snapshot.uuid, "1e6fff55-0d43-4488-9c4c-5fdcc85f471d");
  EXPECT_EQ(snapshot.schema_id, SchemaId(3));
  EXPECT_EQ(snapshot.changelog_manifest_list_size, 12);
  EXPECT_EQ(snapshot.index_manifest, "index-manifest-a-0");
  EXPECT_EQ(snapshot.writer_version, "2.1");
  EXPECT_EQ(snapshot.commit_kind, CommitKind::kCompact);
  EXPECT_EQ(snapshot.commit_kind_text, "");
  EXPECT_EQ(snapshot.delta_record_count, -5);
  EXPECT_EQ(snapshot.watermark, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(snapshot.statistics, "stat-a-0");
  EXPECT_EQ(snapshot.properties.at("braid.note"), "naïve \"quote\"");
  EXPECT_EQ(snapshot.next_row_id, 8);
  EXPECT_EQ(snapshot.operation, "WRITE");
}

TEST(SnapshotJsonTest, ReadsTheOldestSnapshotsWithoutVersionAndCounts) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot snapshot, ParseSnapshot(R"({
    "id": 5, "schemaId": 1, "baseManifestList": "a", "deltaManifestList": "b", "commitUser": "u", "commitIdentifier": 3,
    "commitKind": "OVERWRITE", "timeMillis": 9})"));
  EXPECT_EQ(snapshot.version, 1);
  EXPECT_EQ(snapshot.total_record_count, 0);
  EXPECT_EQ(snapshot.commit_kind, CommitKind::kOverwrite);
}

TEST(SnapshotJsonTest, KeepsACommitKindAndIgnoresKeysOfAFutureWriter) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot snapshot, ParseSnapshot(R"({
    "future": {"deep": [1, 2.5, null]}, "timeMillis": 9, "commitKind": "TELEPORT", "commitIdentifier": 3, "commitUser": "u",
    "deltaManifestList": "b", "baseManifestList": "a", "schemaId": 1, "id": 5, "version": 3, "uuid": null})"));
  EXPECT_EQ(snapshot.commit_kind, CommitKind::kUnknown);
  EXPECT_EQ(CommitKindName(snapshot), "TELEPORT");
  EXPECT_THAT(RequireKnownKind(snapshot), IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(RequireKnownKind(snapshot), HasMessage("snapshot 5 has the commit kind 'TELEPORT'"));
  EXPECT_THAT(PrintSnapshot(snapshot), testing::HasSubstr(R"("commitKind" : "TELEPORT")"));
  EXPECT_THAT(PrintSnapshot(snapshot), testing::Not(testing::HasSubstr("future")));
}

TEST(SnapshotJsonTest, RefusesWhatIsNoSnapshot) {
  struct Case {
    std::string text;
    ErrorCode code;
    std::string message;
  };
  const std::vector<Case> cases = {
      {"", ErrorCode::kCorruption, ""},
      {"[]", ErrorCode::kCorruption, "must be a JSON object"},
      {R"({"version": 3})", ErrorCode::kCorruption, "id"},
      {R"({"version": 4, "id": 1})", ErrorCode::kUnsupported, "format version 4"},
      {R"({"id": 1.5})", ErrorCode::kCorruption, "id"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const Result<Snapshot> snapshot = ParseSnapshot(c.text);
    EXPECT_THAT(snapshot, IsError(c.code));
    EXPECT_THAT(snapshot, HasMessage(c.message));
  }
}

}  // namespace
}  // namespace braid
