#pragma once

#include <memory>

#include "base/options.h"
#include "base/result.h"
#include "mergetree/key_value.h"
#include "mergetree/merge_function.h"

namespace braid {

/// `ignore-delete` or the first set of its fallback keys (spec data.md §5.1).
Result<bool> IgnoresDelete(const Options& options);

// One function an engine, each in a file of its own; registered in merge_function.cc.
Result<std::shared_ptr<const MergeFunction>> MakeDeduplicate(const Options& options, const KeyValueSchema& schema);
Result<std::shared_ptr<const MergeFunction>> MakeFirstRow(const Options& options, const KeyValueSchema& schema);

Result<std::shared_ptr<const MergeFunction>> MakePartialUpdate(const Options& options, const KeyValueSchema& schema);
Result<std::shared_ptr<const MergeFunction>> MakeAggregation(const Options& options, const KeyValueSchema& schema);

}  // namespace braid
