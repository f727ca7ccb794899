#include <utility>
#include <vector>

#include "mergetree/merge_function.h"

namespace braid {
namespace {

class LookupMergeFunction : public MergeFunction {
 public:
  explicit LookupMergeFunction(std::shared_ptr<const MergeFunction> function) : function_(std::move(function)) {}

  Status Merge(const MergeChunk& chunk, MergedRows& rows) const override {
    std::vector<std::int32_t> sources;
    std::vector<std::int32_t> positions;
    std::vector<std::int32_t> group_ends;
    std::vector<std::uint8_t> forced;
    std::int32_t begin = 0;
    for (std::size_t group = 0; group < chunk.group_ends.size(); ++group) {
      const std::int32_t end = chunk.group_ends[group];
      const std::int32_t high = LowestAboveZero(chunk, begin, end);
      for (std::int32_t row = begin; row < end; ++row) {
        if (chunk.source_of(row).origin.level > 0 && row != high) continue;
        sources.push_back(chunk.row_sources[static_cast<std::size_t>(row)]);
        positions.push_back(chunk.positions[static_cast<std::size_t>(row)]);
      }
      group_ends.push_back(static_cast<std::int32_t>(positions.size()));
      // A row that others were left out beside is merged alone, as Java does it.
      forced.push_back(chunk.PassesAsItIs(group, end - begin) ? 0 : 1);
      begin = end;
    }
    if (positions.size() == chunk.positions.size()) return function_->Merge(chunk, rows);
    return function_->Merge(MergeChunk{chunk.sources, sources, positions, group_ends, forced}, rows);
  }

 private:
  /// The row of the lowest level above 0; -1 if all are of level 0.
  static std::int32_t LowestAboveZero(const MergeChunk& chunk, std::int32_t begin, std::int32_t end) {
    std::int32_t lowest = -1;
    for (std::int32_t row = begin; row < end; ++row) {
      const int level = chunk.source_of(row).origin.level;
      if (level > 0 && (lowest < 0 || level < chunk.source_of(lowest).origin.level)) lowest = row;
    }
    return lowest;
  }

  std::shared_ptr<const MergeFunction> function_;
};

}  // namespace

std::shared_ptr<const MergeFunction> MakeLookupMergeFunction(std::shared_ptr<const MergeFunction> function) {
  return std::make_shared<const LookupMergeFunction>(std::move(function));
}

}  // namespace braid
