#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "duck/scan_function.h"
#include "jobs/epoch_sink.h"
#include "lineage/snapshot_lineage.h"

namespace braid {

/// How a state is made anew from the tables (spec streaming.md §2.2: disk lost, main moved).
enum class Rebuild : std::uint8_t {
  kNone,
  kVerify,  ///< at the snapshots that the sinks' lineage names; a sink that holds something else is an error
  kWrite,   ///< at the sources' newest; what the sinks lack is written
};

/// What a job does when main of a table was replaced and its state does not fit the present one
/// (`job.when-replaced`).
enum class WhenReplaced : std::uint8_t {
  kVerify,   ///< makes its state anew if the sinks hold what the query gives, else fails
  kRebuild,  ///< makes it anew and writes what the sinks lack
  kFail,
};
/// Errors: kInvalidArgument naming the values.
Result<WhenReplaced> ParseWhenReplaced(std::string_view text);

/// The snapshots that the sinks' present content was made of, as the lineage of their newest barrier says; none where
/// that is not known.
Result<std::vector<LineageSource>> SourcesOf(const std::vector<std::unique_ptr<EpochSink>>& sinks);

/// What a sink holds now, every row with weight -1, to be taken away from what it is to hold. Errors: kUnsupported for
/// sinks whose rows do not say what was written.
Result<std::shared_ptr<const ScanSource>> ContentOf(const EpochSink& sink);

}  // namespace braid
