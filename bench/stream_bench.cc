// Word count as a job, table to table: B8. How many words a second go through, and how soon a commit of the source
// shows in the sink. What counts is the whole program, from its start until the sink holds the counts.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <arrow/record_batch.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <unistd.h>

#include "catalog/catalog.h"
#include "measurement.h"
#include "memory_watch.h"
#include "meta/stores.h"
#include "table/commit.h"
#include "table/scan.h"
#include "table/write.h"

namespace braid {
namespace {

constexpr std::int64_t kBatchRows = 65'536;
constexpr std::int64_t kDistinctWords = 100'000;
constexpr const char* kCount = "INSERT INTO b.counts SELECT word, COUNT(*) FROM {}{} GROUP BY word";
constexpr int kSnapshotTimeoutMs = 60'000;

struct StreamSettings {
  std::string binary;
  std::string warehouse;
  std::string source;  // warehouse of a table default.words that others have made; empty: b.words, made here
  std::string interval;
  std::int64_t words = 0;
  std::int64_t commits = 0;
};

/// Words whose n-th is as frequent as 1/n.
class ZipfWords {
 public:
  ZipfWords() {
    double total = 0;
    for (std::int64_t rank = 1; rank <= kDistinctWords; ++rank) {
      total += 1.0 / static_cast<double>(rank);
      cumulated_.push_back(total);
    }
  }
  std::string Next() {
    const double at = std::uniform_real_distribution<double>(0, cumulated_.back())(random_);
    const auto found = std::lower_bound(cumulated_.begin(), cumulated_.end(), at);
    return fmt::format("word{:06}", found - cumulated_.begin());
  }

 private:
  std::vector<double> cumulated_;
  std::mt19937_64 random_{1};
};

Result<Table> CreateTable(Catalog& catalog, const std::string& name, std::vector<DataField> fields,
                          std::vector<std::string> key, const Options& options) {
  const Identifier identifier{.database = "b", .table = name, .branch = {}, .system_table = {}};
  BRAID_TRY(catalog.CreateDatabase("b", /*ignore_if_exists=*/true));
  BRAID_TRY(catalog.DropTable(identifier, {.ignore_if_not_exists = true}));
  const TableDefinition definition{.fields = std::move(fields),
                                   .partition_keys = {},
                                   .primary_keys = std::move(key),
                                   .options = options,
                                   .comment = {}};
  BRAID_TRY(catalog.CreateTable(identifier, definition, /*ignore_if_exists=*/false));
  return catalog.OpenTable(identifier);
}

DataField Column(std::int32_t id, std::string name, DataType type) {
  return {FieldId(id), std::move(name), std::move(type), std::nullopt, std::nullopt};
}

/// Commits words to a table, one snapshot a call.
class WordWriter {
 public:
  explicit WordWriter(Table table) : table_(std::move(table)), commit_(table_, "words") {}

  Status Commit(std::int64_t count) {
    if (writer_ == nullptr) {
      BRAID_TRY_ASSIGN(writer_, TableWriter::Make(table_, {.commit_user = "words", .spill_directory = {}}));
    }
    std::vector<DatumList> rows;
    for (std::int64_t word = 0; word < count; ++word) {
      rows.push_back({Datum(words_.Next())});
      if (static_cast<std::int64_t>(rows.size()) < kBatchRows && word + 1 < count) continue;
      BRAID_TRY_ASSIGN(const Batch batch, MakeBatch(table_.schema().fields, std::span(rows)));
      BRAID_TRY(writer_->Write(batch));
      rows.clear();
    }
    Committable committable;
    committable.identifier = ++identifier_;
    BRAID_TRY_ASSIGN(committable.messages, writer_->PrepareCommit(/*wait_compaction=*/true, identifier_));
    BRAID_TRY(commit_.Commit(committable));
    return Ok();
  }

 private:
  Table table_;
  TableCommit commit_;
  std::unique_ptr<TableWriter> writer_;
  ZipfWords words_;
  std::int64_t identifier_ = 0;
};

/// The job of a benchmark; stopped when it goes.
class CountJob {
 public:
  explicit CountJob(const StreamSettings& settings)
      : settings_(settings), state_(settings.warehouse + "/state-" + std::to_string(::getpid())) {}
  ~CountJob() {
    if (started_) static_cast<void>(RunProgram(Words({"job", "stop", "--all"})));
    std::error_code ignored;
    std::filesystem::remove_all(state_, ignored);
  }
  CountJob(const CountJob&) = delete;
  CountJob& operator=(const CountJob&) = delete;

