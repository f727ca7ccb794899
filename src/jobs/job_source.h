#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "delta/delta_program.h"
#include "duck/scan_function.h"
#include "lineage/snapshot_lineage.h"
#include "sql/connector.h"
#include "sql/query.h"

namespace braid {

/// The name of the column behind a source's own that holds the weight of a row.
inline constexpr const char* kWeightColumn = "w";

/// What a source has behind a position.
struct SourceStep {
  Json to;  ///< the position behind it
  /// Rows that came and went: all columns of the source and then the weight, BIGINT. Null: no row, though the position
  /// moves. To be read once, in one scan.
  std::shared_ptr<const ScanSource> changes;
  /// What went in, of a table; of others what a snapshot's properties say of it, or null.
  std::optional<LineageSource> table;
  Json outside;
};

/// How a source begins.
struct SourceStart {
  /// Not for the first time: what an earlier run has read, or a consumer says, does not count.
  bool again = false;
  /// Where these have a snapshot of the table that is on its line, the start is there.
  std::vector<LineageSource> made_of = {};
};

/// A table that a job reads as it changes. A position is the source's own JSON; null: nothing has been read. One thread
/// at a time.
class JobSource {
 public:
  virtual ~JobSource() = default;
  virtual const std::string& name() const = 0;
  virtual SourceTraits traits() const = 0;
  /// What comes first: the content at the start, every weight positive. Its position may be null still if nothing is
  /// there to begin with.
  virtual Result<SourceStep> Start(const SourceStart& start) = 0;
  /// The changes behind the position; nullopt: nothing new. Precondition: the position came from Start or Next.
  /// Errors: kNotFound (`job.cursor-expired`), kConflict if what was read is not what is there any more.
  virtual Result<std::optional<SourceStep>> Next(const Json& position) = 0;
  /// Whether the position means on the line that the table's name means now what it meant when it was taken: main may
  /// have been replaced meanwhile. False only where that is certain.
  virtual Result<bool> Stands(const Json& position) const = 0;
  /// Whether the table's name means another line than when the source was opened.
  virtual bool HasMoved() const = 0;
  /// Whether it can give its content at any time; else what was read once does not come again.
  virtual bool CanStartAgain() const = 0;
  /// Whether nothing will ever come behind the position.
  virtual bool IsEnd(const Json& position) const = 0;
  /// Keeps what is behind the position from expiring, under the consumer's name, and with `whole` the content at the
  /// position itself; null: nothing is kept any more.
  virtual Status Pin(const std::string& consumer, const Json& position, bool whole) = 0;
  /// The same for what a savepoint needs, as a tag. Returns whether there was something to tag.
  virtual Result<bool> Tag(const std::string& name, const Json& position) = 0;
  /// How far behind the position is, in snapshots; 0 for sources without them.
  virtual Result<std::int64_t> Lag(const Json& position) const = 0;
  virtual std::vector<std::string> WatchedFolders() const = 0;
  virtual std::int64_t poll_interval_ms() const = 0;
};

/// The name that a job's consumers, tags and files have in tables: characters that file names do not take are replaced.
std::string NameInTables(const std::string& job);

/// The source of a table in a query. Errors: kUnsupported for one that cannot be read as it changes, naming it.
Result<std::unique_ptr<JobSource>> OpenJobSource(const ResolvedTable& table);

// table_source.cc, outside_source.cc
Result<std::unique_ptr<JobSource>> OpenTableSource(const ResolvedTable& table);
Result<std::unique_ptr<JobSource>> OpenOutsideSource(const ResolvedTable& table,
                                                     std::shared_ptr<const ConnectorTable> connector);

}  // namespace braid
