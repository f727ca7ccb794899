#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/option_lists.h"
#include "mergetree/sequence_groups_internal.h"

namespace braid {
namespace {

constexpr std::string_view kPrefix = "fields.";
constexpr std::string_view kSuffix = ".sequence-group";
constexpr std::string_view kRemoving = "partial-update.remove-record-on-sequence-group";

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool SequenceGroup::Holds(std::string_view column) const {
  return Contains(ordering, column) || Contains(protected_columns, column);
}

Result<std::vector<SequenceGroup>> SequenceGroupsOf(const Options& options) {
  std::vector<SequenceGroup> groups;
  std::set<std::string> seen;
  for (const auto& [key, value] : options.values()) {
    const bool names_group = key.starts_with(kPrefix) && key.ends_with(kSuffix);
    if (!names_group || key.size() <= kPrefix.size() + kSuffix.size()) continue;
    const std::size_t length = key.size() - kPrefix.size() - kSuffix.size();
    SequenceGroup group{ParseList(std::string_view(key).substr(kPrefix.size(), length)), ParseList(value)};
    for (const std::string& column : group.protected_columns) {
      if (seen.insert(column).second) continue;
      return Error(ErrorCode::kInvalidArgument, fmt::format("column '{}' is in two sequence groups", column))
          .Hint(fmt::format("correct the table's option {}", key));
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

Result<std::vector<std::string>> RemovingColumns(const Options& options, const std::vector<SequenceGroup>& groups) {
  const std::optional<std::string> text = options.Find(kRemoving);
  if (!text) return std::vector<std::string>();
  std::vector<std::string> columns = ParseList(*text);
  for (const std::string& column : columns) {
    const bool orders = std::any_of(groups.begin(), groups.end(),
                                    [&](const SequenceGroup& group) { return Contains(group.ordering, column); });
    if (orders) continue;
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("option {} names '{}', which orders no sequence group", kRemoving, column))
        .Hint("name columns that stand in front of .sequence-group in another option");
  }
  return columns;
}

}  // namespace braid
