#include "mergetree/merge_engines_internal.h"

namespace braid {
namespace {

/// The newest row of each key, whatever its kind; with `ignore-delete` the newest that is no retraction (spec data.md
/// §5.3).
class Deduplicate : public MergeFunction {
 public:
  explicit Deduplicate(bool ignore_delete) : ignore_delete_(ignore_delete) {}

  Status Merge(const MergeChunk& chunk, MergedRows& rows) const override {
    if (ignore_delete_) {
      MergeSkippingRetractions(chunk, rows);
    } else {
      for (const std::int32_t end : chunk.group_ends) rows.Select(chunk, end - 1);
    }
    return Ok();
  }

 private:
  static void MergeSkippingRetractions(const MergeChunk& chunk, MergedRows& rows) {
    std::int32_t begin = 0;
    for (std::size_t group = 0; group < chunk.group_ends.size(); ++group) {
      const std::int32_t end = chunk.group_ends[group];
      std::int32_t row = end - 1;
      if (!chunk.PassesAsItIs(group, end - begin)) {
        while (row >= begin && !IsAdd(chunk.kind(row))) --row;
      }
      if (row >= begin) {
        rows.Select(chunk, row);
        rows.groups.push_back(static_cast<std::int32_t>(group));
      }
      begin = end;
    }
  }

  bool ignore_delete_;
};

}  // namespace

Result<std::shared_ptr<const MergeFunction>> MakeDeduplicate(const Options& options, const KeyValueSchema&) {
  BRAID_TRY_ASSIGN(const bool ignore_delete, IgnoresDelete(options));
  return std::make_shared<const Deduplicate>(ignore_delete);
}

}  // namespace braid
