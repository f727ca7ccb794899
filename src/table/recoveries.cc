#include <array>

#include "table/recoveries_internal.h"

namespace braid {

std::span<const OperationKind> OperationKinds() {
  static constexpr std::array kKinds = {
      OperationKind{"expire", RecoverExpire},
      OperationKind{"rollback", RecoverRollback},
      OperationKind{"tag", RecoverTagRemoval},
      OperationKind{"create", RecoverCreateBranch},
      OperationKind{"delete", RecoverDeleteBranch},
      OperationKind{"merge", RecoverMergeBranch},
      OperationKind{"correct", RecoverTagCorrection},
      OperationKind{"maintenance", RecoverMaintenance},
      OperationKind{"release", RecoverReleaseBase},
      OperationKind{"rename", RecoverRenameBranch},
      OperationKind{"replace", RecoverReplaceMain},
  };
  return kKinds;
}

}  // namespace braid
