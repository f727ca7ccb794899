#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/strong_id.h"

namespace braid {

/// kUnknown: a kind that a newer writer knows; what its commit did to the rows cannot be told.
enum class CommitKind : std::uint8_t { kAppend, kCompact, kOverwrite, kAnalyze, kUnknown };
std::string_view CommitKindName(CommitKind kind);  ///< "APPEND", …

/// The identifier of every commit of a batch job (spec metadata.md §8.4).
inline constexpr std::int64_t kBatchCommitIdentifier = std::numeric_limits<std::int64_t>::max();

/// A committed state of a table on one branch (spec metadata.md §3.1). Visible exactly when its file exists.
/// An immutable value; optional members are left out of the file when empty.
struct Snapshot {
  std::int32_t version = 3;
  std::optional<std::string> uuid;  ///< identity of this very snapshot; ids come again after a rollback
  SnapshotId id;
  SchemaId schema_id;              ///< latest schema when it was committed
  std::string base_manifest_list;  ///< list of the manifests carried over
  std::optional<std::int64_t> base_manifest_list_size;
  std::string delta_manifest_list;  ///< list of the manifests of this commit's changes
  std::optional<std::int64_t> delta_manifest_list_size;
  std::optional<std::string> changelog_manifest_list;
  std::optional<std::int64_t> changelog_manifest_list_size;
  std::optional<std::string> index_manifest;
  std::string commit_user;
  std::optional<std::string> writer_version;
  std::int64_t commit_identifier = kBatchCommitIdentifier;
  CommitKind commit_kind = CommitKind::kAppend;
  std::string commit_kind_text;  ///< as read, of a kind that is unknown; else empty
  std::int64_t time_millis = 0;
  std::int64_t total_record_count = 0;  ///< rows of all live data files, unmerged
  std::int64_t delta_record_count = 0;
  std::optional<std::int64_t> changelog_record_count;
  std::optional<std::int64_t> watermark;
  std::optional<std::string> statistics;  ///< name of the statistics file
  std::map<std::string, std::string> properties;
  std::optional<std::int64_t> next_row_id;
  std::optional<std::string> operation;

  friend bool operator==(const Snapshot&, const Snapshot&) = default;
};

/// The kind as the snapshot's file spells it.
std::string_view CommitKindName(const Snapshot& snapshot);
/// For whatever depends on what the commit did. Errors: kUnsupported for an unknown kind, naming it.
Status RequireKnownKind(const Snapshot& snapshot);

/// A named snapshot (spec metadata.md §10): the snapshot's own fields and what makes it a tag.
struct Tag {
  std::string name;
  Snapshot snapshot;
  std::optional<std::string> create_time;    ///< ISO local date-time as stored
  std::optional<std::string> time_retained;  ///< ISO duration as stored

  friend bool operator==(const Tag&, const Tag&) = default;
};

}  // namespace braid
