#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace braid {

/// The name of a table within a catalog: "db.t", "db.t$branch_b", "db.t$snapshots", "db.t$branch_b$files"
/// (spec metadata.md §11.5, §13).
struct Identifier {
  std::string database;
  std::string table;  ///< without branch and system table
  std::optional<std::string> branch;
  std::optional<std::string> system_table;  ///< lower case

  /// Splits "db.table" at its first dot and reads `$` suffixes. Errors: kInvalidArgument, quoting the text.
  static Result<Identifier> Parse(std::string_view text);
  /// Reads the `$` suffixes of a table's name.
  static Result<Identifier> FromParts(std::string database, std::string_view table);

  /// As Parse reads it.
  std::string ToString() const;

  friend bool operator==(const Identifier&, const Identifier&) = default;
};

}  // namespace braid
