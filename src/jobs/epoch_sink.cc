#include "jobs/epoch_sink.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "jobs/commit_message_json.h"
#include "jobs/fault_point.h"
#include "meta/stores.h"
#include "table/commit.h"
#include "table/data_file_reader.h"
#include "table/lines.h"
#include "table/reader_line.h"
#include "table/write.h"

namespace braid {

namespace {

// Storage that does not answer: the data are safe, so it is asked for a while before the worker is restarted.
constexpr int kCommitAttempts = 8;
constexpr std::chrono::milliseconds kFirstPause(50);

bool MayWorkLater(ErrorCode code) {
  return code == ErrorCode::kCommitUnknown || code == ErrorCode::kIo || code == ErrorCode::kUnavailable;
}

class TableSink : public EpochSink {
 public:
  TableSink(std::string name, Table table, Table journalled, std::string spill_directory, const Clock& clock)
      : name_(std::move(name)),
        table_(std::move(table)),
        journalled_(std::move(journalled)),
        spill_directory_(std::move(spill_directory)),
        clock_(clock) {}

  const std::string& name() const override { return name_; }
  const Table* table() const override { return &table_; }

  // Which kinds Paimon's Flink sink asks for.
  SinkTraits traits() const override {
    const Options& options = table_.options();
    const std::vector<std::string>& key = table_.schema().primary_keys;
    const std::string engine = ToLower(options.Get("merge-engine", "deduplicate"));
    const bool aggregates = std::any_of(options.values().begin(), options.values().end(), [](const auto& option) {
      return option.first.starts_with("fields.") && option.first.ends_with(".aggregate-function");
    });
    const bool all = EqualsIgnoreCase(options.Get("changelog-producer", "none"), "input") || engine == "aggregation" ||
                     (engine == "partial-update" && aggregates);
    return {.key = key, .takes_deletions = !key.empty(), .wants_update_before = all && !key.empty()};
  }

  Status Begin(const std::string& commit_user) override {
    BRAID_TRY(Follow());
    BRAID_TRY_ASSIGN(head_, Head());
    // What others committed meanwhile changes sequence numbers and files: a writer that knows of it is needed.
    if (writer_ != nullptr && head_ == committed_) return Ok();
    writer_.reset();
    BRAID_TRY_ASSIGN(writer_, TableWriter::Make(journalled_, {.commit_user = commit_user,
                                                              .spill_directory = spill_directory_,
                                                              .ignore_previous_files = false}));
    return Ok();
  }

  Status Write(const Batch& batch) override { return writer_->Write(batch); }

  Result<Json> Prepare(std::int64_t barrier) override {
    BRAID_TRY_ASSIGN(const std::vector<CommitMessage> messages, writer_->PrepareCommit(true, barrier));
    Json prepared;
    prepared.Add("head", head_);
    prepared.Add("line", table_.line().id);
    BRAID_TRY_ASSIGN(Json encoded, EncodeCommitMessages(messages));
    prepared.Add("messages", std::move(encoded));
    return prepared;
  }

  Status Commit(const std::string& commit_user, const SinkCommit& commit, const Json& prepared,
                bool recovered) override {
    BRAID_TRY(Follow());
    BRAID_TRY_ASSIGN(std::int64_t head, prepared.GetInteger("head"));
    BRAID_TRY_ASSIGN(const std::optional<std::string> line, prepared.FindString("line"));
    // Prepared for another line, whose numbers say nothing of this one.
    if (line && *line != table_.line().id) {
      BRAID_TRY_ASSIGN(head, Head());
    }
    const Json* encoded = prepared.Find("messages");
    if (encoded == nullptr) return Error(ErrorCode::kCorruption, fmt::format("a commit to {} has no messages", name_));
    BRAID_TRY_ASSIGN(std::vector<CommitMessage> messages, DecodeCommitMessages(*encoded));
    Committable committable{.identifier = commit.barrier,
                            .watermark = std::nullopt,
                            .properties = commit.properties,
                            .messages = std::move(messages)};
    std::chrono::milliseconds pause = kFirstPause;
    for (int attempt = 1;; ++attempt) {
      Status done = TryCommit(commit_user, committable, head, recovered || attempt > 1);
      if (done) break;
      if (done.error().code() == ErrorCode::kConflict && DropCompaction(committable)) {
        Log(LogLevel::kWarning, "compaction of a checkpoint left out, since another writer changed its files",
            fmt::format("table={} barrier={}", name_, commit.barrier));
        continue;
      }
      if (!MayWorkLater(done.error().code()) || attempt == kCommitAttempts) return done;
      Log(LogLevel::kWarning, "commit to be tried again",
          fmt::format("table={} barrier={} error={}", name_, commit.barrier, done.error().message()));
      std::this_thread::sleep_for(pause);
      pause *= 2;
    }
    return Ok();
  }

