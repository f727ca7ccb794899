#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/options.h"
#include "base/result.h"
#include "catalog/catalog.h"
#include "sql/connector.h"
#include "sql/job_service.h"
#include "sql/query.h"
#include "sql/result.h"

namespace braid {

/// A table that a job writes.
struct JobSink {
  std::string catalog;
  Identifier identifier;
  Table table;
};

/// What an INSERT or a statement set is about to do. Its sources are pinned to the snapshots that will be read.
struct JobDescription {
  std::string name;       ///< `pipeline.name`, or Flink's "insert-into_<catalog>.<database>.<table>"
  std::string statement;  ///< as the user wrote it
  std::vector<QuerySource> sources;
  std::vector<JobSink> sinks;
};

/// How a job is to commit.
struct StartedJob {
  std::string job_id;                             ///< the observer's own; empty if it does not care
  std::string commit_user;                        ///< of every sink; empty: one that nobody else has
  std::map<std::string, std::string> properties;  ///< put into every snapshot that the job makes
};

/// Is told of catalogs and of the jobs that write into them: lineage. One thread at a time.
class JobObserver {
 public:
  virtual ~JobObserver() = default;
  /// A catalog was made and nobody uses it yet: register databases and system tables, check options. An error refuses
  /// the catalog.
  virtual Status CatalogOpened(const std::shared_ptr<Catalog>& catalog) = 0;
  /// Before anything is written. An error refuses the job.
  virtual Result<StartedJob> Begin(const JobDescription& job) = 0;
  /// Everything is committed; `snapshots` has one list a sink, in the order of the description.
  virtual Status Finished(const StartedJob& start, const std::vector<std::vector<Snapshot>>& snapshots) = 0;
  /// The job failed. Sinks before the one that failed may be committed.
  virtual void Failed(const StartedJob& start, const Error& error) = 0;
};

struct SessionSettings {
  /// As SET would give them; read before the first statement.
  Options options = {};
  std::shared_ptr<JobObserver> observer = nullptr;  ///< may be null
  std::shared_ptr<const Connectors> connectors = nullptr;  ///< of temporary tables; null: there are none
  std::shared_ptr<JobService> jobs = nullptr;  ///< keeps streaming jobs; null: INSERT runs in batch alone
  const Clock* clock = &SystemClock();              ///< outlives the session
};

/// Checks the values of options that results depend on, as SET does. Errors: kInvalidArgument, kUnsupported.
Status CheckSessionOptions(const Options& options);

/// One user's conversation: catalogs, current names, temporary tables and views, options. Statements run one after the
/// other; one thread at a time, but for Cancel.
class Session {
 public:
  explicit Session(SessionSettings settings);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Parses and runs one statement; a `;` may end it. Rows that it still owes are lost when the next one runs.
  /// Errors: as the statement's parts have them, with line and caret where the text is wrong. The session goes on after
  /// an error.
  Result<StatementResult> Execute(std::string_view statement);

  /// Plans an INSERT or a statement set for a job, without running it. Errors: as Execute; kInvalidArgument for other statements.
  Result<JobPlan> PlanJob(std::string_view statement);

  /// `table.local-time-zone`.
  std::string time_zone() const;
  const Options& options() const;
  /// The value that SET gave, else Flink's default.
  std::string Option(std::string_view key) const;

  /// Whether BEGIN STATEMENT SET still waits for its END, which runs the set.
  bool in_statement_set() const;

  /// Stops the statement that runs, if one does: it ends with kCancelled. Any thread.
  void Cancel();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace braid
