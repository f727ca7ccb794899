#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "jobs/epoch_sink.h"
#include "jobs/job_folder.h"

namespace braid {

/// Deletes what epochs after the barrier `decided` wrote before a crash, which belongs to nobody, and the journals that
/// name it (spec streaming.md §2.2, step 4). Files of a sink go through its own file system; those of a table that is
/// none any more only on this machine, others are left to the cleaning of orphans with a warning that names the job.
/// Errors: those of the file systems.
Status RemoveUndecidedFiles(const JobFolder& folder, std::span<const std::unique_ptr<EpochSink>> sinks,
                            std::int64_t decided, const std::string& job);

}  // namespace braid
