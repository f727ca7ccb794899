#include "table/conflict_check.h"

#include <gtest/gtest.h>

#include "table/manifest_testing.h"

namespace braid {
namespace {

TableDefinition ByDay() {
  return TestDefinition({{"dt", DataType::String()}, {"k", DataType::Int()}}, {"dt", "k"}, {{"bucket", "4"}}, {"dt"});
}

/// A file of a level with keys from `low` to `high`.
ManifestEntry Sorted(const ManifestsOnly& manifests, std::string name, const std::string& day, std::int32_t bucket,
                     std::int32_t level, int low, int high) {
  const std::vector<DataType> key = {DataType::Int()};
  ManifestEntry entry = FileOf(manifests, std::move(name), {day}, bucket);
  entry.file.level = level;
  entry.file.min_key = BinaryRow::Make(key, DatumList{low});
  entry.file.max_key = BinaryRow::Make(key, DatumList{high});
  return entry;
}

ManifestEntry Removed(ManifestEntry entry) {
  entry.kind = FileKind::kDelete;
  return entry;
}

ManifestEntry OfBuckets(ManifestEntry entry, std::int32_t total_buckets) {
  entry.total_buckets = total_buckets;
  return entry;
}

// Rules C1 to C4 of spec metadata.md §8.5, each with what is live and what is to be committed.
TEST(ConflictCheckTest, FollowsTheRulesOfTheSpecification) {
  ManifestsOnly manifests(ByDay());
  const auto file = [&](std::string name, int low, int high, std::int32_t level = 5) {
    return Sorted(manifests, std::move(name), "1", 0, level, low, high);
  };
  const ManifestEntry a = file("a", 0, 9);
  const ManifestEntry b = file("b", 10, 19);
  const ManifestEntry zero = file("zero", 0, 30, 0);
  ManifestEntry postponed = FileOf(manifests, "postponed", {"1"}, -2, -2);
  struct Case {
    std::string name;
    std::vector<ManifestEntry> delta;
    CommitKind kind = CommitKind::kCompact;
    std::optional<ErrorCode> error = std::nullopt;
  };
  const std::vector<Case> cases = {
      {"nothing", {}},
      {"a compaction of live files", {Removed(a), Removed(b), file("ab", 0, 19)}},
      {"a file of level 0 over the keys of others", {file("c", 0, 30, 0)}},
      {"a move to another level", {Removed(zero), file("zero", 0, 30, 4)}},
      {"a file between others", {file("c", 20, 25)}},
      {"a file whose keys a live one has too", {file("c", 5, 7)}, CommitKind::kCompact, ErrorCode::kConflict},
      {"the same keys in another bucket", {Sorted(manifests, "c", "1", 1, 5, 5, 7)}},
      {"the same keys in another partition", {Sorted(manifests, "c", "2", 0, 5, 5, 7)}},
      {"the same keys on another level", {file("c", 5, 7, 4)}},
      {"a file that is gone", {Removed(file("gone", 0, 9))}, CommitKind::kCompact, ErrorCode::kConflict},
      {"a file of another level", {Removed(file("a", 0, 9, 4))}, CommitKind::kCompact, ErrorCode::kConflict},
      {"a file of another partition",
       {Removed(Sorted(manifests, "a", "2", 0, 5, 0, 9))},
       CommitKind::kOverwrite,
       ErrorCode::kConflict},
      {"a file that was deleted before", {Removed(file("old", 0, 99))}, CommitKind::kOverwrite, ErrorCode::kConflict},
      {"a file that is there already", {zero}, CommitKind::kCompact, ErrorCode::kConflict},
      {"a file twice", {file("c", 20, 25), file("c", 20, 25)}, CommitKind::kCompact, ErrorCode::kConflict},
      {"a file added and deleted", {file("c", 5, 7), Removed(file("c", 5, 7))}},
      {"a postponed file", {Removed(postponed)}},
      {"other number of buckets", {OfBuckets(file("c", 20, 25), 2)}, CommitKind::kCompact, ErrorCode::kInvalidArgument},
      {"other number of buckets, by another bucket",
       {OfBuckets(Sorted(manifests, "c", "1", 3, 5, 0, 1), 2)},
       CommitKind::kCompact,
       ErrorCode::kInvalidArgument},
      {"other number of buckets, of a new partition", {OfBuckets(Sorted(manifests, "c", "7", 3, 5, 0, 1), 2)}},
      {"other number of buckets, of an overwrite", {OfBuckets(file("c", 20, 25), 2)}, CommitKind::kOverwrite},
  };
  const Snapshot snapshot =
      manifests.Write({{file("old", 0, 99), a, zero, Sorted(manifests, "other", "1", 2, 5, 0, 99)},
                       {Removed(file("old", 0, 99)), postponed},
                       {b, Sorted(manifests, "x", "2", 1, 5, 0, 9)}});
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Status checked = CheckConflicts(manifests.table(), snapshot, c.delta, c.kind);
    EXPECT_EQ(checked ? std::nullopt : std::optional(checked.error().code()), c.error);
  }
}

TEST(ConflictCheckTest, ReadsOnlyManifestsThatCanHoldTheFiles) {
  ManifestsOnly manifests(ByDay());
  const ManifestEntry b = Sorted(manifests, "b", "2", 0, 5, 0, 9);
  const Snapshot snapshot =
      manifests.Write({{Sorted(manifests, "a", "1", 0, 5, 0, 9)}, {b}, {Sorted(manifests, "c", "3", 0, 5, 0, 9)}});
  manifests.ReadsOfManifests();
  EXPECT_THAT(CheckConflicts(manifests.table(), snapshot, {Removed(b)}, CommitKind::kCompact), IsOk());
  EXPECT_EQ(manifests.ReadsOfManifests(), 1U);
  EXPECT_THAT(
      CheckConflicts(manifests.table(), snapshot, {Sorted(manifests, "d", "4", 0, 5, 0, 9)}, CommitKind::kCompact),
      IsOk());
  EXPECT_EQ(manifests.ReadsOfManifests(), 0U);
}

}  // namespace
}  // namespace braid
