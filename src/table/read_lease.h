#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/strong_id.h"
#include "io/file_system.h"
#include "meta/table_paths.h"
#include "table/table.h"

namespace braid {

/// What a reader claims of a line, in a file below `.braid/readers/` (spec branches.md §3.5). Other engines do not look.
struct LeaseRecord {
  std::string line_id;
  std::vector<SnapshotId> snapshots;  ///< that must not expire
  std::string owner;                  ///< for people
};

/// The claims of readers that live, on all lines. Files of readers that have been silent for longer than their time and
/// 30 s are removed. Errors: kCorruption for one that cannot be read, since it may claim anything.
Result<std::vector<LeaseRecord>> LiveLeases(FileSystem& fs, const TablePaths& root, std::int64_t now_ms);

/// Who reads a line.
Result<std::vector<std::string>> LiveReadersOf(FileSystem& fs, const TablePaths& root, std::string_view line_id,
                                               std::int64_t now_ms);

/// Claims snapshots of a table's line as long as it lives: a thread renews the file, destroying removes it. Who takes one
/// must then look whether what it claims is being removed already (snapshot_hold.h). Any thread.
class ReadLease {
 public:
  /// nullptr where none can be written, or no Braid has written to the table: reading goes on without. `clock` outlives
  /// it.
  static std::unique_ptr<ReadLease> Take(const Table& table, std::vector<SnapshotId> snapshots, std::string owner,
                                         const Clock& clock = SystemClock());
  ~ReadLease();
  ReadLease(const ReadLease&) = delete;

  /// Claims others instead.
  Status MoveTo(std::vector<SnapshotId> snapshots);
  /// Says again that the reader lives.
  Status Renew();

 private:
  ReadLease(const Table& table, std::vector<SnapshotId> snapshots, std::string owner, const Clock& clock);
  void KeepRenewing(const std::stop_token& stop);

  const std::shared_ptr<FileSystem> fs_;
  const std::string path_;
  const std::string line_id_;
  const std::string owner_;
  const Clock& clock_;
  std::mutex mutex_;
  std::vector<SnapshotId> snapshots_;  // guarded by mutex_
  std::condition_variable_any stopped_;
  std::jthread renewer_;  // last, so that it ends first
};

/// "host:pid", as the owner of a lease.
std::string ThisReader();

}  // namespace braid
