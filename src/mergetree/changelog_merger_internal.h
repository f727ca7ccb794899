#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "mergetree/group_merger_internal.h"
#include "mergetree/key_lookup_internal.h"

namespace braid {

/// How a compaction finds out what changed (spec data.md §6).
enum class ChangelogRule : std::uint8_t {
  kFullCompaction,  ///< against the row of the top level, which takes part
  kLookup,          ///< against the row above level 0, looked up if it does not take part
  kFirstRow,        ///< as kLookup, where a key that is there already lets nothing change
};

struct ChangelogMergeConfig {
  ChangelogRule rule = ChangelogRule::kLookup;
  int max_level = 0;
  bool drop_retractions = false;
  /// Whether rows that are looked up take part in the merge; else only their places count.
  bool merges_lookups = true;
  /// Takes rows of the changelog, key-value batches; null: none are wanted.
  std::function<Status(const Batch&)> on_changelog = {};
  /// Whether an update that changes none of `compared_values` is left out (`changelog-producer.row-deduplicate`).
  bool deduplicates = false;
  std::vector<std::size_t> compared_values = {};
  /// Takes the places of rows that the merge replaced; null: nobody wants them.
  std::function<void(const std::string& file, std::int64_t position)> on_replaced = {};
};

/// Merges the rows of a compaction and tells, a key at a time, what that changed. One thread.
class ChangelogMerger : public GroupMerger {
 public:
  /// `lookup`, which outlives the merger, finds rows of levels above the compaction's; null if there are none.
  static Result<std::unique_ptr<ChangelogMerger>> Make(const KeyValueSchema& schema,
                                                       std::shared_ptr<const MergeFunction> function,
                                                       ChangelogMergeConfig config, KeyLookup* lookup);

  Result<Batch> Merge(const RowGroups& groups) override;

 private:
  static constexpr std::int32_t kNone = -1;

  /// A row of a source.
  struct RowRef {
    std::int32_t source = kNone;
    std::int32_t position = 0;
  };
  /// What the rows of a key were before the merge.
  struct Before {
    RowRef row;             // to compare with, if there is one
    bool counts = false;    // whether the key's change is of interest
    bool is_there = false;  // the key was found by the lookup
  };

  ChangelogMerger(const KeyValueSchema& schema, std::shared_ptr<const MergeFunction> function,
                  ChangelogMergeConfig config, KeyLookup* lookup, KeyEncoder keys);

  /// The groups with their looked-up rows, `before_` beside them.
  Status Prepare(const RowGroups& groups);
  Status LookUp(const EncodedKeys& keys, std::size_t group, Before& before);
  Result<EncodedKeys> KeysOf(const RowGroups& groups) const;
  void PrepareFullCompaction(const RowGroups& groups);
  void AddRow(const RowGroups& groups, std::int32_t row);
  void AddRowsWith(const RowGroups& groups, std::int32_t begin, std::int32_t end, const RowRef& high);
  bool ComesBefore(const RowRef& a, std::int32_t source, std::int32_t position) const;
  std::int32_t SourceOf(const LookupHit& hit);

  Status EmitChangelog(const Batch& results, const std::vector<std::int32_t>& groups);
  bool SameValues(const RowRef& before, const Batch& results, std::int64_t result) const;
  Result<Batch> WithoutDropped(Batch results, const std::vector<std::int32_t>& groups) const;

  ChangelogMergeConfig config_;
  KeyLookup* lookup_;  // outlives this, or null
  KeyEncoder key_encoder_;
  // Of the chunk being merged:
  RowGroups chosen_;
  std::vector<std::uint8_t> forced_;
  std::vector<Before> before_;
  // Holds the batches: the address of one that was let go could come again as another's.
  std::map<std::shared_ptr<const LookupBatch>, std::int32_t> lookup_sources_;
};

}  // namespace braid
