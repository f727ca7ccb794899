// Journals of operations on branches, tags and snapshots (table/operation.h): every operation is stopped at many of its storage
// calls, what it left of its journal is changed, and the next command recovers. Whatever a journal says, each snapshot that is
// still there as it was can be read whole.

#include <functional>
#include <map>
#include <set>

#include "base/log.h"
#include "fuzz/fuzz_target.h"
#include "io/fault_injecting_file_system.h"
#include "io/memory_file_system.h"
#include "meta/stores.h"
#include "table/branch_base.h"
#include "table/branch_merge.h"
#include "table/branch_replace.h"
#include "table/branches.h"
#include "table/commit.h"
#include "table/expire.h"
#include "table/maintenance_mode.h"
#include "table/rollback.h"
#include "table/scan.h"
#include "table/tag_correction.h"
#include "table/tag_removal.h"
#include "table/write.h"

using namespace braid;

namespace {

constexpr const char* kRoot = "/w/d.db/t";
constexpr std::int64_t kStep = 3;  // every so many calls an operation is stopped

template <typename T>
T Made(Result<T> result) {
  fuzz::Require(result.has_value(), result.has_value() ? "" : result.error().ToString());
  return std::move(result).value();
}
void Made(const Status& status) {
  fuzz::Require(status.has_value(), status.has_value() ? "" : status.error().ToString());
}

using Files = std::map<std::string, std::string>;  // content by path

Files FilesOf(const MemoryFileSystem& fs) {
  Files files;
  for (const std::string& path : fs.AllFiles()) files.emplace(path, Made(fs.ReadAll(path)));
  return files;
}

std::shared_ptr<MemoryFileSystem> FileSystemWith(const Files& files) {
  auto fs = std::make_shared<MemoryFileSystem>();
  for (const auto& [path, content] : files) Made(fs->Replace(path, content));
  return fs;
}

OperationContext ContextOn(std::shared_ptr<FileSystem> fs) {
  OperationContext context;
  context.file_system = std::move(fs);
  context.root = kRoot;
  context.table_name = "d.t";
  context.actor = "ana@here";
  context.lock_timeout = std::chrono::milliseconds(0);
  return context;
}

void Insert(const std::shared_ptr<FileSystem>& fs, std::string_view branch, int row) {
  const Table table = Made(Table::Open(fs, kRoot, "d.t", branch));
  const auto writer = Made(TableWriter::Make(table, {.commit_user = "writer", .spill_directory = {}, .ignore_previous_files = false}));
  Made(writer->Write(Made(MakeBatch(table.schema().fields, std::vector<DatumList>{{row}}))));
  Committable committable;
  committable.messages = Made(writer->PrepareCommit(true, kBatchCommitIdentifier));
  Made(TableCommit(table, "writer").Commit(committable));
}

void Tag(const std::shared_ptr<FileSystem>& fs, std::string name, std::int64_t id) {
  const TablePaths paths(kRoot, std::string(kMainBranch));
  Made(WriteTag(*fs, paths, {.name = std::move(name), .snapshot = Made(ReadSnapshot(*fs, paths, SnapshotId(id))), .create_time = {}, .time_retained = {}}));
}

// Main with snapshots 1 to 4 and tags on 1 and 2; `dev` from the tag of 2 with one more, `next` from 4 with one more.
Files MakeTable() {
  const auto fs = std::make_shared<MemoryFileSystem>();
  TableDefinition definition;
  definition.fields = {{FieldId(0), "k", DataType::Int(), {}, {}}};
  definition.options = Options(Options::Map{{"file.format", "avro"}, {"write-only", "true"}});
  Made(WriteSchema(*fs, TablePaths(kRoot, std::string(kMainBranch)), Made(NewTableSchema(definition, 0))));
  for (int row = 1; row <= 4; ++row) Insert(fs, kMainBranch, row);
  Tag(fs, "one", 1);
  Tag(fs, "two", 2);
  Made(CreateBranch(ContextOn(fs), {.name = "dev", .tag = "two"}));
  Made(CreateBranch(ContextOn(fs), {.name = "next", .latest = true}));
  Insert(fs, "dev", 5);
  Insert(fs, "next", 6);
  return FilesOf(*fs);
}

template <typename T>
Status StatusOf(const Result<T>& result) {
  return result ? Ok() : Status(result.error());
}

using Operation = std::function<Status(const OperationContext&)>;

std::vector<Operation> Operations() {
  const auto on_main = [](const std::function<Status(const Table&)>& operation) -> Operation {
    return [operation](const OperationContext& context) -> Status {
      BRAID_TRY_ASSIGN(const Table table, Table::Open(context.file_system, kRoot, "d.t"));
      return operation(table);
    };
  };
  return {
      on_main([](const Table& table) {
        ExpireRequest request;
        request.snapshots.retain_max = 1;
        return StatusOf(ExpireSnapshots(table, request, SystemClock()));
      }),
      on_main([](const Table& table) { return StatusOf(RollbackHard(table, {.id = SnapshotId(2)}, false, SystemClock())); }),
      on_main([](const Table& table) { return StatusOf(DeleteTags(table, {"one"}, {}, SystemClock())); }),
      [](const OperationContext& context) { return StatusOf(CreateBranch(context, {.name = "new", .tag = "one"})); },
      [](const OperationContext& context) { return StatusOf(DeleteBranch(context, {.name = "dev", .reclaim = true})); },
      [](const OperationContext& context) { return StatusOf(RenameBranch(context, {.from = "dev", .to = "other", .update_options = true})); },
      [](const OperationContext& context) { return StatusOf(FastForward(context, {.source = "next"})); },
      [](const OperationContext& context) { return StatusOf(CorrectTag(context, {.tag = "two", .branch = "dev", .assume_exclusive = true})); },
      [](const OperationContext& context) { return StatusOf(SetMaintenance(context, MaintenanceMode::kExclusive, false)); },
      [](const OperationContext& context) { return StatusOf(ReleaseBase(context, {.name = "dev", .assume_exclusive = true})); },
      [](const OperationContext& context) { return StatusOf(ReplaceMain(context, {.name = "dev"})); },
      [](const OperationContext& context) { return StatusOf(ReplaceMain(context, {.name = "next", .materialize = false})); },
  };
}

struct Crash {
  Files files;
  std::string journal;  // its path
};

// What operations leave that are stopped; those alone that have begun.
std::vector<Crash> Crashes(const Files& table) {
  std::vector<Crash> crashes;
  for (const Operation& operation : Operations()) {
    for (std::int64_t nth = kStep;; nth += kStep) {
      const auto fs = FileSystemWith(table);
      const auto faulty = std::make_shared<FaultInjectingFileSystem>(fs);
      faulty->FailAt(nth, FaultInjectingFileSystem::Fault::kStop);
      const Status done = operation(ContextOn(faulty));
      if (!faulty->struck()) {
        Made(done);
        break;
      }
      const auto journals = Made(ListJournals(*fs, TablePaths(kRoot, std::string(kMainBranch))));
      if (journals.empty()) continue;
      crashes.push_back({FilesOf(*fs), TablePaths(kRoot, std::string(kMainBranch)).OperationFile(journals.front().id)});
    }
  }
  return crashes;
}

void Nodes(Json& json, std::vector<Json*>& nodes) {
  nodes.push_back(&json);
  if (json.is_array()) for (Json& element : json.as_array()) Nodes(element, nodes);
  if (json.is_object()) for (auto& [key, value] : json.as_object()) Nodes(value, nodes);
}

// Puts something else in the place of one value.
std::string ChangeNode(const std::string& text, std::size_t which, std::size_t change) {
  auto json = ParseJson(text);
  if (!json) return text;
  std::vector<Json*> nodes;
  Nodes(*json, nodes);
  Json& node = *nodes[which % nodes.size()];
  switch (change) {
    case 0: node = Json(); break;
    case 1: node = Json(""); break;
    case 2: node = Json(Json::Array{}); break;
    case 3: node = Json(Json::Object{}); break;
    case 4: node = Json(std::int64_t{INT64_MAX}); break;
    case 5: node = Json(std::int64_t{INT64_MIN}); break;
    case 6: node = Json("main"); break;
    case 7: node = Json("../x"); break;
    case 8: node = Json(!(node.is_bool() && node.as_bool())); break;
    case 9:
      if (node.is_array() && !node.as_array().empty()) node.as_array().pop_back();
      if (node.is_object() && !node.as_object().empty()) node.as_object().pop_back();
      break;
    default:
      if (change < 20) {
        node = Json(static_cast<std::int64_t>(change) - 10);
      } else {
        const Json other = *nodes[change % nodes.size()];
        node = other;
      }
  }
  return PrintJson(*json);
}

std::string Change(std::string text, fuzz::Input& input) {
  while (!input.rest().empty()) {
    if (input.Choose(4) != 0) {
      const std::size_t which = input.Choose(256);
      text = ChangeNode(text, which, input.Choose(256));
      continue;
    }
    const std::size_t at = text.empty() ? 0 : (input.Choose(256) * 256 + input.Choose(256)) % text.size();
    const std::size_t count = 1 + input.Choose(4);
    text.replace(at, std::min(count, text.size() - at), std::string(input.Choose(3), static_cast<char>(input.Choose(256))));
  }
  return text;
}

std::set<std::string> SnapshotsOf(const Files& files) {
  std::set<std::string> texts;
  for (const auto& [path, content] : files) {
    if (path.find("/snapshot/snapshot-") != std::string::npos) texts.insert(content);
  }
  return texts;
}

Status ReadWhole(const Table& table) {
  BRAID_TRY_ASSIGN(const Plan plan, PlanBatch(table, {}));
  BRAID_TRY_ASSIGN(const auto reader, ReadPlan(table, plan, {}));
  BRAID_TRY(ReadAllBatches(*reader));
  return Ok();
}

// Snapshots of lines that are what they were before the operation.
void ReadKept(const std::shared_ptr<MemoryFileSystem>& fs, const std::set<std::string>& known) {
  const TablePaths root(kRoot, std::string(kMainBranch));
  for (const std::string branch : {"main", "dev", "next", "new", "other"}) {
    const auto table = Table::Open(fs, kRoot, "d.t", branch);
    if (!fuzz::IsRead(table)) continue;
    const auto ids = ListSnapshots(*fs, table->paths());
    if (!fuzz::IsRead(ids)) continue;
    for (const SnapshotId id : *ids) {
      if (!known.contains(Made(fs->ReadAll(table->paths().SnapshotFile(id))))) continue;
      const auto then = table->With(Options(Options::Map{{"scan.snapshot-id", std::to_string(id.value())}}));
      if (!fuzz::IsRead(then)) continue;
      const Status read = ReadWhole(*then);
      // Whether an old snapshot is being removed cannot be told from a journal that cannot be read.
      const bool is_whole = read.has_value() || read.error().code() != ErrorCode::kNotFound;
      fuzz::Require(is_whole, is_whole ? "" : "a snapshot lacks something: " + read.error().ToString());
    }
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  SetLogLevel(LogLevel::kError);
  static const Files kTable = MakeTable();
  static const std::set<std::string> kSnapshots = SnapshotsOf(kTable);
  static const std::vector<Crash> kCrashes = Crashes(kTable);
  fuzz::Input input(data, size);
  const std::size_t number = input.Choose(256) * 256 + input.Choose(256);
  const Crash& crash = kCrashes[number % kCrashes.size()];
  const auto fs = FileSystemWith(crash.files);
  Made(fs->Replace(crash.journal, Change(crash.files.at(crash.journal), input)));
  fuzz::IsRead(LockedTable::Acquire(ContextOn(fs)));
  ReadKept(fs, kSnapshots);
  return 0;
}
