#include "meta/snapshot.h"

#include "base/result.h"

namespace braid {

std::string_view CommitKindName(CommitKind kind) {
  switch (kind) {
    case CommitKind::kAppend: return "APPEND";
    case CommitKind::kCompact: return "COMPACT";
    case CommitKind::kOverwrite: return "OVERWRITE";
    case CommitKind::kAnalyze: return "ANALYZE";
  }
  BRAID_CHECK(false);
  return {};
}

}  // namespace braid
