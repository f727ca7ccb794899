#include "meta/table_paths.h"

#include <utility>

#include <fmt/format.h>

#include "io/file_system.h"

namespace braid {

TablePaths::TablePaths(std::string root, std::string branch) : root_(std::move(root)), branch_(std::move(branch)) {
  while (root_.size() > 1 && root_.ends_with('/')) root_.pop_back();
  if (branch_.empty()) branch_ = kMainBranch;
}

std::string TablePaths::DisplayName() const {
  constexpr std::string_view kDatabaseSuffix = ".db";
  std::string name(BaseName(root_));
  const std::string_view parent = BaseName(DirectoryName(root_));
  if (parent.size() > kDatabaseSuffix.size() && parent.ends_with(kDatabaseSuffix)) {
    name = fmt::format("{}.{}", parent.substr(0, parent.size() - kDatabaseSuffix.size()), name);
  }
  return branch_ == kMainBranch ? name : fmt::format("{}, branch {}", name, branch_);
}

std::string TablePaths::BranchesDirectory() const {
  return JoinPath(root_, "branch");
}

TablePaths TablePaths::OfLineAt(std::string root, std::string label, std::string directory) {
  TablePaths paths(std::move(root), std::move(label));
  paths.line_directory_ = std::move(directory);
  return paths;
}

std::string TablePaths::BranchDirectory() const {
  if (!line_directory_.empty()) return line_directory_;
  return branch_ == kMainBranch ? root_ : JoinPath(BranchesDirectory(), fmt::format("branch-{}", branch_));
}

std::string TablePaths::SchemaDirectory() const {
  return JoinPath(BranchDirectory(), "schema");
}
std::string TablePaths::SchemaFile(SchemaId id) const {
  return JoinPath(SchemaDirectory(), fmt::format("schema-{}", id));
}

std::string TablePaths::SnapshotDirectory() const {
  return JoinPath(BranchDirectory(), "snapshot");
}
std::string TablePaths::SnapshotFile(SnapshotId id) const {
  return JoinPath(SnapshotDirectory(), fmt::format("snapshot-{}", id));
}
std::string TablePaths::LatestHint() const {
  return JoinPath(SnapshotDirectory(), "LATEST");
}
std::string TablePaths::EarliestHint() const {
  return JoinPath(SnapshotDirectory(), "EARLIEST");
}

std::string TablePaths::ChangelogDirectory() const {
  return JoinPath(BranchDirectory(), "changelog");
}
std::string TablePaths::ChangelogFile(SnapshotId id) const {
  return JoinPath(ChangelogDirectory(), fmt::format("changelog-{}", id));
}

std::string TablePaths::TagDirectory() const {
  return JoinPath(BranchDirectory(), "tag");
}
std::string TablePaths::TagFile(std::string_view name) const {
  return JoinPath(TagDirectory(), fmt::format("tag-{}", name));
}

std::string TablePaths::ConsumerDirectory() const {
  return JoinPath(BranchDirectory(), "consumer");
}
std::string TablePaths::ConsumerFile(std::string_view id) const {
  return JoinPath(ConsumerDirectory(), fmt::format("consumer-{}", id));
}

std::string TablePaths::ManifestDirectory() const {
  return JoinPath(root_, "manifest");
}
std::string TablePaths::ManifestFile(std::string_view name) const {
  return JoinPath(ManifestDirectory(), name);
}
std::string TablePaths::IndexDirectory() const {
  return JoinPath(root_, "index");
}
std::string TablePaths::StatisticsDirectory() const {
  return JoinPath(root_, "statistics");
}

std::string TablePaths::ForkRecordFile() const {
  return JoinPath(BranchDirectory(), "fork.json");
}
std::string TablePaths::MainBranchFile() const {
  return JoinPath(root_, "MAIN-BRANCH");
}
std::string TablePaths::BraidDirectory() const {
  return JoinPath(root_, ".braid");
}
std::string TablePaths::TableRecordFile() const {
  return JoinPath(BraidDirectory(), "table.json");
}
std::string TablePaths::LockFile() const {
  return JoinPath(BraidDirectory(), "lock");
}
std::string TablePaths::OperationDirectory() const {
  return JoinPath(BraidDirectory(), "op");
}
std::string TablePaths::OperationFile(std::string_view operation) const {
  return JoinPath(OperationDirectory(), fmt::format("{}.json", operation));
}
std::string TablePaths::AliasDirectory() const {
  return JoinPath(BraidDirectory(), "aliases");
}
std::string TablePaths::AliasFile(std::string_view branch) const {
  return JoinPath(AliasDirectory(), fmt::format("{}.json", branch));
}
std::string TablePaths::LeaseDirectory() const {
  return JoinPath(BraidDirectory(), "readers");
}
std::string TablePaths::StagingDirectory(std::string_view operation) const {
  return JoinPath(BraidDirectory(), fmt::format("staging/{}", operation));
}
std::string TablePaths::NewBranchDirectory(std::string_view operation) const {
  return JoinPath(BranchesDirectory(), fmt::format(".new-{}", operation));
}
std::string TablePaths::DroppedBranchDirectory(std::string_view operation) const {
  return JoinPath(BranchesDirectory(), fmt::format(".dropped-{}", operation));
}

}  // namespace braid
