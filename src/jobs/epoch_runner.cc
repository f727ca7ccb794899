#include "jobs/epoch_runner.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "jobs/done_partitions.h"
#include "jobs/epoch_sink.h"
#include "jobs/fault_point.h"
#include "jobs/file_journal.h"
#include "jobs/job_program.h"
#include "jobs/program_run.h"
#include "jobs/rebuild.h"
#include "jobs/run_lineage.h"
#include "jobs/savepoint.h"
#include "jobs/sink_change.h"
#include "jobs/standing.h"
#include "jobs/state_file.h"
#include "jobs/transaction.h"
#include "jobs/undecided_files.h"

namespace braid {

namespace {

// The log is moved into the file between epochs when it is longer.
constexpr std::int64_t kMaxLogBytes = std::int64_t{64} << 20;

class Runner : public EpochRunner {
 public:
  explicit Runner(RunnerSettings settings) : settings_(std::move(settings)) {}

  Status Open() {
    BRAID_TRY(LocalFileSystem()->CreateDirectories(settings_.folder.TemporaryDirectory()));
    BRAID_TRY(OpenState());
    BRAID_TRY_ASSIGN(program_, MakeJobProgram(settings_.plan));
    BRAID_TRY_ASSIGN(lineage_, RunLineage::Open(settings_.plan, *settings_.clock));
    for (std::size_t i = 0; i < settings_.plan.inserts.size(); ++i) {
      BRAID_TRY_ASSIGN(auto sink, OpenEpochSink(settings_.plan.inserts[i], i, journal_,
                                                settings_.folder.TemporaryDirectory(), *settings_.clock));
      sinks_.push_back(std::move(sink));
    }
    BRAID_TRY_ASSIGN(done_partitions_, DonePartitions::Open(settings_.plan, *settings_.clock));
    BRAID_TRY(Restore());
    BRAID_TRY(BeginRun());
    for (std::size_t i = 0; i < sinks_.size(); ++i)
      changes_.emplace_back(settings_.plan.inserts[i], *sinks_[i], *state_, i);
    run_.emplace(program_, *state_);
    return run_->MakeSchemas();
  }

  Result<Outcome> Run() override {
    if (!identity_.bootstrapped || rebuild_ != Rebuild::kNone) {
      BRAID_TRY(Bootstrap());
      return Outcome::kRan;
    }
    std::vector<std::optional<SourceStep>> steps;
    bool any = false;
    for (std::size_t i = 0; i < program_.sources.size(); ++i) {
      BRAID_TRY_ASSIGN(std::optional<SourceStep> step, program_.sources[i]->Next(positions_[i].position));
      any = any || step.has_value();
      steps.push_back(std::move(step));
    }
    for (const auto& sink : sinks_) {
      if (!any && sink->HasMoved()) return MovedError(*sink->table());
    }
    if (!any) {
      const bool ended = std::all_of(
          program_.sources.begin(), program_.sources.end(),
          [&, i = std::size_t{0}](const auto& source) mutable { return source->IsEnd(positions_[i++].position); });
      BRAID_TRY(MarkPartitions(ended));
      return ended ? Outcome::kEnded : Outcome::kIdle;
    }
    FaultPoint("epoch.planned");
    BRAID_TRY(RunEpoch(steps));
    BRAID_TRY(MarkPartitions(false));
    return Outcome::kRan;
  }

  bool HasMoved() const override {
    const auto moved = [](const auto& table) { return table->HasMoved(); };
    if (std::any_of(program_.sources.begin(), program_.sources.end(), moved)) return true;
    if (std::any_of(sinks_.begin(), sinks_.end(), moved)) return true;
    if (!awaits_tables_) return false;
    const Result<std::vector<Json>> marks = MarksOfSinks();
    return marks && *marks != seen_marks_;
  }

  bool AwaitsTables() const override { return awaits_tables_; }

  std::int64_t barrier() const override { return identity_.barrier; }
  std::int64_t generation() const override { return identity_.generation; }

