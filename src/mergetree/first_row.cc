#include <fmt/format.h>

#include "mergetree/merge_engines_internal.h"

namespace braid {
namespace {

/// The oldest row of each key; retractions are skipped or an error (spec data.md §5.6).
class FirstRow : public MergeFunction {
 public:
  explicit FirstRow(bool ignore_delete) : ignore_delete_(ignore_delete) {}

  Status Merge(const MergeChunk& chunk, MergedRows& rows) const override {
    std::int32_t begin = 0;
    for (std::size_t group = 0; group < chunk.group_ends.size(); ++group) {
      const std::int32_t end = chunk.group_ends[group];
      std::int32_t first = begin;
      if (!chunk.PassesAsItIs(group, end - begin)) {
        while (first < end && !IsAdd(chunk.kind(first))) {
          if (!ignore_delete_) return RetractionError(chunk.kind(first));
          ++first;
        }
      }
      if (first < end) {
        rows.Select(chunk, first);
        rows.groups.push_back(static_cast<std::int32_t>(group));
      }
      begin = end;
    }
    return Ok();
  }

 private:
  static Error RetractionError(RowKind kind) {
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("merge engine first-row cannot take a row of kind {}", RowKindName(kind)))
        .Hint("set the table's option ignore-delete to true to drop such rows");
  }

  bool ignore_delete_;
};

}  // namespace

Result<std::shared_ptr<const MergeFunction>> MakeFirstRow(const Options& options, const KeyValueSchema&) {
  BRAID_TRY_ASSIGN(const bool ignore_delete, IgnoresDelete(options));
  if (options.Has("sequence.field")) {
    return Error(ErrorCode::kInvalidArgument, "merge engine first-row does not allow the option sequence.field")
        .Hint("remove one of the two options from the table");
  }
  return std::make_shared<const FirstRow>(ignore_delete);
}

}  // namespace braid
