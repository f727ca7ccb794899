#include "mergetree/merge_function.h"

#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "mergetree/merge_engines_internal.h"

namespace braid {
namespace {

struct Engine {
  std::string_view name;
  Result<std::shared_ptr<const MergeFunction>> (*make)(const Options&, const KeyValueSchema&);
};

/// Every engine of Paimon.
constexpr std::array kEngines = {
    Engine{"deduplicate", MakeDeduplicate},
    Engine{"first-row", MakeFirstRow},
    Engine{"partial-update", MakePartialUpdate},
    Engine{"aggregation", MakeAggregation},
};

}  // namespace

void MergedRows::Clear() {
  row_sources.clear();
  positions.clear();
  kinds.clear();
  sequence_numbers.clear();
  groups.clear();
  columns.clear();
}

Result<bool> IgnoresDelete(const Options& options) {
  for (const std::string_view key :
       {"ignore-delete", "first-row.ignore-delete", "deduplicate.ignore-delete", "partial-update.ignore-delete"}) {
    if (options.Has(key)) return options.GetBool(key, false);
  }
  return false;
}

Result<bool> NeedsLookup(const Options& options) {
  BRAID_TRY_ASSIGN(const bool force_lookup, options.GetBool("force-lookup", false));
  BRAID_TRY_ASSIGN(const bool vectors, options.GetBool("deletion-vectors.enabled", false));
  return force_lookup || vectors || options.Get("changelog-producer", "none") == "lookup" ||
         options.Get("merge-engine", "deduplicate") == "first-row";
}

Result<std::shared_ptr<const MergeFunction>> MakeMergeFunction(const Options& options, const KeyValueSchema& schema) {
  const std::string name = options.Get("merge-engine", "deduplicate");
  std::string known;
  for (const Engine& engine : kEngines) {
    if (engine.name == name) {
      BRAID_TRY_ASSIGN(std::shared_ptr<const MergeFunction> function, engine.make(options, schema));
      BRAID_TRY_ASSIGN(const bool needs_lookup, NeedsLookup(options));
      // The newest or oldest row stays what it is, whichever rows above level 0 take part.
      if (!needs_lookup || name == "deduplicate" || name == "first-row") return function;
      return MakeLookupMergeFunction(std::move(function));
    }
    known += fmt::format("{}{}", known.empty() ? "" : ", ", engine.name);
  }
  return Error(ErrorCode::kInvalidArgument, fmt::format("there is no merge engine '{}'", name))
      .Hint(fmt::format("set the table's option merge-engine to one of {}", known));
}

}  // namespace braid