  Result<std::vector<SourceProgress>> Progress() override {
    std::vector<SourceProgress> progress;
    for (std::size_t i = 0; i < program_.sources.size(); ++i) {
      BRAID_TRY_ASSIGN(const std::int64_t lag, program_.sources[i]->Lag(positions_[i].position));
      progress.push_back(
          {.name = program_.sources[i]->name(), .position = PrintJson(positions_[i].position), .lag = lag});
    }
    return progress;
  }

  std::vector<std::string> WatchedFolders() const override {
    std::vector<std::string> folders;
    for (const auto& source : program_.sources) {
      for (std::string& folder : source->WatchedFolders()) folders.push_back(std::move(folder));
    }
    return folders;
  }

  std::int64_t poll_interval_ms() const override {
    std::int64_t interval = 1000;
    for (const auto& source : program_.sources) interval = std::min(interval, source->poll_interval_ms());
    return interval;
  }

  Result<std::string> Savepoint(const std::string& directory) override {
    FaultPoint("savepoint.begun");
    BRAID_TRY(Checkpoint());
    SavepointContent content{.job = settings_.plan.name,
                             .statement = settings_.plan.statement,
                             .identity = identity_,
                             .sources = {},
                             .sinks = {}};
    for (std::size_t i = 0; i < program_.sources.size(); ++i)
      content.sources.push_back({.source = program_.sources[i].get(), .position = positions_[i].position});
    for (const auto& sink : sinks_) content.sinks.push_back({.name = sink->name(), .table = sink->table()});
    return WriteSavepoint(content, settings_.folder.StateFile(), directory, *settings_.clock);
  }

  Status End(JobState state, const std::string& error) override {
    if (!IsLive(state) && state != JobState::kFailed) BRAID_TRY(Checkpoint());
    if (state == JobState::kFinished) {
      for (std::size_t i = 0; i < program_.sources.size(); ++i)
        BRAID_TRY(program_.sources[i]->Pin(ConsumerOf(i), Json(), false));
    }
    return lineage_->End(identity_, state, error);
  }

 private:
  DuckConnection& connection() { return state_->connection(); }
  std::string ConsumerOf(std::size_t source) const {
    return fmt::format("braid-{}-{}", NameInTables(settings_.plan.name), source);
  }

  // ---- Start ----

  // A state that is to be made anew need not be readable.
  Status OpenState() {
    const StateSettings state{.path = settings_.folder.StateFile(),
                              .temporary_directory = settings_.folder.TemporaryDirectory(),
                              .threads = settings_.threads,
                              .memory_limit_bytes = settings_.memory_limit_bytes};
    BRAID_TRY_ASSIGN(const bool exists, LocalFileSystem()->Exists(state.path));
    if (!exists && settings_.expects_state && !RebuildsByRecord()) {
      return Error(ErrorCode::kCorruption, fmt::format("the state file {} is gone", state.path))
          .Hint(
              "`braid job restart … --from-lineage` makes it anew at the snapshots that the sinks' lineage names, "
              "`--rebuild-state` from what is there; `--from-savepoint` takes an older one");
    }
    Result<std::unique_ptr<StateFile>> opened = StateFile::Open(state);
    if (!opened && RebuildsByRecord() && opened.error().code() != ErrorCode::kConflict) {
      Log(LogLevel::kWarning, "the state cannot be opened and is made anew",
          fmt::format("job={} error={}", settings_.plan.name, opened.error().message()));
      BRAID_TRY(settings_.folder.SetStateAside());
      opened = StateFile::Open(state);
    }
    if (!opened) return std::move(opened).error();
    state_ = *std::move(opened);
    return Ok();
  }

  bool RebuildsByRecord() const {
    return settings_.record.road == StateRoad::kRebuild || settings_.record.road == StateRoad::kLineage;
  }

