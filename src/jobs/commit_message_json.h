#pragma once

#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "table/commit.h"

namespace braid {

/// Commit messages as JSON, for the state file of a job: every list of files is a manifest in Paimon's form.
/// Errors: kCorruption for JSON that is not from here.
Result<Json> EncodeCommitMessages(const std::vector<CommitMessage>& messages);
Result<std::vector<CommitMessage>> DecodeCommitMessages(const Json& json);

}  // namespace braid
