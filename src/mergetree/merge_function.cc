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

/// Every engine of Paimon; those without a maker are not in this version.
constexpr std::array kEngines = {
    Engine{"deduplicate", MakeDeduplicate},
    Engine{"first-row", MakeFirstRow},
    Engine{"partial-update", nullptr},
    Engine{"aggregation", nullptr},
};

}  // namespace

void MergedRows::Clear() {
  row_sources.clear();
  positions.clear();
  kinds.clear();
  sequence_numbers.clear();
  columns.clear();
}

Result<bool> IgnoresDelete(const Options& options) {
  for (const std::string_view key :
       {"ignore-delete", "first-row.ignore-delete", "deduplicate.ignore-delete", "partial-update.ignore-delete"}) {
    if (options.Has(key)) return options.GetBool(key, false);
  }
  return false;
}

Result<std::shared_ptr<const MergeFunction>> MakeMergeFunction(const Options& options, const KeyValueSchema& schema) {
  const std::string name = options.Get("merge-engine", "deduplicate");
  std::string known;
  for (const Engine& engine : kEngines) {
    if (engine.name == name) {
      if (engine.make != nullptr) return engine.make(options, schema);
      return Error(ErrorCode::kUnsupported, fmt::format("merge engine {} is not supported by this version", name))
          .Hint("tables with merge-engine deduplicate or first-row can be merged");
    }
    known += fmt::format("{}{}", known.empty() ? "" : ", ", engine.name);
  }
  return Error(ErrorCode::kInvalidArgument, fmt::format("there is no merge engine '{}'", name))
      .Hint(fmt::format("set the table's option merge-engine to one of {}", known));
}

}  // namespace braid