  // Reads the state and finishes or undoes what a former process left.
  Status Restore() {
    FaultPoint("restart.recovering");
    BRAID_TRY_ASSIGN(const std::optional<JobIdentity> known, state_->ReadIdentity());
    if (known) identity_ = *known;
    BRAID_TRY(done_partitions_->Restore(identity_.pending_partitions));
    BRAID_TRY_ASSIGN(positions_, state_->ReadPositions());
    positions_.resize(program_.sources.size());
    if (identity_.record != settings_.record.id) identity_.rebuilding = RebuildsByRecord();
    BRAID_TRY_ASSIGN(std::optional<EpochRecord> epoch, state_->ReadEpoch());
    BRAID_TRY(RemoveUndecidedFiles(settings_.folder, sinks_, epoch ? epoch->barrier : 0, settings_.plan.name));
    if (epoch && epoch->done) epoch.reset();
    if (identity_.rebuilding) {
      BRAID_TRY(CheckRebuild());
      rebuild_ = settings_.record.road == StateRoad::kLineage ? Rebuild::kVerify : Rebuild::kWrite;
      FaultPoint("restart.recovered");
      return Ok();
    }
    if (identity_.bootstrapped) BRAID_TRY(LookAtLines(epoch));
    if (rebuild_ == Rebuild::kNone && known && !known->plan.empty() && known->plan != program_.identity) {
      return Error(ErrorCode::kConflict,
                   fmt::format("the state of job {} was made for another query than it has now", settings_.plan.name))
          .Hint("`braid job restart … --rebuild-state` makes it anew");
    }
    // Where sinks are compared with the query anyway, it is left as it is until that is decided.
    if (epoch && (rebuild_ == Rebuild::kNone || standing_.moved_sinks.empty())) {
      Log(LogLevel::kWarning, "a checkpoint that was decided is committed now",
          fmt::format("job={} barrier={}", settings_.plan.name, epoch->barrier));
      BRAID_TRY(CommitEpoch(*epoch, true));
    }
    FaultPoint("restart.recovered");
    return Ok();
  }

  // Under whose name a checkpoint that was decided is committed: a later run may be about to.
  std::string UserOf(const EpochRecord& epoch) const {
    const Json* user = epoch.body.Find("user");
    return user != nullptr && user->is_string() ? user->as_string() : identity_.commit_user;
  }

  Status CheckRebuild() const {
    for (const auto& source : program_.sources) {
      if (source->CanStartAgain()) continue;
      return Error(ErrorCode::kUnsupported,
                   fmt::format("the state cannot be made anew, since {} is not read from its start", source->name()))
          .Hint("restart the job from a savepoint, or start it under another name");
    }
    return Ok();
  }

  // Main of a table may have been replaced since the state was made.
  Status LookAtLines(const std::optional<EpochRecord>& pending) {
    JobIdentity writer = identity_;
    if (pending) writer.commit_user = UserOf(*pending);
    BRAID_TRY_ASSIGN(standing_, StandingOf(program_, sinks_, writer, positions_, pending ? pending->barrier : 0));
    if (standing_.stands()) return Ok();
    moved_text_ = MovedText(standing_, program_, sinks_);
    const bool positions_hold = standing_.moved_sources.empty();
    const auto log = [&](const char* what) {
      Log(LogLevel::kWarning, what, fmt::format("job={} why=\"{}\"", settings_.plan.name, moved_text_));
    };
    const bool is_first = identity_.record != settings_.record.id;  // of the run, that was asked for
    if (settings_.record.road == StateRoad::kAsIs && is_first && positions_hold) {
      log("the job goes on and leaves its sinks as they are");
      return Ok();
    }
    if (settings_.when_replaced == WhenReplaced::kFail) return CannotGoOn("the job is to stop then");
    if (standing_.can_rebuild) {
      rebuild_ = settings_.when_replaced == WhenReplaced::kRebuild ? Rebuild::kWrite : Rebuild::kVerify;
      log("the state is made anew");
      return Ok();
    }
    if (!positions_hold) return CannotGoOn("the job has read more of the former one than both have");
    if (!standing_.sinks_only_grow) return CannotGoOn("what the job reads from outside does not come again");
    // New rows are the same whatever the sink holds.
    log("the job goes on with new rows alone: those that the former line alone has are not on the present one");
    return Ok();
  }