  Status Start(bool batch, const std::string& hint) {
    started_ = !batch;
    std::vector<std::string> words = {settings_.binary,
                                      "sql",
                                      "--no-init",
                                      "--state-dir",
                                      state_,
                                      "--warehouse",
                                      settings_.warehouse,
                                      "-D",
                                      batch ? "execution.runtime-mode=batch" : "execution.runtime-mode=streaming",
                                      "-D",
                                      "pipeline.name=count",
                                      "-D",
                                      "execution.checkpointing.interval=" + settings_.interval};
    std::string text;
    if (!settings_.source.empty())
      text = fmt::format("CREATE CATALOG source WITH ('type' = 'paimon', 'warehouse' = '{}'); ", settings_.source);
    text += fmt::format(kCount, settings_.source.empty() ? "b.words" : "source.`default`.words", hint);
    words.insert(words.end(), {"-e", text});
    return RunProgram(std::move(words));
  }

  Status CatchUp() { return RunProgram(Words({"job", "wait", "count", "--caught-up"})); }

  /// What the job's worker has used so far: worker_rss_mb, worker_cpu_s. Nothing if there is none.
  void AddUsage(Json::Object& detail) const {
    const std::string worker = WorkerOf(state_);
    if (worker.empty()) return;
    detail.emplace_back("worker_rss_mb", StatusMebibytes(worker, "VmHWM"));
    std::ifstream stat(fmt::format("/proc/{}/stat", worker));
    std::vector<std::string> fields{std::istream_iterator<std::string>(stat), {}};
    // utime and stime in ticks.
    if (fields.size() > 14) {
      const auto ticks = static_cast<double>(std::atoll(fields[13].c_str()) + std::atoll(fields[14].c_str()));
      detail.emplace_back("worker_cpu_s", ticks / static_cast<double>(::sysconf(_SC_CLK_TCK)));
    }
  }

 private:
  std::vector<std::string> Words(std::vector<std::string> words) const {
    words.insert(words.begin(), settings_.binary);
    words.insert(words.end(), {"--state-dir", state_});
    return words;
  }

  const StreamSettings& settings_;
  std::string state_;
  bool started_ = false;
};

/// The sum of all counts: what a wrong job would get wrong first.
Result<std::int64_t> SumOfCounts(const Table& counts) {
  BRAID_TRY_ASSIGN(const Plan plan, PlanBatch(counts, {}));
  BRAID_TRY_ASSIGN(const auto rows, ReadPlan(counts, plan, {.projection = {{"cnt"}}, .filter = nullptr}));
  std::int64_t sum = 0;
  for (;;) {
    BRAID_TRY_ASSIGN(const std::optional<Batch> batch, rows->Next());
    if (!batch) return sum;
    for (std::int64_t row = 0; row < batch->row_count(); ++row)
      sum += DatumAt(*batch->rows->column(0), row, DataType::BigInt()).as_int();
  }
}

Status CheckCounts(const Table& counts, std::int64_t words) {
  BRAID_TRY_ASSIGN(const std::int64_t sum, SumOfCounts(counts));
  if (sum == words) return Ok();
  return Error(ErrorCode::kInternal, fmt::format("the counts sum up to {}, and there are {} words", sum, words));
}

Result<Table> MakeTables(Catalog& catalog) {
  BRAID_TRY(CreateTable(catalog, "words", {Column(0, "word", DataType::String())}, {},
                        Options(Options::Map{{"bucket", "-1"}})));
  return CreateTable(catalog, "counts",
                     {Column(0, "word", DataType::String().NotNull()), Column(1, "cnt", DataType::BigInt())}, {"word"},
                     Options(Options::Map{{"bucket", "2"}}));
}

Result<Table> OpenWords(Catalog& catalog) {
  return catalog.OpenTable({.database = "b", .table = "words", .branch = {}, .system_table = {}});
}

/// One run a process, since a job's start counts.
Result<Measurement> Throughput(const std::string& what, const StreamSettings& settings, Catalog& catalog) {
  BRAID_TRY_ASSIGN(const Table counts, MakeTables(catalog));
  const std::int64_t commits = what == "epochs" ? settings.commits : 1;
  if (settings.source.empty()) {
    BRAID_TRY_ASSIGN(const Table words, OpenWords(catalog));
    WordWriter writer(words);
    for (std::int64_t commit = 0; commit < commits; ++commit) BRAID_TRY(writer.Commit(settings.words / commits));
  }
  CountJob job(settings);
  // Every commit of the source is a checkpoint of its own.
  const std::string hint = what == "epochs" ? " /*+ OPTIONS('scan.mode' = 'from-snapshot', 'scan.snapshot-id' = '1', "
                                              "'source.checkpoint-align.enabled' = 'true') */"
                                            : "";
  const auto count = [&]() -> Status {
    BRAID_TRY(job.Start(what == "batch", hint));
    return what == "batch" ? Ok() : job.CatchUp();
  };
  Measurement measurement{.seconds = {}, .rows = settings.words / commits * commits};
  BRAID_TRY_ASSIGN(const double seconds, Seconds(count));
  measurement.seconds.push_back(seconds);
  measurement.detail = {{"what", what}, {"commits", commits}};
  job.AddUsage(measurement.detail);
  BRAID_TRY(CheckCounts(counts, measurement.rows));
  return measurement;
}

/// Waits until a table has rows of another commit, as the system tells it.
class CommitWatch {
 public:
  explicit CommitWatch(Table table) : table_(std::move(table)), descriptor_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
    ::inotify_add_watch(descriptor_, table_.paths().SnapshotDirectory().c_str(), IN_CREATE | IN_MOVED_TO);
  }
  ~CommitWatch() { ::close(descriptor_); }
  CommitWatch(const CommitWatch&) = delete;
  CommitWatch& operator=(const CommitWatch&) = delete;

