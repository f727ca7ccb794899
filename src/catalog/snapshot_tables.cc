// $snapshots, $tags, $branches, $merges and $consumers: what names the states of a table.

#include "types/local_time.h"
#include "catalog/system_table_internal.h"
#include "meta/stores.h"
#include "meta/tag_time.h"
#include "table/branch_list.h"
#include "table/lines.h"

namespace braid {

namespace {

DatumList SnapshotRow(const Snapshot& snapshot) {
  return {
      snapshot.id.value(),         snapshot.schema_id.value(),   snapshot.commit_user,
      snapshot.commit_identifier,  std::string(CommitKindName(snapshot)),           ToLocalTime(snapshot.time_millis),
      snapshot.base_manifest_list, snapshot.delta_manifest_list, OrNull(snapshot.changelog_manifest_list),
      snapshot.total_record_count, snapshot.delta_record_count,  OrNull(snapshot.changelog_record_count),
      OrNull(snapshot.watermark),  OrNull(snapshot.next_row_id),
  };
}

Result<std::vector<DatumList>> SnapshotRows(const Table& table) {
  const FileSystem& fs = table.file_system();
  BRAID_TRY_ASSIGN(std::vector<SnapshotId> ids, ListSnapshots(fs, table.paths()));
  // The hints bound the history: a fast-forward may leave older snapshots that are no part of it.
  BRAID_TRY_ASSIGN(const std::optional<SnapshotRange> range, FindSnapshotRange(fs, table.paths()));
  if (range) std::erase_if(ids, [&](SnapshotId id) { return id < range->earliest || id > range->latest; });
  BRAID_TRY_ASSIGN(const std::vector<Snapshot> snapshots, ReadSnapshots(fs, table.paths(), ids));
  std::vector<DatumList> rows;
  for (const Snapshot& snapshot : snapshots) rows.push_back(SnapshotRow(snapshot));
  return rows;
}

Result<DatumList> TagRow(const Tag& tag) {
  Datum create_time;
  if (tag.create_time) {
    BRAID_TRY_ASSIGN(const LocalDateTime time, ParseLocalDateTime(*tag.create_time));
    create_time =
        Timestamp{.millis = time.seconds * 1000 + time.nanos / 1'000'000, .nanos_of_milli = time.nanos % 1'000'000};
  }
  const Snapshot& snapshot = tag.snapshot;
  return DatumList{
      tag.name,
      snapshot.id.value(),
      snapshot.schema_id.value(),
      ToLocalTime(snapshot.time_millis),
      snapshot.total_record_count,
      std::move(create_time),
      OrNull(tag.time_retained),
  };
}

Result<std::vector<DatumList>> TagRows(const Table& table) {
  BRAID_TRY_ASSIGN(const std::vector<std::string> names, ListTags(table.file_system(), table.paths()));
  std::vector<DatumList> rows;
  for (const std::string& name : names) {
    const Result<Tag> tag = ReadTag(table.file_system(), table.paths(), name);
    if (!tag && tag.error().code() == ErrorCode::kNotFound) continue;  // it was deleted since the listing
    if (!tag) return tag.error();
    BRAID_TRY_ASSIGN(DatumList row, TagRow(*tag));
    rows.push_back(std::move(row));
  }
  return rows;
}

Datum IdOrNull(const std::optional<SnapshotId>& id) {
  return id ? Datum(id->value()) : Datum();
}

Result<std::vector<DatumList>> BranchRows(const Table& table) {
  BRAID_TRY_ASSIGN(const std::vector<BranchSummary> branches,
                   SummarizeBranches(table.file_system(), table.paths().root(), /*with_retired=*/false));
  std::vector<DatumList> rows;
  for (const BranchSummary& branch : branches) {
    rows.push_back({branch.line.name, ToLocalTime(branch.created_ms), OrNull(branch.tag()),
                    branch.tag() ? IdOrNull(branch.fork_snapshot()) : Datum(), OrNull(branch.parent),
                    IdOrNull(branch.fork_snapshot()), IdOrNull(branch.latest), branch.origin(), branch.line.is_main,
                    branch.line.id});
  }
  return rows;
}

// Merges, as the records of both lines' branches tell them.
Result<std::vector<DatumList>> LinkRows(const Table& table) {
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(table.file_system(), table.paths().root(), Inference::kSkip));
  const auto name_of = [&](const std::string& line_id) {
    const Line* line = lines.FindById(line_id);
    if (line == nullptr) return Datum();
    return Datum(line->is_main ? std::string(kMainBranch) : line->name);
  };
  std::vector<DatumList> rows;
  for (const Line& line : lines.lines) {
    if ((line.kind != LineKind::kRoot && line.kind != LineKind::kBranch) || !line.record) continue;
    for (const ForkLink& link : line.record->links) {
      const bool is_source = link.direction == "to";
      rows.push_back({name_of(is_source ? line.id : link.line_id), name_of(is_source ? link.line_id : line.id),
                      link.segment ? Datum(link.segment->first.value()) : Datum(), link.source.id.value(),
                      link.target.id.value(), link.segment ? "fast-forward" : "three-way", ToLocalTime(link.created_ms)});
    }
  }
  return rows;
}

Result<std::vector<DatumList>> ConsumerRows(const Table& table) {
  BRAID_TRY_ASSIGN(const std::vector<Consumer> consumers, ListConsumers(table.file_system(), table.paths()));
  std::vector<DatumList> rows;
  for (const Consumer& consumer : consumers) rows.push_back({consumer.id, consumer.next_snapshot.value()});
  return rows;
}

}  // namespace

