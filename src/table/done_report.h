#pragma once

#include <string>

#include "base/result.h"
#include "table/table.h"

namespace braid {

/// What `partition.mark-done-action` = `http-report` needs. Errors: kInvalidArgument without
/// `partition.mark-done-action.http.url`.
Status CheckDoneReport(const Table& table);

/// Tells a server that a partition, "dt=1/hh=2", is complete (Java's HttpReportMarkDoneAction): a JSON object with `params`,
/// `table`, `path` and `partition`, to which it answers with an object whose `result` is SUCCESS. Errors: kIo for other
/// answers; those of PostText.
Status ReportPartitionDone(const Table& table, const std::string& partition);

}  // namespace braid
