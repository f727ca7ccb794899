#include "table/operation.h"

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include "base/log.h"
#include "base/uuid.h"
#include "io/storage_traits.h"
#include "meta/fork_record.h"
#include "table/recoveries_internal.h"

namespace braid {

namespace {

constexpr std::int64_t kFormatVersion = 1;
constexpr std::chrono::milliseconds kLockPoll{10};
constexpr std::chrono::milliseconds kFarLockPoll{250};
constexpr std::string_view kSuffix = ".json";

std::string HostName() {
  char name[256] = {};
  if (gethostname(name, sizeof(name) - 1) != 0) return "localhost";
  return name;
}

std::string DefaultActor() {
  const char* user = std::getenv("USER");
  std::string name = user != nullptr ? user : "";
  if (name.empty()) {
    const passwd* entry = getpwuid(geteuid());  // NOLINT(concurrency-mt-unsafe): the name is copied at once
    name = entry != nullptr ? entry->pw_name : std::to_string(geteuid());
  }
  return fmt::format("{}@{}", name, HostName());
}

std::string NewOwner() {
  return fmt::format("{}:{}:{}", HostName(), getpid(), RandomUuid());
}

Result<OperationJournal> ParseJournal(std::string id, std::string_view text) {
  BRAID_TRY_ASSIGN(const Json json, ParseJson(text));
  OperationJournal journal;
  journal.id = std::move(id);
  BRAID_TRY_ASSIGN(const std::int64_t version, json.GetInteger("formatVersion"));
  BRAID_TRY_ASSIGN(journal.kind, json.GetString("kind"));
  BRAID_TRY_ASSIGN(journal.state, json.GetString("state"));
  BRAID_TRY_ASSIGN(journal.owner, json.GetString("owner"));
  BRAID_TRY_ASSIGN(journal.started_ms, json.GetInteger("startedMillis"));
  if (const Json* args = json.Find("args")) journal.args = *args;
  // Of a newer version: no recovery here knows it.
  if (version > kFormatVersion) journal.kind = fmt::format("{} (format {})", journal.kind, version);
  return journal;
}

std::string PrintJournal(const OperationJournal& journal) {
  Json json;
  json.Add("formatVersion", kFormatVersion);
  json.Add("op", journal.id);
  json.Add("kind", journal.kind);
  json.Add("state", journal.state);
  json.Add("owner", journal.owner);
  json.Add("startedMillis", journal.started_ms);
  json.Add("args", journal.args);
  return PrintJsonPretty(json);
}

RecoverOperation FindRecovery(std::string_view kind) {
  for (const OperationKind& known : OperationKinds()) {
    if (known.name == kind) return known.recover;
  }
  return nullptr;
}

}  // namespace

OperationContext ContextOf(const Table& table) {
  return {.file_system = table.shared_file_system(), .root = table.paths().root(), .table_name = table.name()};
}

LockedTable::LockedTable(OperationContext context, std::unique_ptr<FileLock> lock)
    : context_(std::move(context)), root_(context_.root, std::string(kMainBranch)), lock_(std::move(lock)) {
  if (context_.actor.empty()) context_.actor = DefaultActor();
}

Result<std::optional<LockedTable>> LockedTable::TryAcquire(const OperationContext& context) {
  const TablePaths root(context.root, std::string(kMainBranch));
  BRAID_TRY_ASSIGN(std::unique_ptr<FileLock> lock, context.file_system->TryLock(root.LockFile(), NewOwner()));
  if (lock == nullptr) return std::optional<LockedTable>();
  LockedTable table(context, std::move(lock));
  BRAID_TRY(table.Recover());
  return std::optional(std::move(table));
}

Result<LockedTable> LockedTable::Acquire(const OperationContext& context) {
  const auto deadline = std::chrono::steady_clock::now() + context.lock_timeout;
  while (true) {
    BRAID_TRY_ASSIGN(std::optional<LockedTable> table, TryAcquire(context));
    if (table) return *std::move(table);
    if (std::chrono::steady_clock::now() >= deadline) break;
    std::this_thread::sleep_for(ParallelCalls(*context.file_system) > 1 ? kFarLockPoll : kLockPoll);
  }
  const TablePaths root(context.root, std::string(kMainBranch));
  const Result<std::string> owner = context.file_system->ReadAll(root.LockFile());
  return Error(ErrorCode::kUnavailable,
               fmt::format("{} holds the lock of {}", owner && !owner->empty() ? *owner : "another process",
                           context.table_name))
      .Id("lock.busy")
      .Hint("wait for that command to end, or give --lock-timeout more time");
}

Status LockedTable::Recover() {
  BRAID_TRY_ASSIGN(const std::vector<OperationJournal> journals, ListJournals(fs(), root_));
  for (const OperationJournal& journal : journals) {
    const RecoverOperation recover = FindRecovery(journal.kind);
    if (recover == nullptr) {
      return Error(ErrorCode::kUnsupported, fmt::format("operation {} ({}) on {} was started by a newer braid",
                                                        journal.id, journal.kind, context_.table_name))
          .Id("journal.newer")
          .Hint("finish it with that version; reading goes on meanwhile");
    }
    const Result<Recovered> outcome = recover(*this, journal);
    if (!outcome) {
      return Error(outcome.error())
          .Context(fmt::format("while repairing the interrupted {} of {}", journal.kind, context_.table_name));
    }
    BRAID_TRY(End(journal));
    repairs_.push_back(fmt::format("{} an interrupted {} of {}", *outcome == Recovered::kUndone ? "undid" : "finished",
                                   journal.kind, context_.table_name));
    Log(LogLevel::kWarning, "operation recovered",
        fmt::format("table={} op={} kind={} state={}", context_.table_name, journal.id, journal.kind, journal.state));
  }
  return Ok();
}

Result<OperationJournal> LockedTable::Begin(std::string kind, std::string state, Json args) const {
  BRAID_TRY(EnsureTableRecord(fs(), root_, NowMs()));
  OperationJournal journal{.id = RandomUuid(),
                           .kind = std::move(kind),
                           .state = std::move(state),
                           .owner = NewOwner(),
                           .started_ms = NowMs(),
                           .args = std::move(args)};
  BRAID_TRY(Save(journal));
  return journal;
}

Status LockedTable::Save(const OperationJournal& journal) const {
  const std::string path = root_.OperationFile(journal.id);
  BRAID_TRY(fs().Replace(path, PrintJournal(journal)));
  return fs().SyncFiles(std::vector{path});
}

Status LockedTable::End(const OperationJournal& journal) const {
  return fs().Delete(root_.OperationFile(journal.id));
}

Status RunJournalled(const LockedTable& table, const OperationJournal& journal, const std::function<Status()>& body) {
  Status done = body();
  if (done) return table.End(journal);
  const Result<Recovered> outcome = FindRecovery(journal.kind)(table, journal);
  const Status ended = outcome ? table.End(journal) : Status(outcome.error());
  if (!ended) {
    return std::move(done).error().Context(
        fmt::format("and what was begun could not be put right ({}); the next command on {} does it",
                    ended.error().message(), table.context().table_name));
  }
  return *outcome == Recovered::kCompleted ? Ok() : done;
}

bool RecoverOnOpen(const OperationContext& context) {
  const TablePaths root(context.root, std::string(kMainBranch));
  const Result<std::vector<FileInfo>> files = context.file_system->List(root.OperationDirectory());
  if (!files || files->empty()) return false;
  const Result<std::optional<LockedTable>> table = LockedTable::TryAcquire(context);
  if (!table) {
    Log(LogLevel::kWarning, "operation not recovered",
        fmt::format("table={} error={}", context.table_name, table.error().message()));
  }
  return true;
}

Result<std::vector<OperationJournal>> ListJournals(const FileSystem& fs, const TablePaths& paths) {
  BRAID_TRY_ASSIGN(const std::vector<FileInfo> files, fs.List(paths.OperationDirectory()));
  std::vector<OperationJournal> journals;
  for (const FileInfo& file : files) {
    if (file.is_directory || file.name.starts_with('.') || !file.name.ends_with(kSuffix)) continue;
    const std::string path = JoinPath(paths.OperationDirectory(), file.name);
    const Result<std::string> text = fs.ReadAll(path);
    if (!text && text.error().code() == ErrorCode::kNotFound) continue;
    if (!text) return text.error();
    Result<OperationJournal> journal =
        ParseJournal(file.name.substr(0, file.name.size() - kSuffix.size()), *text).Context("while reading " + path);
    if (!journal) return std::move(journal).error();
    journals.push_back(*std::move(journal));
  }
  // Oldest first: a later operation built on what an earlier one left.
  std::sort(journals.begin(), journals.end(), [](const OperationJournal& a, const OperationJournal& b) {
    return std::pair(a.started_ms, a.id) < std::pair(b.started_ms, b.id);
  });
  return journals;
}

}  // namespace braid
