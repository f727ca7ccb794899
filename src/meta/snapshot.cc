#include "meta/snapshot.h"

#include <fmt/format.h>

namespace braid {

std::string_view CommitKindName(CommitKind kind) {
  switch (kind) {
    case CommitKind::kAppend: return "APPEND";
    case CommitKind::kCompact: return "COMPACT";
    case CommitKind::kOverwrite: return "OVERWRITE";
    case CommitKind::kAnalyze: return "ANALYZE";
    case CommitKind::kUnknown: return "UNKNOWN";
  }
  BRAID_CHECK(false);
  return {};
}

std::string_view CommitKindName(const Snapshot& snapshot) {
  return snapshot.commit_kind == CommitKind::kUnknown ? std::string_view(snapshot.commit_kind_text)
                                                      : CommitKindName(snapshot.commit_kind);
}

Status RequireKnownKind(const Snapshot& snapshot) {
  if (snapshot.commit_kind != CommitKind::kUnknown) return Ok();
  return Error(ErrorCode::kUnsupported, fmt::format("snapshot {} has the commit kind '{}', which this program does not know",
                                                    snapshot.id, snapshot.commit_kind_text))
      .Hint("use a newer braid, or the program that wrote it");
}

}  // namespace braid
