#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/strong_id.h"
#include "types/data_type.h"
#include "types/datum.h"

namespace braid {

inline constexpr std::string_view kMainBranch = "main";

/// Where everything of one table, seen from one of its branches, lies (spec metadata.md §1). Schemas, snapshots, tags,
/// changelogs and consumers are the branch's own; manifests, indexes, statistics and data are shared by all branches.
class TablePaths {
 public:
  TablePaths(std::string root, std::string branch);

  const std::string& root() const { return root_; }
  const std::string& branch() const { return branch_; }
  /// For messages: "sales.orders", or "sales.orders, branch b"; without database where the root lies in no database
  /// folder.
  std::string DisplayName() const;
  TablePaths OnBranch(std::string_view branch) const { return TablePaths(root_, std::string(branch)); }
  /// Seen from a line whose metadata lies in a folder that is no branch's: dropped, or being prepared. `label` stands
  /// in the branch's place in messages.
  static TablePaths OfLineAt(std::string root, std::string label, std::string directory);

  std::string SchemaDirectory() const;
  std::string SchemaFile(SchemaId id) const;
  std::string SnapshotDirectory() const;
  std::string SnapshotFile(SnapshotId id) const;
  std::string LatestHint() const;
  std::string EarliestHint() const;
  std::string ChangelogDirectory() const;
  std::string ChangelogFile(SnapshotId id) const;
  std::string TagDirectory() const;
  std::string TagFile(std::string_view name) const;
  std::string ConsumerDirectory() const;
  std::string ConsumerFile(std::string_view id) const;
  std::string BranchesDirectory() const;
  /// The folder of this branch's metadata; the root for main.
  std::string BranchDirectory() const;

  std::string ManifestDirectory() const;
  std::string ManifestFile(std::string_view name) const;
  std::string IndexDirectory() const;
  std::string StatisticsDirectory() const;

  // Braid's own files (spec branches.md §2). The fork record is the branch's, all else the table's.
  std::string ForkRecordFile() const;
  std::string MainBranchFile() const;
  std::string BraidDirectory() const;
  std::string TableRecordFile() const;
  std::string LockFile() const;
  std::string OperationDirectory() const;
  std::string OperationFile(std::string_view operation) const;
  std::string AliasDirectory() const;
  std::string AliasFile(std::string_view branch) const;
  std::string LeaseDirectory() const;
  std::string StagingDirectory(std::string_view operation) const;
  /// Where a branch is built before it gets its name, and where it goes when it loses it.
  std::string NewBranchDirectory(std::string_view operation) const;
  std::string DroppedBranchDirectory(std::string_view operation) const;

 private:
  std::string root_;
  std::string branch_;
  std::string line_directory_;  // empty: the branch's own folder
};

/// How data files of a table are laid out, from its options (spec metadata.md §1.3, 1.4).
struct DataLayout {
  std::vector<DataField> partition_fields;
  std::string default_partition_name = "__DEFAULT_PARTITION__";  ///< `partition.default-name`
  bool legacy_partition_names = true;                            ///< `partition.legacy-name`
  std::string data_directory;                                    ///< `data-file.path-directory`, empty: none

  /// "[dir/][k=v/…]bucket-n", relative to the table's root.
  std::string BucketDirectory(std::span<const Datum> partition, BucketId bucket) const;
  /// "k=v/k=v", empty for an unpartitioned table.
  std::string PartitionPath(std::span<const Datum> partition) const;
};

/// A partition value as directory names hold it, unescaped (§1.4).
std::string PartitionValueText(const Datum& value, const DataType& type, bool legacy, std::string_view default_name);
/// Escapes a part of a partition path (§1.4).
std::string EscapePathPart(std::string_view text);
/// The opposite; a '%' without two hex digits stays.
std::string UnescapePathPart(std::string_view text);

}  // namespace braid