  Error CannotGoOn(const std::string& why) const {
    return Error(ErrorCode::kConflict, fmt::format("{}, and {}", moved_text_, why))
        .Hint(ChoicesHint(standing_, settings_.plan.name));
  }

  // A crash goes on with the run, as its next attempt; a start on request is a new run.
  Status BeginRun() {
    if (identity_.record == settings_.record.id && rebuild_ == Rebuild::kNone) {
      ++identity_.attempt;
    } else {
      std::vector<Table> tables;
      for (const JobProgram::Part& part : program_.parts) {
        for (const DeltaSource& source : part.program.sources) {
          if (source.table.relation && std::holds_alternative<Table>(*source.table.relation))
            tables.push_back(std::get<Table>(*source.table.relation));
        }
      }
      identity_.generation = std::max(identity_.generation, settings_.record.generation_before);
      identity_.barrier = std::max(identity_.barrier, settings_.record.barrier_before);
      BRAID_TRY_ASSIGN(identity_, lineage_->Begin(settings_.plan, tables, identity_));
      identity_.record = settings_.record.id;
    }
    // The state is of the former plan until the new one is decided.
    if (rebuild_ == Rebuild::kNone) {
      identity_.plan = program_.identity;
      BRAID_TRY_ASSIGN(identity_.marks, MarksOfSinks());
    }
    BRAID_TRY(SaveIdentity());
    FaultPoint("restart.begun");
    return Ok();
  }

  Status SaveIdentity() {
    BRAID_TRY_ASSIGN(Transaction transaction, Transaction::Begin(connection()));
    BRAID_TRY(state_->WriteIdentity(identity_));
    return transaction.Commit();
  }

  // ---- Epochs ----

  // The content at the start, which is the first epoch.
  Status Bootstrap() {
    FaultPoint("epoch.planned");
    SourceStart start{.again = rebuild_ != Rebuild::kNone};
    if (rebuild_ == Rebuild::kVerify) {
      BRAID_TRY_ASSIGN(start.made_of, SourcesOf(sinks_));
    }
    std::vector<std::optional<SourceStep>> steps;
    for (std::size_t i = 0; i < program_.sources.size(); ++i) {
      BRAID_TRY_ASSIGN(SourceStep step, program_.sources[i]->Start(start));
      if (!step.to.is_null()) BRAID_TRY(program_.sources[i]->Pin(ConsumerOf(i), step.to, true));
      steps.emplace_back(std::move(step));
    }
    BRAID_TRY(run_->SetTime(settings_.clock->NowMs()));
    BRAID_TRY_ASSIGN(Transaction transaction, Transaction::Begin(connection()));
    FaultPoint("epoch.begun");
    if (rebuild_ != Rebuild::kNone) BRAID_TRY(state_->Clear());
    std::vector<ScanRegistration> registrations;
    // A sink's content, of which no value is late, is compared with what is made anew.
    const bool late = rebuild_ == Rebuild::kNone;
    const std::vector<std::string> content = run_->ScanContent(steps, late, registrations);
    FaultPoint("epoch.read");
    for (std::size_t part = 0; part < program_.parts.size(); ++part) {
      BRAID_TRY(run_->Bootstrap(part, content));
      BRAID_TRY(ComputeChange(part));
      BRAID_TRY(run_->EndBootstrap(part));
    }
    positions_.assign(program_.sources.size(), {});
    identity_.bootstrapped = true;
    identity_.rebuilding = false;
    identity_.plan = program_.identity;
    BRAID_TRY_ASSIGN(identity_.marks, MarksOfSinks());
    BRAID_TRY(FinishEpoch(std::move(transaction), steps));
    run_->EndEpoch();
    rebuild_ = Rebuild::kNone;
    return Ok();
  }

  Status RunEpoch(std::vector<std::optional<SourceStep>>& steps) {
    BRAID_TRY(run_->SetTime(settings_.clock->NowMs()));
    BRAID_TRY_ASSIGN(Transaction transaction, Transaction::Begin(connection()));
    FaultPoint("epoch.begun");
    BRAID_TRY_ASSIGN(const std::vector<std::string> changes, run_->ReadChanges(steps));
    FaultPoint("epoch.read");
    for (std::size_t part = 0; part < program_.parts.size(); ++part) {
      BRAID_TRY(run_->Run(part, changes));
      BRAID_TRY(ComputeChange(part));
    }
    BRAID_TRY(FinishEpoch(std::move(transaction), steps));
    run_->EndEpoch();
    return Ok();
  }