  Result<bool> HasCommitted(const std::string& line, const std::string& commit_user,
                            std::int64_t barrier) const override {
    BRAID_TRY_ASSIGN(const TableLines lines, ListLines(table_.file_system(), table_.paths().root(), Inference::kSkip));
    const Line* found = lines.FindById(line);
    if (found == nullptr) return false;
    BRAID_TRY_ASSIGN(const std::vector<std::int64_t> left,
                     TableCommit(table_.MovedTo(found->paths), commit_user, clock_).FilterUncommitted({barrier}));
    return left.empty();
  }

  Result<bool> Stands(const LinePoint& mark, const std::string& commit_user, std::int64_t pending) const override {
    BRAID_TRY_ASSIGN(const Table table, FollowLine(table_));
    if (mark.line == table.line().id) return true;
    BRAID_TRY_ASSIGN(const LinePoint head, OnLine<LinePoint>(table, ContentHead));
    if (head.snapshot == mark.snapshot && head.identity == mark.identity) return true;
    if (pending == 0 || head.snapshot.value() < 1) return false;
    BRAID_TRY_ASSIGN(const Snapshot snapshot, OnLine<Snapshot>(table, [&](const Table& here) {
                       return ReadSnapshot(here.file_system(), here.paths(), head.snapshot);
                     }));
    return snapshot.commit_user == commit_user && snapshot.commit_identifier == pending;
  }

  Result<std::optional<LinePoint>> Mark() const override {
    BRAID_TRY_ASSIGN(const Table table, FollowLine(table_));
    BRAID_TRY_ASSIGN(LinePoint point, OnLine<LinePoint>(table, ContentHead));
    return std::optional(std::move(point));
  }

  bool HasMoved() const override { return braid::HasMoved(table_); }

 private:
  // Where the line lies somewhere else than before, a writer must look there for what it goes on from.
  Status Follow() {
    BRAID_TRY_ASSIGN(Table table, FollowLine(table_));
    if (table.paths().branch() == table_.paths().branch()) return Ok();
    journalled_ = journalled_.MovedTo(table.paths());
    table_ = std::move(table);
    writer_.reset();
    return Ok();
  }

  Result<std::int64_t> Head() const {
    BRAID_TRY_ASSIGN(const auto latest, FindLatestSnapshot(table_.file_system(), table_.paths()));
    return latest ? latest->value() : 0;
  }

  Status TryCommit(const std::string& commit_user, const Committable& committable, std::int64_t head,
                   bool may_be_there) {
    committed_ = -1;
    TableCommit commit(table_, commit_user, clock_);
    if (may_be_there) {
      BRAID_TRY_ASSIGN(const bool known, IsCommitted(commit, commit_user, committable.identifier, head));
      if (known) return Ok();
      BRAID_TRY(CheckFiles(committable));
    }
    FaultPoint("sink.committing");
    BRAID_TRY_ASSIGN(const std::vector<Snapshot> made, commit.Commit(committable));
    FaultPoint("sink.committed");
    // Only if nobody came between does the writer know all that there is.
    std::int64_t last = head;
    for (const Snapshot& snapshot : made) last = snapshot.id.value() == last + 1 ? last + 1 : -1;
    committed_ = last;
    if (writer_ != nullptr && !made.empty() && last != -1) writer_->CommittedUpTo(made.back());
    return Ok();
  }

  // Errors: kConflict if snapshots that would tell have expired.
  Result<bool> IsCommitted(const TableCommit& commit, const std::string& commit_user, std::int64_t barrier,
                           std::int64_t head) const {
    BRAID_TRY_ASSIGN(const std::vector<std::int64_t> left, commit.FilterUncommitted({barrier}));
    if (left.empty()) return true;
    BRAID_TRY_ASSIGN(const auto earliest, FindEarliestSnapshot(table_.file_system(), table_.paths()));
    if (!earliest || earliest->value() <= head + 1) return false;
    // Every snapshot behind one of our own is there, so the barrier's would be.
    BRAID_TRY_ASSIGN(const std::vector<SnapshotId> ids, ListSnapshots(table_.file_system(), table_.paths()));
    for (const SnapshotId id : ids) {
      const Result<Snapshot> snapshot = ReadSnapshot(table_.file_system(), table_.paths(), id);
      if (snapshot && snapshot->commit_user == commit_user) return false;
    }
    return Error(ErrorCode::kConflict,
                 fmt::format("no snapshot of {} remains on {}; barrier {} may or may not be in it", commit_user, name_,
                             barrier))
        .Hint(
            "`braid job restart … --rebuild-state` compares the table with the query's result and writes the "
            "difference");
  }

