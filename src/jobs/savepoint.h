#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "jobs/job_source.h"
#include "jobs/state_file.h"
#include "table/table.h"

namespace braid {

/// What a savepoint says beside the state file.
struct SavepointContent {
  struct Source {
    JobSource* source;
    Json position;
  };
  struct Sink {
    std::string name;
    const Table* table;  ///< null: one of a connector
  };
  std::string job;
  std::string statement;
  JobIdentity identity;
  std::vector<Source> sources;
  std::vector<Sink> sinks;
};

/// Copies a state file that nobody changes meanwhile into `<directory>/savepoint-<job>-g<generation>-<barrier>`, with
/// manifest.json, whole or not at all, and tags sources and sinks with that name so that what it needs does not expire.
/// Returns the path of the savepoint. Errors: those of FileSystem.
Result<std::string> WriteSavepoint(const SavepointContent& content, const std::string& state_file,
                                   const std::string& directory, const Clock& clock);

}  // namespace braid