  Status ComputeChange(std::size_t part) {
    const JobProgram::Part& program = program_.parts[part];
    BRAID_TRY(changes_[part].Compute(program.program.output.name, program.append_only, rebuild_));
    return rebuild_ == Rebuild::kVerify ? CheckEqual(part) : Ok();
  }

  // A sink that holds something else than the query gives: somebody must say which of both is right.
  Status CheckEqual(std::size_t part) {
    BRAID_TRY_ASSIGN(const std::int64_t count, changes_[part].RowCount());
    if (count == 0) return Ok();
    BRAID_TRY_ASSIGN(const std::string example, changes_[part].Example());
    const std::string differ = fmt::format("what the query gives now and what {} holds differ in {} rows ({})",
                                           sinks_[part]->name(), count, example);
    if (moved_text_.empty()) {
      return Error(ErrorCode::kConflict, differ)
          .Hint("`braid job restart … --rebuild-state` writes the difference to the sink");
    }
    BRAID_TRY_ASSIGN(seen_marks_, MarksOfSinks());
    awaits_tables_ = true;
    return CannotGoOn(differ);
  }

  Result<std::vector<Json>> MarksOfSinks() const {
    std::vector<Json> marks;
    for (const auto& sink : sinks_) {
      BRAID_TRY_ASSIGN(const std::optional<LinePoint> mark, sink->Mark());
      marks.push_back(mark ? ToJson(*mark) : Json());
    }
    return marks;
  }