  Status CheckFiles(const Committable& committable) const {
    std::int64_t lost = 0;
    for (const CommitMessage& message : committable.messages) {
      for (const auto* files :
           {&message.new_files, &message.changelog_files, &message.compact_after, &message.compact_changelog_files}) {
        for (const DataFileMeta& file : *files) {
          BRAID_TRY_ASSIGN(const std::string path, DataFilePath(table_, message.partition, message.bucket, file));
          BRAID_TRY_ASSIGN(const bool there, table_.file_system().Exists(path));
          if (!there) ++lost;
        }
      }
    }
    if (lost == 0) return Ok();
    return Error(ErrorCode::kConflict,
                 fmt::format("{} files of barrier {} no longer exist on {}", lost, committable.identifier, name_))
        .Hint(
            "orphan cleaning takes files that no snapshot names after a day; `braid job restart … --rebuild-state` "
            "writes them anew");
  }

  // Takes compactions out of the commit; false if there are none. They are done again later.
  static bool DropCompaction(Committable& committable) {
    bool dropped = false;
    for (CommitMessage& message : committable.messages) {
      dropped = dropped || !message.compact_before.empty() || !message.compact_after.empty() ||
                !message.compact_changelog_files.empty();
      message.compact_before.clear();
      message.compact_after.clear();
      message.compact_changelog_files.clear();
      message.compact_new_index_files.clear();
      message.compact_deleted_index_files.clear();
      message.compact_deletion_base.reset();
    }
    return dropped;
  }

  std::string name_;
  Table table_;
  Table journalled_;  // the same, its new files noted
  std::string spill_directory_;
  const Clock& clock_;
  std::unique_ptr<TableWriter> writer_;
  std::int64_t head_ = 0;        // newest snapshot when the epoch began
  std::int64_t committed_ = -1;  // newest after our last commit, if all since head_ are ours; else -1
};

class OutsideSink : public EpochSink {
 public:
  OutsideSink(const PlannedInsert& insert, std::shared_ptr<const ConnectorTable> table, std::size_t position)
      : name_(insert.name), table_(std::move(table)), position_(position) {}

  const std::string& name() const override { return name_; }
  const Table* table() const override { return nullptr; }
  SinkTraits traits() const override { return {.key = {}, .takes_deletions = true, .wants_update_before = true}; }

  Status Begin(const std::string& commit_user) override { return Open(commit_user); }
  Status Write(const Batch& batch) override { return sink_->Write(batch); }
  Result<Json> Prepare(std::int64_t barrier) override { return sink_->Prepare(barrier); }

  Status Commit(const std::string& commit_user, const SinkCommit& /*commit*/, const Json& prepared,
                bool /*recovered*/) override {
    if (prepared.is_null()) return Ok();
    BRAID_TRY(Open(commit_user));
    FaultPoint("sink.committing");
    BRAID_TRY(sink_->Commit(prepared));
    FaultPoint("sink.committed");
    return Ok();
  }

  Result<bool> Stands(const LinePoint& /*mark*/, const std::string& /*commit_user*/,
                      std::int64_t /*pending*/) const override {
    return true;
  }
  Result<bool> HasCommitted(const std::string& /*line*/, const std::string& /*commit_user*/,
                            std::int64_t /*barrier*/) const override {
    return false;
  }
  Result<std::optional<LinePoint>> Mark() const override { return std::optional<LinePoint>(); }
  bool HasMoved() const override { return false; }

 private:
  Status Open(const std::string& commit_user) {
    if (sink_ != nullptr) return Ok();
    BRAID_TRY_ASSIGN(sink_,
                     table_->OpenSink(position_ == 0 ? commit_user : fmt::format("{}-{}", commit_user, position_)));
    return Ok();
  }

  std::string name_;
  std::shared_ptr<const ConnectorTable> table_;
  std::size_t position_;
  std::unique_ptr<ConnectorSink> sink_;
};

}  // namespace

Result<std::unique_ptr<EpochSink>> OpenEpochSink(const PlannedInsert& insert, std::size_t position,
                                                 FileJournal& journal, const std::string& spill_directory,
                                                 const Clock& clock) {
  if (const auto* outside = std::get_if<std::shared_ptr<const ConnectorTable>>(&insert.table)) {
    return std::unique_ptr<EpochSink>(new OutsideSink(insert, *outside, position));
  }
  const Table& table = std::get<Table>(insert.table);
  BRAID_TRY_ASSIGN(Table journalled,
                   Table::Open(MakeJournalledFileSystem(table.shared_file_system(), table.paths().root(), journal),
                               table.paths().root(), table.name(), table.line().name, table.dynamic_options()));
  return std::unique_ptr<EpochSink>(new TableSink(insert.name, table, std::move(journalled), spill_directory, clock));
}

}  // namespace braid