  /// Forgets what is there.
  Status Begin() {
    BRAID_TRY(FindNew());
    return Ok();
  }
  Status Await() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(kSnapshotTimeoutMs);
    for (;;) {
      BRAID_TRY_ASSIGN(const bool found, FindNew());
      if (found) return Ok();
      if (std::chrono::steady_clock::now() > deadline)
        return Error(ErrorCode::kUnavailable, "a commit of the source does not show in the sink");
      pollfd waiting{.fd = descriptor_, .events = POLLIN, .revents = 0};
      ::poll(&waiting, 1, 1000);
      std::array<char, 4096> events;
      while (::read(descriptor_, events.data(), events.size()) > 0) continue;
    }
  }

 private:
  // Compactions have snapshots of their own.
  Result<bool> FindNew() {
    BRAID_TRY_ASSIGN(const auto latest, FindLatestSnapshot(table_.file_system(), table_.paths()));
    bool found = false;
    for (; latest && seen_ < *latest; seen_ = seen_.next()) {
      BRAID_TRY_ASSIGN(const Snapshot snapshot, ReadSnapshot(table_.file_system(), table_.paths(), seen_.next()));
      found = found || snapshot.commit_kind == CommitKind::kAppend;
    }
    return found;
  }

  Table table_;
  int descriptor_;
  SnapshotId seen_{0};
};

/// The time from the end of a commit to the source until the sink has the snapshot with it; the job idle before.
Result<Measurement> Freshness(const StreamSettings& settings, Catalog& catalog) {
  BRAID_TRY_ASSIGN(const Table counts, MakeTables(catalog));
  BRAID_TRY_ASSIGN(const Table words, OpenWords(catalog));
  WordWriter writer(words);
  BRAID_TRY(writer.Commit(settings.words));
  CountJob job(settings);
  BRAID_TRY(job.Start(false, ""));
  BRAID_TRY(job.CatchUp());
  BRAID_TRY_ASSIGN(const std::chrono::milliseconds interval,
                   Options(Options::Map{{"interval", settings.interval}}).GetDuration("interval", {}));
  CommitWatch watch(counts);
  Measurement measurement{.seconds = {}, .rows = 1};
  for (std::int64_t commit = 0; commit < settings.commits; ++commit) {
    // An interval after a checkpoint the job is idle again.
    std::this_thread::sleep_for(interval + std::chrono::milliseconds(20));
    BRAID_TRY(watch.Begin());
    BRAID_TRY(writer.Commit(1));
    BRAID_TRY_ASSIGN(const double seconds, Seconds([&] { return watch.Await(); }));
    measurement.seconds.push_back(seconds);
  }
  BRAID_TRY(CheckCounts(counts, settings.words + settings.commits));
  measurement.detail = {{"what", "freshness"},
                        {"interval", settings.interval},
                        {"commits", settings.commits},
                        {"fresh", Quantiles(measurement.seconds)}};
  job.AddUsage(measurement.detail);
  return measurement;
}

Result<Measurement> Run(const Options& arguments) {
  StreamSettings settings;
  BRAID_TRY_ASSIGN(const std::string what, WordArgument(arguments, "what", {"stream", "batch", "epochs", "freshness"}));
  BRAID_TRY_ASSIGN(settings.binary, RequiredArgument(arguments, "binary"));
  BRAID_TRY_ASSIGN(settings.warehouse, RequiredArgument(arguments, "warehouse"));
  BRAID_TRY_ASSIGN(settings.words, CountArgument(arguments, "words", 1'000'000));
  BRAID_TRY_ASSIGN(settings.commits, CountArgument(arguments, "commits", 100));
  settings.interval = arguments.Get("interval", "1 ms");
  settings.source = arguments.Get("source", "");
  BRAID_TRY_ASSIGN(const auto catalog, MakeFileSystemCatalog("paimon", Options({{"warehouse", settings.warehouse}})));
  return what == "freshness" ? Freshness(settings, *catalog) : Throughput(what, settings, *catalog);
}

}  // namespace
}  // namespace braid

int main(int argc, char** argv) {
  return braid::RunBenchmark(
      argc, argv,
      {.case_name = "B8",
       .usage = "binary=PATH warehouse=DIR [what=stream|batch|epochs|freshness] [words=N] [commits=N] [interval=TIME] "
                "[source=DIR]",
       .keys = {"binary", "warehouse", "what", "words", "commits", "interval", "source"},
       .run = braid::Run});
}
