#pragma once

#include <span>
#include <string_view>

#include "table/operation.h"

namespace braid {

/// A kind of journalled operation.
struct OperationKind {
  std::string_view name;
  RecoverOperation recover;
};

/// Every kind; a new one is a line in recoveries.cc.
std::span<const OperationKind> OperationKinds();

// The recoveries, each beside its operation.
Result<Recovered> RecoverExpire(const LockedTable& table, const OperationJournal& journal);
Result<Recovered> RecoverRollback(const LockedTable& table, const OperationJournal& journal);
Result<Recovered> RecoverTagRemoval(const LockedTable& table, const OperationJournal& journal);
Result<Recovered> RecoverCreateBranch(const LockedTable& table, const OperationJournal& journal);
Result<Recovered> RecoverDeleteBranch(const LockedTable& table, const OperationJournal& journal);
Result<Recovered> RecoverMergeBranch(const LockedTable& table, const OperationJournal& journal);
Result<Recovered> RecoverReplaceMain(const LockedTable& table, const OperationJournal& journal);
Result<Recovered> RecoverTagCorrection(const LockedTable& table, const OperationJournal& journal);
Result<Recovered> RecoverMaintenance(const LockedTable& table, const OperationJournal& journal);
Result<Recovered> RecoverReleaseBase(const LockedTable& table, const OperationJournal& journal);
Result<Recovered> RecoverRenameBranch(const LockedTable& table, const OperationJournal& journal);

}  // namespace braid
