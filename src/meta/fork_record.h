#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/strong_id.h"
#include "io/file_system.h"
#include "meta/snapshot.h"
#include "meta/table_paths.h"

namespace braid {

/// The lineId of a table root that was never replaced.
inline constexpr std::string_view kRootLineId = "root";

/// What tells a snapshot from others with its id, on any line: the name of its delta manifest list without
/// "manifest-list-". Unlike the UUID it is the same in a tag of the snapshot (spec branches.md §1).
std::string SnapshotIdentity(const Snapshot& snapshot);

/// A snapshot named so that no other is meant.
struct SnapshotRef {
  SnapshotId id;
  std::string identity;

  friend bool operator==(const SnapshotRef&, const SnapshotRef&) = default;
};
SnapshotRef RefOf(const Snapshot& snapshot);

/// What a branch was made from.
enum class ForkKind : std::uint8_t { kTag, kBranchTag, kSnapshot, kEmpty };
std::string_view ForkKindName(ForkKind kind);  ///< "tag", "branch-tag", "snapshot", "empty"

/// Where a branch leaves its parent, in the parent's numbering.
struct ForkAnchor {
  SnapshotRef snapshot;
  SchemaId schema_id;
  std::int64_t commit_ms = 0;

  friend bool operator==(const ForkAnchor&, const ForkAnchor&) = default;
};
ForkAnchor AnchorAt(const Snapshot& snapshot);

/// One merge with another line (spec branches.md §3.1).
struct ForkLink {
  std::string line_id;           ///< the other line
  std::string direction = "to";  ///< "to": the branch's content went to that line; "from": it came from there
  /// Ids that both lines hold with the same identity since; first and last.
  std::optional<std::pair<SnapshotId, SnapshotId>> segment;
  SnapshotRef source;
  SnapshotRef target;
  std::string operation;
  std::int64_t created_ms = 0;
  /// The source's content at that moment: the next merge's base, and a root for cleaning.
  std::optional<Snapshot> base;
  Json::Object unknown;  ///< keys of a newer Braid

  friend bool operator==(const ForkLink&, const ForkLink&) = default;
};

/// Marks a replaced main within its grace time.
struct RetiredLine {
  std::string operation;
  std::int64_t drop_after_ms = 0;

  friend bool operator==(const RetiredLine&, const RetiredLine&) = default;
};

/// `fork.json` of a branch (spec branches.md §3.1): what it is and where it comes from. An immutable value; a change is
/// a new value, written under the table lock.
struct ForkRecord {
  std::string branch_id;  ///< the branch's lineId
  std::string name;
  ForkKind kind = ForkKind::kTag;
  std::string parent_name;           ///< when it was made; the parent is found by its id
  std::string parent_line_id;        ///< empty: unknown (inferred records only)
  std::optional<ForkAnchor> anchor;  ///< nullopt: an empty branch, or not known
  std::optional<std::string> tag;    ///< the tag that it was made from; history, never used to find files
  std::int64_t created_ms = 0;
  std::string created_by;
  std::string engine;
  bool is_protected = false;
  std::optional<std::int64_t> expires_ms;
  /// Base of merges and root for cleaning; nullopt for an empty branch, or after `release-base`.
  std::optional<Snapshot> base;
  std::vector<ForkLink> links;  ///< newest last
  bool inferred = false;        ///< adopted from a branch that another engine made
  std::optional<RetiredLine> retired;
  Json::Object unknown;  ///< keys of a newer Braid, kept when the record is written again

  friend bool operator==(const ForkRecord&, const ForkRecord&) = default;
};

/// Errors: kCorruption; kUnsupported for a newer format version.
Result<ForkRecord> ParseForkRecord(std::string_view text);
std::string PrintForkRecord(const ForkRecord& record);
Result<ForkRecord> ForkRecordFromJson(const Json& json);
Json ForkRecordToJson(const ForkRecord& record);

/// nullopt if the line has none. Errors: kCorruption naming the file.
Result<std::optional<ForkRecord>> ReadForkRecord(const FileSystem& fs, const TablePaths& paths);
/// Puts it in the old one's place, synced.
Status WriteForkRecord(FileSystem& fs, const TablePaths& paths, const ForkRecord& record);

/// A line went back: ids above `to_snapshot` were given away and may mean something else now.
struct LineRewind {
  SnapshotId to_snapshot;
  SnapshotRef head_before;
  std::int64_t rewound_ms = 0;
  std::string operation;

  friend bool operator==(const LineRewind&, const LineRewind&) = default;
};

/// `.braid/table.json` (spec branches.md §3.3): what the table is, whatever it is called.
struct TableRecord {
  std::string table_uuid;
  std::int64_t created_ms = 0;
  std::string root_line_id{kRootLineId};
  std::map<std::string, std::vector<LineRewind>> rewinds;  ///< by lineId
  /// The fork record of the branch that became the root; its base and links stay roots for cleaning.
  std::optional<ForkRecord> root_record;
  Json::Object unknown;

  friend bool operator==(const TableRecord&, const TableRecord&) = default;
};

Result<TableRecord> ParseTableRecord(std::string_view text);
std::string PrintTableRecord(const TableRecord& record);
/// nullopt if the table has none: no Braid has written to it.
Result<std::optional<TableRecord>> ReadTableRecord(const FileSystem& fs, const TablePaths& paths);
/// Reads it, or makes it if it is missing; exactly one of several racing callers makes it.
Result<TableRecord> EnsureTableRecord(FileSystem& fs, const TablePaths& paths, std::int64_t now_ms);
Status WriteTableRecord(FileSystem& fs, const TablePaths& paths, const TableRecord& record);

}  // namespace braid
