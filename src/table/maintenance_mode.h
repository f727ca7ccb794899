#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.h"
#include "base/result.h"
#include "table/operation.h"

namespace braid {

/// Who expires snapshots and tags of a table (spec branches.md §5.8).
enum class MaintenanceMode : std::uint8_t {
  kShared,     ///< every engine, by the table's options
  kExclusive,  ///< Braid alone: the options tell other engines to keep everything, Braid goes by kept copies of them
};
std::string_view MaintenanceModeName(MaintenanceMode mode);  ///< "shared", "exclusive": values of `braid.maintenance`

/// Whether a table with these options is in the exclusive mode.
bool IsMaintainedExclusively(const Options& options);

struct ChangedMaintenance {
  std::vector<std::string> lines;  ///< those that were in the other mode
  std::vector<std::string> repairs;
};

/// Puts every line of the table into a mode, by a schema change on each; former values come back with kShared. Writers of
/// other engines that have the table open go on by the old options until they open it again. A crash leaves some lines
/// changed; the next operation changes the others. `dry_run` only says which lines would change.
Result<ChangedMaintenance> SetMaintenance(const OperationContext& context, MaintenanceMode mode, bool dry_run);

}  // namespace braid
