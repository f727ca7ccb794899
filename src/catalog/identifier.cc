#include "catalog/identifier.h"

#include <vector>

#include <fmt/format.h>

#include "base/text.h"

namespace braid {

namespace {

constexpr std::string_view kBranchPrefix = "branch_";

Error BadName(std::string_view text, std::string_view why) {
  return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is no table name: {}", text, why))
      .Hint("names look like db.table, db.table$branch_b, db.table$snapshots or db.table$branch_b$snapshots");
}

}  // namespace

Result<Identifier> Identifier::Parse(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return BadName(text, "the database is missing");
  if (dot == 0) return BadName(text, "the database is empty");
  if (dot + 1 == text.size()) return BadName(text, "the table is empty");
  return FromParts(std::string(text.substr(0, dot)), text.substr(dot + 1));
}

Result<Identifier> Identifier::FromParts(std::string database, std::string_view table) {
  const std::vector<std::string> parts = Split(table, '$');
  if (database.empty()) return BadName(table, "the database is empty");
  if (parts.front().empty()) return BadName(table, "the table is empty");
  Identifier identifier{.database = std::move(database), .table = parts.front(), .branch = {}, .system_table = {}};
  if (parts.size() == 1) return identifier;
  std::size_t next = 1;
  if (parts[next].starts_with(kBranchPrefix)) {
    identifier.branch = parts[next].substr(kBranchPrefix.size());
    if (identifier.branch->empty()) return BadName(table, "the branch is empty");
    ++next;
  }
  if (next < parts.size()) identifier.system_table = ToLower(parts[next++]);
  if (next < parts.size()) return BadName(table, "there are too many parts behind '$'");
  if (identifier.system_table && identifier.system_table->empty()) return BadName(table, "nothing follows the '$'");
  return identifier;
}

std::string Identifier::ToString() const {
  std::string text = database + "." + table;
  if (branch) text += fmt::format("${}{}", kBranchPrefix, *branch);
  if (system_table) text += "$" + *system_table;
  return text;
}

}  // namespace braid
