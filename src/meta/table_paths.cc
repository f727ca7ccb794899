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

std::string TablePaths::BranchDirectory() const {
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

}  // namespace braid
