#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sql/job_plan.h"

namespace braid {

/// A streaming job as SHOW JOBS lists it.
struct JobInfo {
  std::string id;
  std::string name;
  std::string status;  ///< as Flink spells it: RUNNING, SUSPENDED …
  std::int64_t start_ms = 0;
  std::string statement;
  std::string error;  ///< what ended it; empty: nothing
};

/// Keeps streaming jobs, which go on when the session ends. One thread at a time.
///
/// Jobs are named by id or by name. Errors of all: kNotFound naming the nearest job.
class JobService {
 public:
  virtual ~JobService() = default;
  /// Starts a job and waits until it works. Errors: what the plan cannot do (kUnsupported); kConflict if a job of this
  /// name runs; what made its worker fail at once.
  virtual Result<JobInfo> Submit(const JobPlan& plan, const SessionScript& session) = 0;
  /// What the plan does at each change of its sources, for EXPLAIN.
  virtual Result<std::string> Explain(const JobPlan& plan) = 0;
  /// In the order of their start.
  virtual Result<std::vector<JobInfo>> List() = 0;
  virtual Result<JobInfo> Find(const std::string& job) = 0;
  /// Stops it behind a whole epoch; returns the path of the savepoint, if one was asked for.
  virtual Result<std::optional<std::string>> Stop(const std::string& job, bool with_savepoint,
                                                  const std::string& savepoint_directory) = 0;
  /// Waits until it has ended by itself. Errors: what ended it.
  virtual Status Wait(const std::string& job) = 0;
};

}  // namespace braid