  // Steps 4 to 7: files, decision, commit, record.
  Status FinishEpoch(Transaction transaction, const std::vector<std::optional<SourceStep>>& steps) {
    FaultPoint("epoch.computed");
    EpochRecord epoch{.barrier = identity_.barrier + 1, .done = false, .body = {}};
    journal_.Begin(settings_.folder.JournalFile(epoch.barrier));
    BRAID_TRY_ASSIGN(Json::Array commits, WriteSinks(epoch.barrier));
    std::vector<SourcePosition> positions = positions_;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i]) Advance(*steps[i], positions[i]);
      // The sinks have it already, and their snapshots say so.
      if (rebuild_ == Rebuild::kVerify) positions[i].pending = Json();
    }
    if (!commits.empty()) {
      std::vector<Json> sources;
      for (SourcePosition& position : positions) {
        sources.push_back(position.pending.is_null() ? NothingNew(position.last)
                                                     : std::exchange(position.pending, Json()));
      }
      BRAID_TRY_ASSIGN(const EncodedLineage lineage,
                       lineage_->Encode(settings_.plan, identity_, epoch.barrier,
                                        static_cast<std::int64_t>(commits.size()), sources));
      if (lineage.side_file) BRAID_TRY(WriteSideFile(*lineage.side_file, commits));
      Json carried{Json::Object()};
      for (const auto& [key, value] : lineage.properties) carried.Add(key, value);
      epoch.body.Add("user", identity_.commit_user);
      epoch.body.Add("properties", std::move(carried));
      epoch.body.Add("sinks", std::move(commits));
      identity_.barrier = epoch.barrier;
      BRAID_TRY(state_->WriteEpoch(epoch));
    }
    const bool commits_something = epoch.body.is_object();
    BRAID_TRY(state_->WriteIdentity(identity_));
    BRAID_TRY(state_->WritePositions(positions));
    FaultPoint("epoch.persisting");
    BRAID_TRY(transaction.Commit());
    FaultPoint("epoch.decided");
    positions_ = std::move(positions);
    if (commits_something) return CommitEpoch(epoch, false);
    return PinSources();
  }

  static void Advance(const SourceStep& step, SourcePosition& position) {
    position.position = step.to;
    const Json went_in = step.table ? ToJson(*step.table) : step.outside;
    if (went_in.is_null()) return;
    position.pending = JoinRanges(position.pending, went_in);
    position.last = went_in;
  }

  // Writes the files of every sink that changes; what their commits need.
  Result<Json::Array> WriteSinks(std::int64_t barrier) {
    Json::Array commits;
    for (std::size_t i = 0; i < sinks_.size(); ++i) {
      BRAID_TRY_ASSIGN(const std::int64_t count, changes_[i].RowCount());
      if (count == 0) continue;
      BRAID_TRY(sinks_[i]->Begin(identity_.commit_user).Context("while opening " + sinks_[i]->name()));
      BRAID_TRY(changes_[i].Write().Context("while writing to " + sinks_[i]->name()));
      BRAID_TRY_ASSIGN(Json prepared, sinks_[i]->Prepare(barrier).Context("while writing to " + sinks_[i]->name()));
      Json commit;
      commit.Add("sink", static_cast<std::int64_t>(i));
      commit.Add("prepared", std::move(prepared));
      commits.emplace_back(std::move(commit));
    }
    FaultPoint("epoch.written");
    for (const auto& sink : sinks_) {
      if (sink->table() != nullptr) BRAID_TRY(SyncFilesOf(*sink->table()));
    }
    FaultPoint("epoch.synced");
    return commits;
  }

  Status SyncFilesOf(const Table& table) const {
    FileSystem& fs = table.file_system();
    std::vector<std::string> files = journal_.FilesOf(table.paths().root());
    Status synced = fs.SyncFiles(files);
    if (synced || synced.error().code() != ErrorCode::kNotFound) return synced;
    // A writer removes some of its files again, such as runs that it has merged.
    std::erase_if(files, [&](const std::string& file) {
      const Result<bool> exists = fs.Exists(file);
      return exists && !*exists;
    });
    return fs.SyncFiles(files);
  }

  // Sources that do not fit into a snapshot lie beside each table that is committed to. An epoch done again replaces the
  // file of the one that was given up.
  Status WriteSideFile(const EncodedLineage::SideFile& file, const Json::Array& commits) {
    for (const Json& commit : commits) {
      BRAID_TRY_ASSIGN(const std::int64_t sink, commit.GetInteger("sink"));
      const Table* table = sinks_[static_cast<std::size_t>(sink)]->table();
      if (table == nullptr) continue;
      const std::string path = SideFilePath(table->paths().root(), file.name);
      BRAID_TRY(journal_.Add({.table_root = table->paths().root(), .path = path}));
      BRAID_TRY(table->file_system().Replace(path, file.content));
      BRAID_TRY(table->file_system().SyncFiles(std::vector<std::string>{path}));
    }
    return Ok();
  }

  Status CommitEpoch(const EpochRecord& epoch, bool recovered) {
    SinkCommit commit{.barrier = epoch.barrier, .properties = {}};
    const Json* properties = epoch.body.Find("properties");
    const Json* sinks = epoch.body.Find("sinks");
    if (properties == nullptr || !properties->is_object() || sinks == nullptr || !sinks->is_array())
      return Error(ErrorCode::kCorruption, fmt::format("barrier {} of job {} is damaged in its state file",
                                                       epoch.barrier, settings_.plan.name));
    for (const auto& [key, value] : properties->as_object()) commit.properties.emplace(key, value.as_string());
    for (const Json& one : sinks->as_array()) {
      BRAID_TRY_ASSIGN(const std::int64_t sink, one.GetInteger("sink"));
      const Json* prepared = one.Find("prepared");
      if (sink < 0 || sink >= static_cast<std::int64_t>(sinks_.size()) || prepared == nullptr)
        return Error(ErrorCode::kCorruption, fmt::format("barrier {} of job {} is damaged in its state file",
                                                         epoch.barrier, settings_.plan.name));
      EpochSink& target = *sinks_[static_cast<std::size_t>(sink)];
      if (recovered) {
        BRAID_TRY_ASSIGN(const bool skip, IsLeftOut(static_cast<std::size_t>(sink), epoch));
        if (skip) continue;
      }
      BRAID_TRY(target.Commit(UserOf(epoch), commit, *prepared, recovered)
                    .Context(fmt::format("while committing barrier {} to {}", epoch.barrier, target.name())));
      BRAID_TRY(done_partitions_->Notice(static_cast<std::size_t>(sink), *prepared));
    }
    FaultPoint("epoch.committed");
    BRAID_TRY(lineage_->Index());
    FaultPoint("epoch.indexed");
    BRAID_TRY(PinSources());
    FaultPoint("epoch.pinned");
    if (rebuild_ == Rebuild::kNone || !recovered) {
      BRAID_TRY_ASSIGN(identity_.marks, MarksOfSinks());
    }
    identity_.pending_partitions = done_partitions_->pending();
    BRAID_TRY_ASSIGN(Transaction transaction, Transaction::Begin(connection()));
    BRAID_TRY(state_->WriteIdentity(identity_));
    BRAID_TRY(state_->WriteEpoch({.barrier = epoch.barrier, .done = true, .body = {}}));
    BRAID_TRY(transaction.Commit());
    BRAID_TRY(journal_.Clear());
    FaultPoint("epoch.done");
    if (state_->LogBytes() > kMaxLogBytes) return Checkpoint();
    return Ok();
  }

  // Of the sinks, those that are done now.
  Status MarkPartitions(bool end_of_input) {
    BRAID_TRY_ASSIGN(const bool any, done_partitions_->Mark(end_of_input));
    if (!any) return Ok();
    FaultPoint("partitions.marked");
    identity_.pending_partitions = done_partitions_->pending();
    return SaveIdentity();
  }

  // A checkpoint that was decided for a former line of the sink, and that line has it already.
  Result<bool> IsLeftOut(std::size_t sink, const EpochRecord& epoch) const {
    const auto& moved = standing_.moved_sinks;
    if (std::find(moved.begin(), moved.end(), sink) == moved.end()) return false;
    BRAID_TRY_ASSIGN(const LinePoint mark, ParseLinePoint(identity_.marks[sink]));
    return sinks_[sink]->HasCommitted(mark.line, UserOf(epoch), epoch.barrier);
  }

  Status PinSources() {
    for (std::size_t i = 0; i < program_.sources.size(); ++i) {
      if (!positions_[i].position.is_null())
        BRAID_TRY(program_.sources[i]->Pin(ConsumerOf(i), positions_[i].position, false));
    }
    return Ok();
  }

  Status Checkpoint() {
    FaultPoint("checkpoint.begun");
    BRAID_TRY(state_->Checkpoint());
    FaultPoint("checkpoint.done");
    return Ok();
  }

  RunnerSettings settings_;
  FileJournal journal_;  // before what notes files in it
  std::unique_ptr<StateFile> state_;
  JobProgram program_;
  std::optional<ProgramRun> run_;  // of program_ on state_
  std::unique_ptr<RunLineage> lineage_;
  std::vector<std::unique_ptr<EpochSink>> sinks_;
  std::vector<SinkChange> changes_;  // of each sink
  std::optional<DonePartitions> done_partitions_;
  JobIdentity identity_;
  std::vector<SourcePosition> positions_;
  Rebuild rebuild_ = Rebuild::kNone;  // what the first epoch of this process does
  Standing standing_;                 // when it was opened
  std::string moved_text_;            // of standing_; empty: it stands
  bool awaits_tables_ = false;
  std::vector<Json> seen_marks_;  // of the sinks when they were found to hold something else
};

}  // namespace

Result<std::unique_ptr<EpochRunner>> EpochRunner::Open(RunnerSettings settings) {
  auto runner = std::make_unique<Runner>(std::move(settings));
  Status opened = runner->Open();
  // A table that moved since the job was planned: the next worker plans it anew.
  if (!opened && runner->HasMoved()) return Error(ErrorCode::kUnavailable, opened.error().message());
  BRAID_TRY(opened);
  return std::unique_ptr<EpochRunner>(std::move(runner));
}

}  // namespace braid
