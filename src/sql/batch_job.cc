#include "sql/batch_job.h"

#include <utility>

#include <fmt/format.h>

#include "sql/statement_internal.h"

namespace braid {

Result<SinkSnapshots> RunBatchJob(const JobDescription& job, SessionState& session,
                                  const std::function<Result<SinkSnapshots>(const StartedJob&)>& run) {
  JobObserver* observer = session.observer();
  StartedJob start;
  if (observer != nullptr) {
    BRAID_TRY_ASSIGN(start, observer->Begin(job));
  }
  if (start.commit_user.empty()) start.commit_user = NewCommitUser();
  Result<SinkSnapshots> snapshots = run(start);
  if (observer == nullptr) return snapshots;
  if (!snapshots) {
    observer->Failed(start, snapshots.error());
    return snapshots;
  }
  // The data stays committed; what an observer keeps beside it can be made again from the snapshots.
  if (Status recorded = observer->Finished(start, *snapshots); !recorded) {
    return Error(ErrorCode::kUnavailable, fmt::format("the rows are committed, but their lineage is not recorded: {}",
                                                      recorded.error().message()))
        .Hint("do not repeat the statement; the next lineage query records it from the snapshots");
  }
  return snapshots;
}

}  // namespace braid
