#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/result.h"
#include "cli/child_process.h"

namespace braid {

/// What the reads of a DemoReader saw.
struct DemoReads {
  std::int64_t of_former = 0;  ///< wholly the rows of main as it was
  std::int64_t of_new = 0;     ///< wholly the rows of the branch
};

/// A second process, `braid sql`, that reads main of both tables in turn, over and over, while branches are put in
/// their place. Every read must be wholly the former rows or wholly the branch's, and never the former again once the
/// branch's were seen.
class DemoReader {
 public:
  /// Learns both contents, of main and of `branch`, and begins to read. `program`: braid. The current folder has
  /// `warehouse`. Errors: kInternal if they are the same.
  static Result<std::unique_ptr<DemoReader>> Start(const std::string& program, const std::string& branch);
  ~DemoReader();
  DemoReader(const DemoReader&) = delete;
  DemoReader& operator=(const DemoReader&) = delete;

  /// Waits until both tables have been read anew, by reads that begin after this call. Errors: kInternal if a read
  /// failed or saw what it must not.
  Status WaitForReads();
  /// Ends the reading. Errors: as WaitForReads.
  Result<DemoReads> Finish();

 private:
  struct Contents {
    std::string former;
    std::string next;
  };
  static constexpr std::size_t kTables = 2;

  explicit DemoReader(std::unique_ptr<ChildProcess> process) : process_(std::move(process)) {}
  Result<std::string> Read(std::size_t table, const std::string& branch);
  void Loop(const std::stop_token& stop);
  Status ReadOnce(std::size_t table);

  std::unique_ptr<ChildProcess> process_;  // of the thread, once it runs
  std::array<Contents, kTables> contents_;
  std::array<bool, kTables> is_new_ = {};  // of the thread

  std::mutex mutex_;
  std::condition_variable changed_;
  DemoReads reads_;               // guarded by mutex_
  std::int64_t rounds_ = 0;       // of both tables; guarded by mutex_
  std::optional<Error> failure_;  // that ended the thread; guarded by mutex_

  std::jthread thread_;  // last: it uses the others
};

}  // namespace braid
