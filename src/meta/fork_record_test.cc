#include "meta/fork_record.h"

#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "io/memory_file_system.h"

namespace braid {
namespace {

using testing::Eq;
using testing::HasSubstr;

Snapshot SnapshotOf(std::int64_t id, std::string identity) {
  Snapshot snapshot;
  snapshot.id = SnapshotId(id);
  snapshot.base_manifest_list = "manifest-list-base";
  snapshot.delta_manifest_list = "manifest-list-" + identity;
  snapshot.commit_user = "u";
  return snapshot;
}

// As spec branches.md §3.1 prints it, with a key of a newer version.
constexpr std::string_view kRecord = R"({
  "formatVersion": 1,
  "branchId": "3f0c0b7e-5d1c-4e0e-9d0b-6a1f2d3c4b5a",
  "name": "fix_0514",
  "kind": "tag",
  "parent": { "name": "main", "lineId": "root" },
  "anchor": { "snapshotId": 4, "identity": "9b2f-1", "schemaId": 1, "commitMillis": 1715650000000 },
  "tag": "2024-05-14",
  "createdMillis": 1715652000000,
  "createdBy": "ana@etl-3",
  "engine": "braid 0.1.0",
  "protected": false,
  "expiresMillis": null,
  "base": { "version": 3, "id": 4, "schemaId": 1, "baseManifestList": "manifest-list-9b2f-0",
            "deltaManifestList": "manifest-list-9b2f-1", "commitUser": "u", "commitIdentifier": 1,
            "commitKind": "APPEND", "timeMillis": 1715650000000, "totalRecordCount": 2, "deltaRecordCount": 2 },
  "links": [ { "lineId": "root", "direction": "to", "segment": [4, 9],
               "source": { "snapshotId": 9, "identity": "a" }, "target": { "snapshotId": 12, "identity": "b" },
               "op": "o", "millis": 1715660000000, "base": null, "weight": 2 } ],
  "colour": "green"
})";

TEST(ForkRecordTest, ReadsEveryKey) {
  BRAID_ASSERT_OK_AND_ASSIGN(const ForkRecord record, ParseForkRecord(kRecord));
  EXPECT_EQ(record.branch_id, "3f0c0b7e-5d1c-4e0e-9d0b-6a1f2d3c4b5a");
  EXPECT_EQ(record.kind, ForkKind::kTag);
  EXPECT_EQ(record.parent_line_id, kRootLineId);
  ASSERT_TRUE(record.anchor);
  EXPECT_EQ(record.anchor->snapshot, (SnapshotRef{SnapshotId(4), "9b2f-1"}));
  EXPECT_EQ(record.anchor->schema_id, SchemaId(1));
  EXPECT_EQ(record.tag, "2024-05-14");
  ASSERT_TRUE(record.base);
  EXPECT_EQ(SnapshotIdentity(*record.base), "9b2f-1");
  ASSERT_EQ(record.links.size(), 1U);
  EXPECT_EQ(record.links[0].segment->second, SnapshotId(9));
  EXPECT_EQ(record.links[0].target.id, SnapshotId(12));
  EXPECT_FALSE(record.inferred);
  EXPECT_FALSE(record.retired);
}

TEST(ForkRecordTest, KeepsKeysOfANewerVersionWhenWrittenAgain) {
  BRAID_ASSERT_OK_AND_ASSIGN(ForkRecord record, ParseForkRecord(kRecord));
  record.name = "renamed";
  record.retired = RetiredLine{.operation = "o2", .drop_after_ms = 7};
  const std::string printed = PrintForkRecord(record);
  EXPECT_THAT(printed, HasSubstr("\"colour\" : \"green\""));
  EXPECT_THAT(printed, HasSubstr("\"weight\" : 2"));
  EXPECT_THAT(ParseForkRecord(printed), HasValue(Eq(record)));
}

TEST(ForkRecordTest, RefusesWhatIsBrokenOrNewer) {
  EXPECT_THAT(ParseForkRecord("{"), IsError(ErrorCode::kCorruption));
  EXPECT_THAT(ParseForkRecord(R"({"formatVersion": 1})"), IsError(ErrorCode::kCorruption));
  EXPECT_THAT(ParseForkRecord(R"({"formatVersion": 2, "branchId": "x"})"), IsError(ErrorCode::kUnsupported));
}

TEST(ForkRecordTest, ASnapshotAndItsTagHaveOneIdentity) {
  Snapshot snapshot = SnapshotOf(3, "7a-1");
  snapshot.uuid = "some";
  Snapshot in_tag = snapshot;
  in_tag.uuid.reset();  // as Java writes it
  EXPECT_EQ(RefOf(snapshot), RefOf(in_tag));
  EXPECT_EQ(SnapshotIdentity(snapshot), "7a-1");
}

TEST(TableRecordTest, IsMadeOnceAndKeepsWhatItDoesNotKnow) {
  MemoryFileSystem fs;
  const TablePaths paths("/w/d.db/t", "main");
  EXPECT_THAT(ReadTableRecord(fs, paths), HasValue(Eq(std::nullopt)));
  BRAID_ASSERT_OK_AND_ASSIGN(TableRecord record, EnsureTableRecord(fs, paths, 5));
  EXPECT_EQ(record.root_line_id, kRootLineId);
  EXPECT_THAT(EnsureTableRecord(fs, paths, 6), HasValue(Eq(record)));
  record.rewinds["root"].push_back(
      {.to_snapshot = SnapshotId(6), .head_before = {SnapshotId(9), "i"}, .rewound_ms = 8, .operation = "o"});
  record.unknown.emplace_back("shape", "round");
  record.root_record = *ParseForkRecord(kRecord);
  ASSERT_THAT(WriteTableRecord(fs, paths, record), IsOk());
  EXPECT_THAT(EnsureTableRecord(fs, paths, 6), HasValue(Eq(record)));
}

}  // namespace
}  // namespace braid
