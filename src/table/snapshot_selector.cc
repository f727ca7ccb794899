#include "table/snapshot_selector.h"

#include <utility>

#include <fmt/format.h>

#include "meta/stores.h"
#include "table/time_travel.h"

namespace braid {

namespace {

Result<Snapshot> ById(const Table& table, SnapshotId id) {
  const FileSystem& fs = table.file_system();
  Result<Snapshot> snapshot = ReadExistingSnapshot(fs, table.paths(), id);
  if (snapshot || snapshot.error().code() != ErrorCode::kNotFound) return snapshot;
  BRAID_TRY_ASSIGN(const std::vector<std::string> names, ListTags(fs, table.paths()));
  for (const std::string& name : names) {
    Result<Tag> tag = ReadTag(fs, table.paths(), name);
    if (!tag && tag.error().code() == ErrorCode::kNotFound) continue;  // deleted since the listing
    if (!tag) return std::move(tag).error();
    if (tag->snapshot.id == id) return std::move(tag->snapshot);
  }
  return snapshot;
}

Result<Snapshot> ByOption(const Table& table, const char* option, std::int64_t value) {
  Options options;
  options.Set(option, std::to_string(value));
  BRAID_TRY_ASSIGN(std::optional<Snapshot> snapshot, TravelTo(table.file_system(), table.paths(), options));
  if (snapshot) return *std::move(snapshot);
  return Error(ErrorCode::kNotFound, fmt::format("{} has no snapshot", table.name()));
}

}  // namespace

Result<Snapshot> SelectSnapshot(const Table& table, const SnapshotSelector& selector) {
  const int given = int{selector.id.has_value()} + int{selector.tag.has_value()} +
                    int{selector.timestamp_ms.has_value()} + int{selector.watermark.has_value()};
  if (given > 1) {
    return Error(ErrorCode::kInvalidArgument, "a snapshot is named in more than one way")
        .Hint("name it by id, tag, time or watermark");
  }
  if (selector.id) return ById(table, *selector.id);
  if (selector.tag) {
    BRAID_TRY_ASSIGN(Tag tag, ReadExistingTag(table.file_system(), table.paths(), *selector.tag));
    return std::move(tag.snapshot);
  }
  if (selector.timestamp_ms) return ByOption(table, "scan.timestamp-millis", *selector.timestamp_ms);
  if (selector.watermark) return ByOption(table, "scan.watermark", *selector.watermark);
  BRAID_TRY_ASSIGN(std::optional<Snapshot> latest, ReadLatestSnapshot(table.file_system(), table.paths()));
  if (latest) return *std::move(latest);
  return Error(ErrorCode::kNotFound, fmt::format("{} has no snapshot", table.paths().DisplayName()))
      .Hint("write to it first");
}

}  // namespace braid
