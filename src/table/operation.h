#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "io/file_system.h"
#include "meta/table_paths.h"
#include "table/table.h"

namespace braid {

/// On which table an operation works, and on whose behalf. Cheap to copy.
struct OperationContext {
  std::shared_ptr<FileSystem> file_system;
  std::string root;                     ///< folder of the table
  std::string table_name;               ///< "db.t", for messages
  const Clock* clock = &SystemClock();  ///< outlives the operation
  std::string actor = {};               ///< "user@host", kept in records; empty: this process's
  std::chrono::milliseconds lock_timeout{60'000};
};
OperationContext ContextOf(const Table& table);

/// `.braid/op/<id>.json` (spec branches.md §3.4): what an operation on branches, tags or snapshots is about to do, so
/// that whoever takes the lock after a crash can finish or undo it.
struct OperationJournal {
  std::string id;     ///< UUID; names the file
  std::string kind;   ///< "create", "delete", …: the key of its recovery
  std::string state;  ///< name of the step reached
  std::string owner;  ///< host:pid:uuid
  std::int64_t started_ms = 0;
  Json args;  ///< an object; what its recovery needs
};

/// Holds the lock of a table, which orders Braid's operations on its lines; destroying it lets go. Whoever gets the
/// lock finishes what a crash left first. Not what makes operations safe against other engines: exclusive creation of
/// files and comparing identities do that. One thread at a time.
class LockedTable {
 public:
  /// Waits for the lock, then recovers. Errors: kUnavailable, naming the holder, when the time is over; kUnsupported if
  /// a newer Braid left an operation; those of recovering.
  static Result<LockedTable> Acquire(const OperationContext& context);
  /// The same without waiting: nullopt if somebody holds the lock.
  static Result<std::optional<LockedTable>> TryAcquire(const OperationContext& context);

  FileSystem& fs() const { return *context_.file_system; }
  const OperationContext& context() const { return context_; }
  /// Paths of the root line.
  const TablePaths& root() const { return root_; }
  std::int64_t NowMs() const { return context_.clock->NowMs(); }
  /// What recovery did, a sentence each.
  const std::vector<std::string>& repairs() const { return repairs_; }

  /// A journal with a new id, written. `args` is an object.
  Result<OperationJournal> Begin(std::string kind, std::string state, Json args) const;
  /// Writes the journal again after a change of its state or args.
  Status Save(const OperationJournal& journal) const;
  Status End(const OperationJournal& journal) const;

 private:
  LockedTable(OperationContext context, std::unique_ptr<FileLock> lock);
  Status Recover();

  OperationContext context_;
  TablePaths root_;
  std::unique_ptr<FileLock> lock_;
  std::vector<std::string> repairs_;
};

/// What became of an operation that was begun.
enum class Recovered : std::uint8_t { kUndone, kCompleted };

/// Finishes or undoes an operation of one kind by what is on storage: undone before its commit point, completed from it
/// on. Uses steps that may be repeated, since it may crash itself; leaves the journal to the caller.
using RecoverOperation = Result<Recovered> (*)(const LockedTable& table, const OperationJournal& journal);

/// Carries out an operation that keeps a journal. If `body` fails, what it did is undone, or completed where it was
/// past its commit point: then the operation succeeded. If that fails too, the error says that the next command will do
/// it.
Status RunJournalled(const LockedTable& table, const OperationJournal& journal, const std::function<Status()>& body);

/// Recovers what crashed operations left, unless somebody holds the lock; for readers and writers that open the table.
/// Failures are logged: a reader must not fail because a repair does. Whether anything was left, so that what was read
/// meanwhile is to be read again.
bool RecoverOnOpen(const OperationContext& context);

/// Journals that are there, for what must not be cleaned while they are: also those of unknown kinds.
Result<std::vector<OperationJournal>> ListJournals(const FileSystem& fs, const TablePaths& paths);

}  // namespace braid
