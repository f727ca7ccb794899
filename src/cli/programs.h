#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace braid {

/// The programs that `braid` goes over to. They lie in its folder.
inline constexpr std::string_view kTablesProgram = "braid-tables";  ///< all commands but those below
inline constexpr std::string_view kSqlProgram = "braid-sql";        ///< all commands

/// The commands that run SQL.
inline constexpr std::array<std::string_view, 3> kSqlCommands = {"demo", "job", "sql"};

constexpr std::string_view ProgramOf(std::string_view command) {
  const bool runs_sql = std::find(kSqlCommands.begin(), kSqlCommands.end(), command) != kSqlCommands.end();
  return runs_sql ? kSqlProgram : kTablesProgram;
}

}  // namespace braid