SystemTableProviderPtr SnapshotsTable() {
  return MakeMetadataTable("snapshots",
                           MakeFields({{"snapshot_id", DataType::BigInt().NotNull()},
                                       {"schema_id", DataType::BigInt().NotNull()},
                                       {"commit_user", DataType::String().NotNull()},
                                       {"commit_identifier", DataType::BigInt().NotNull()},
                                       {"commit_kind", DataType::String().NotNull()},
                                       {"commit_time", DataType::Timestamp(3).NotNull()},
                                       {"base_manifest_list", DataType::String().NotNull()},
                                       {"delta_manifest_list", DataType::String().NotNull()},
                                       {"changelog_manifest_list", DataType::String()},
                                       {"total_record_count", DataType::BigInt()},
                                       {"delta_record_count", DataType::BigInt()},
                                       {"changelog_record_count", DataType::BigInt()},
                                       {"watermark", DataType::BigInt()},
                                       {"next_row_id", DataType::BigInt()}}),
                           SnapshotRows);
}

SystemTableProviderPtr TagsTable() {
  return MakeMetadataTable(
      "tags",
      MakeFields({{"tag_name", DataType::String().NotNull()},
                  {"snapshot_id", DataType::BigInt().NotNull()},
                  {"schema_id", DataType::BigInt().NotNull()},
                  {"commit_time", DataType::Timestamp(3).NotNull()},
                  {"record_count", DataType::BigInt()},
                  // Java declares TIMESTAMP(3), yet gives the nanoseconds that the tag's file holds.
                  {"create_time", DataType::Timestamp(9)},
                  {"time_retained", DataType::String()}}),
      TagRows);
}

SystemTableProviderPtr BranchesTable() {
  return MakeMetadataTable("branches",
                           MakeFields({{"branch_name", DataType::String().NotNull()},
                                       {"create_time", DataType::Timestamp(3).NotNull()},
                                       {"tag_name", DataType::String()},
                                       {"tagged_snapshot_id", DataType::BigInt()},
                                       {"parent_branch", DataType::String()},
                                       {"fork_snapshot_id", DataType::BigInt()},
                                       {"latest_snapshot_id", DataType::BigInt()},
                                       {"origin", DataType::String().NotNull()},
                                       {"is_main", DataType::Boolean().NotNull()},
                                       {"branch_id", DataType::String()}}),
                           BranchRows);
}

SystemTableProviderPtr MergesTable() {
  return MakeMetadataTable("merges",
                           MakeFields({{"source", DataType::String()},
                                       {"target", DataType::String()},
                                       {"base_snapshot_id", DataType::BigInt()},
                                       {"source_snapshot_id", DataType::BigInt().NotNull()},
                                       {"target_snapshot_id", DataType::BigInt().NotNull()},
                                       {"strategy", DataType::String().NotNull()},
                                       {"merge_time", DataType::Timestamp(3).NotNull()}}),
                           LinkRows);
}

SystemTableProviderPtr ConsumersTable() {
  return MakeMetadataTable(
      "consumers",
      MakeFields({{"consumer_id", DataType::String().NotNull()}, {"next_snapshot_id", DataType::BigInt().NotNull()}}),
      ConsumerRows);
}

}  // namespace braid
