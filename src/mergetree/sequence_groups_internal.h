#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/options.h"
#include "base/result.h"

namespace braid {

/// `fields.<ordering columns>.sequence-group` = protected columns: the latter change only with rows whose ordering
/// columns are not less than before (spec data.md §5.4).
struct SequenceGroup {
  std::vector<std::string> ordering;
  std::vector<std::string> protected_columns;

  bool Holds(std::string_view column) const;
};

/// The groups that options set. Errors: kInvalidArgument for a column that two groups protect.
Result<std::vector<SequenceGroup>> SequenceGroupsOf(const Options& options);

/// Columns that `partial-update.remove-record-on-sequence-group` names. Errors: kInvalidArgument for one that orders no
/// group.
Result<std::vector<std::string>> RemovingColumns(const Options& options, const std::vector<SequenceGroup>& groups);

}  // namespace braid
