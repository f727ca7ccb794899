#include "table/seal.h"

#include <utility>

#include <fmt/format.h>

#include "base/uuid.h"
#include "meta/stores.h"

namespace braid {

namespace {

constexpr std::string_view kSealUser = "braid-seal-";
constexpr const char* kSeal = "braid.seal";
constexpr const char* kReason = "braid.seal.reason";
constexpr const char* kMovedTo = "braid.seal.moved-to";
constexpr const char* kLine = "braid.seal.line";
constexpr const char* kUnseal = "braid.unseal";

std::optional<std::string> FindProperty(const Snapshot& snapshot, const char* key) {
  const auto found = snapshot.properties.find(key);
  return found == snapshot.properties.end() ? std::nullopt : std::optional(found->second);
}

// Commits snapshots that change nothing. All on top of one head share their pair of manifest lists.
class EmptyCommits {
 public:
  EmptyCommits(const LockedTable& table, const TablePaths& line, std::string user, std::map<std::string, std::string> properties)
      : table_(table), line_(line), user_(std::move(user)), properties_(std::move(properties)) {}

  // The next snapshot, or kConflict if another writer took its id.
  Result<Snapshot> Append(const Snapshot& head) {
    if (!base_ || !IsOurs(head)) BRAID_TRY(WriteLists(head));
    Snapshot next = head;
    next.uuid = RandomUuid();
    next.id = head.id.next();
    next.version = 3;
    next.base_manifest_list = base_->name;
    next.base_manifest_list_size = base_->size_bytes;
    next.delta_manifest_list = delta_->name;
    next.delta_manifest_list_size = delta_->size_bytes;
    next.changelog_manifest_list.reset();
    next.changelog_manifest_list_size.reset();
    next.changelog_record_count.reset();
    next.commit_user = user_;
    next.commit_identifier = kBatchCommitIdentifier;
    next.commit_kind = CommitKind::kCompact;
    next.commit_kind_text.clear();
    next.time_millis = table_.NowMs();
    next.delta_record_count = 0;
    next.properties = properties_;
    next.operation.reset();
    BRAID_TRY(CreateSnapshot(table_.fs(), line_, next));
    BRAID_TRY(WriteLatestHint(table_.fs(), line_, next.id));
    return next;
  }

 private:
  bool IsOurs(const Snapshot& head) const { return delta_ && head.delta_manifest_list == delta_->name; }

  Status WriteLists(const Snapshot& head) {
    FileSystem& fs = table_.fs();
    BRAID_TRY_ASSIGN(std::vector<ManifestFileMeta> manifests, ReadManifestList(fs, line_, head.base_manifest_list));
    BRAID_TRY_ASSIGN(const std::vector<ManifestFileMeta> delta, ReadManifestList(fs, line_, head.delta_manifest_list));
    manifests.insert(manifests.end(), delta.begin(), delta.end());
    BRAID_TRY_ASSIGN(base_, WriteManifestList(fs, line_, names_, manifests, {}));
    BRAID_TRY_ASSIGN(delta_, WriteManifestList(fs, line_, names_, {}, {}));
    return fs.SyncFiles(std::vector{line_.ManifestFile(base_->name), line_.ManifestFile(delta_->name)});
  }

  const LockedTable& table_;
  const TablePaths& line_;
  const std::string user_;
  const std::map<std::string, std::string> properties_;
  MetadataFileNames names_;
  std::optional<WrittenMetadata> base_;
  std::optional<WrittenMetadata> delta_;
};

}  // namespace

std::optional<Seal> SealOf(const Snapshot& snapshot) {
  const std::optional<std::string> operation = FindProperty(snapshot, kSeal);
  if (!operation || snapshot.commit_user != fmt::format("{}{}", kSealUser, *operation)) return std::nullopt;
  return Seal{.operation = *operation, .reason = FindProperty(snapshot, kReason).value_or(""),
              .moved_to = FindProperty(snapshot, kMovedTo), .line_id = FindProperty(snapshot, kLine).value_or("")};
}

Result<Snapshot> SealLine(const LockedTable& table, const TablePaths& line, const Seal& seal) {
  std::map<std::string, std::string> properties = {{kSeal, seal.operation}, {kReason, seal.reason}};
  if (seal.moved_to) properties.emplace(kMovedTo, *seal.moved_to);
  if (!seal.line_id.empty()) properties.emplace(kLine, seal.line_id);
  EmptyCommits commits(table, line, fmt::format("{}{}", kSealUser, seal.operation), properties);
  while (true) {
    BRAID_TRY_ASSIGN(std::optional<Snapshot> head, ReadLatestSnapshot(table.fs(), line));
    if (!head) return Error(ErrorCode::kNotFound, fmt::format("{} has no snapshot", line.DisplayName()));
    const std::optional<Seal> present = SealOf(*head);
    if (present && present->operation == seal.operation && present->moved_to == seal.moved_to) return *std::move(head);
    Result<Snapshot> sealed = commits.Append(*head);
    // A writer was faster: its snapshot stays below the seal.
    if (sealed || sealed.error().code() != ErrorCode::kConflict) return sealed;
  }
}

Status UnsealLine(const LockedTable& table, const TablePaths& line, std::string_view operation) {
  while (true) {
    BRAID_TRY_ASSIGN(const std::optional<Snapshot> head, ReadLatestSnapshot(table.fs(), line));
    if (!head) return Ok();
    const std::optional<Seal> present = SealOf(*head);
    if (!present || present->operation != operation) return Ok();
    EmptyCommits commits(table, line, fmt::format("{}{}", kSealUser, operation), {{kUnseal, std::string(operation)}});
    const Result<Snapshot> opened = commits.Append(*head);
    if (opened) return Ok();
    if (opened.error().code() != ErrorCode::kConflict) return opened.error();
  }
}

Status RaiseHead(const LockedTable& table, const TablePaths& line, SnapshotId id, std::string_view operation) {
  EmptyCommits commits(table, line, fmt::format("{}{}", kSealUser, operation), {});
  while (true) {
    BRAID_TRY_ASSIGN(std::optional<Snapshot> head, ReadLatestSnapshot(table.fs(), line));
    while (head && head->id < id) {
      Result<Snapshot> next = commits.Append(*head);
      if (!next && next.error().code() == ErrorCode::kConflict) break;
      if (!next) return std::move(next).error();
      head = *std::move(next);
    }
    if (!head || head->id >= id) return Ok();
  }
}

}  // namespace braid
