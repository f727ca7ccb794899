// `braid job`: streaming jobs, which go on when the shell that started them ends.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/sql_command.h"
#include "connectors/connectors.h"
#include "io/file_system.h"
#include "jobs/local_jobs.h"
#include "jobs/supervisor.h"
#include "jobs/worker.h"
#include "sql/lineage_observer.h"
#include "types/cast.h"

namespace braid {

namespace {

struct JobArguments {
  std::string state_directory;
  std::string output = "table";
  std::string job;
  bool all = false;
  bool caught_up = false;
  bool with_savepoint = false;
  std::string savepoint_directory;
  std::string from_savepoint;
  bool rebuild = false;
  bool from_lineage = false;
  bool as_is = false;
  bool rollback_sinks = false;
  std::string branch;
  std::string from_job;
  std::vector<std::string> consumed;
  std::string timeout;
  std::int64_t lines = 20;
  std::string folder;
  SqlArguments sql;
};

Result<LocalJobs> JobsOf(const JobArguments& arguments) {
  BRAID_TRY_ASSIGN(std::string directory, StateDirectory(arguments.state_directory));
  BRAID_TRY_ASSIGN(std::string program, ThisProgram());
  return LocalJobs({.state_directory = std::move(directory), .program = std::move(program)});
}

std::string TimeText(std::int64_t ms) {
  return FormatDatum(Datum(Timestamp{.millis = ms - ms % 1000, .nanos_of_milli = 0}), DataType::Timestamp(0)) + "Z";
}

Json ToJson(const KnownJob& job) {
  Json json;
  json.Add("id", job.record.id);
  json.Add("name", job.record.name);
  json.Add("state", JobStateName(job.status.state));
  json.Add("startMillis", job.record.start_ms);
  json.Add("generation", job.status.generation);
  json.Add("barrier", job.status.barrier);
  json.Add("restarts", job.status.restarts);
  json.Add("statement", job.record.statement);
  json.Add("folder", job.folder.path());
  if (!job.record.restored_from.empty()) json.Add("restoredFrom", job.record.restored_from);
  if (!job.status.savepoint.empty()) json.Add("savepoint", job.status.savepoint);
  if (!job.status.error.empty()) json.Add("error", job.status.error);
  if (!job.status.error_id.empty()) json.Add("errorId", job.status.error_id);
  return json;
}

Status List(const JobArguments& arguments) {
  BRAID_TRY_ASSIGN(const LocalJobs jobs, JobsOf(arguments));
  BRAID_TRY_ASSIGN(const std::vector<KnownJob> known, jobs.ListKnown());
  if (arguments.output == "json") {
    for (const KnownJob& job : known) fmt::print("{}\n", PrintJson(ToJson(job)));
    return Ok();
  }
  if (known.empty()) {
    fmt::print("no jobs\n");
    return Ok();
  }
  std::size_t width = 4;
  for (const KnownJob& job : known) width = std::max(width, job.record.name.size());
  fmt::print("{:<8}  {:<{}}  {:<12}  {:>7}  started\n", "id", "name", width, "state", "barrier");
  for (const KnownJob& job : known) {
    fmt::print("{:<8}  {:<{}}  {:<12}  {:>7}  {}\n", job.record.id.substr(0, 8), job.record.name, width,
               JobStateName(job.status.state), job.status.barrier, TimeText(job.record.start_ms));
  }
  return Ok();
}

void PrintProgress(const Json& progress) {
  const Json* sources = progress.Find("sources");
  if (sources == nullptr || !sources->is_array()) return;
  for (const Json& source : sources->as_array()) {
    const Json* name = source.Find("source");
    const Json* lag = source.Find("lag");
    if (name != nullptr && lag != nullptr)
      fmt::print("reads      {}, {} snapshots behind\n", name->as_string(), lag->as_integer());
  }
}

Status Show(const JobArguments& arguments) {
  BRAID_TRY_ASSIGN(const LocalJobs jobs, JobsOf(arguments));
  BRAID_TRY_ASSIGN(const KnownJob job, jobs.FindKnown(arguments.job));
  const Result<Json> progress = jobs.Progress(job);
  BRAID_TRY_ASSIGN(std::vector<FileInfo> savepoints, LocalFileSystem()->List(job.folder.SavepointDirectory()));
  std::sort(savepoints.begin(), savepoints.end(), [](const FileInfo& a, const FileInfo& b) { return a.name < b.name; });
  if (arguments.output == "json") {
    Json json = ToJson(job);
    if (progress) json.Add("progress", *progress);
    Json::Array paths;
    for (const FileInfo& savepoint : savepoints) {
      if (!savepoint.name.starts_with('.'))
        paths.emplace_back(JoinPath(job.folder.SavepointDirectory(), savepoint.name));
    }
    json.Add("savepoints", std::move(paths));
    fmt::print("{}\n", PrintJsonPretty(json));
    return Ok();
  }
  fmt::print("job        {}\nid         {}\nstate      {}\nstarted    {}\n", job.record.name, job.record.id,
             JobStateName(job.status.state), TimeText(job.record.start_ms));
  fmt::print("barrier    {} of generation {}\n", job.status.barrier, job.status.generation);
  if (job.status.restarts > 0) fmt::print("restarts   {}\n", job.status.restarts);
  if (progress) PrintProgress(*progress);
  fmt::print("statement  {}\nfolder     {}\n", job.record.statement, job.folder.path());
  for (const FileInfo& savepoint : savepoints) {
    if (!savepoint.name.starts_with('.'))
      fmt::print("savepoint  {}\n", JoinPath(job.folder.SavepointDirectory(), savepoint.name));
  }
  if (!job.status.error.empty()) fmt::print("error      {}\n", job.status.error);
  return Ok();
}

void PrintStarted(const JobInfo& job) {
  fmt::print("job {} runs\nJob ID: {}\n", job.name, job.id);
}

// How a new job begins; empty: as its statement says.
Result<std::string> StateOf(const JobArguments& arguments) {
  if (arguments.rebuild && arguments.from_lineage)
    return Error(ErrorCode::kInvalidArgument, "--rebuild-state and --from-lineage exclude each other")
        .Hint("give one of them");
  return std::string(arguments.rebuild ? "rebuild" : arguments.from_lineage ? "lineage" : "");
}

Status RunJobs(const JobArguments& arguments) {
  BRAID_TRY_ASSIGN(const std::string state, StateOf(arguments));
  const bool has_text = !arguments.sql.scripts.empty() || !arguments.sql.statements.empty();
  if (!arguments.from_job.empty()) {
    if (has_text || arguments.branch.empty()) {
      return Error(ErrorCode::kInvalidArgument, "--from-job runs the statement of that job, on the branch of --branch")
          .Hint("braid job run --from-job job1 --branch fix");
    }
    JobArguments where = arguments;
    where.state_directory = arguments.sql.state_directory;
    BRAID_TRY_ASSIGN(LocalJobs jobs, JobsOf(where));
    BRAID_TRY_ASSIGN(const JobInfo job,
                     jobs.RunOnBranch(arguments.from_job, {.branch = arguments.branch,
                                                           .state = state.empty() ? "lineage" : state,
                                                           .observer = MakeLineageObserver(),
                                                           .connectors = StandardConnectors()}));
    PrintStarted(job);
    return Ok();
  }
  if (!has_text) {
    return Error(ErrorCode::kInvalidArgument, "there is nothing to run")
        .Hint("give statements with -e or a script with -f");
  }
  SqlArguments sql = arguments.sql;
  sql.options.insert(sql.options.begin(), "execution.runtime-mode=streaming");
  if (!arguments.branch.empty()) sql.options.push_back("braid.branch=" + arguments.branch);
  if (!state.empty()) sql.options.push_back("job.state=" + state);
  return RunSql(sql);
}

Status Wait(const JobArguments& arguments) {
  BRAID_TRY_ASSIGN(LocalJobs jobs, JobsOf(arguments));
  WaitSettings wait{.caught_up = arguments.caught_up, .consumed = {}, .timeout = {}};
  for (const std::string& text : arguments.consumed) {
    const std::size_t equals = text.rfind('=');
    const auto snapshot = equals == std::string::npos ? std::nullopt : ParseInt64(text.substr(equals + 1));
    if (!snapshot || *snapshot < 1 || equals == 0) {
      return Error(ErrorCode::kInvalidArgument, fmt::format("--consumed {} is no TABLE=SNAPSHOT", text))
          .Hint("as in --consumed default.words=3");
    }
    wait.consumed.emplace(text.substr(0, equals), *snapshot);
  }
  if (!arguments.timeout.empty()) {
    BRAID_TRY_ASSIGN(
        wait.timeout,
        Options(Options::Map{{"--timeout", arguments.timeout}}).GetDuration("--timeout", std::chrono::milliseconds(0)));
  }
  return jobs.WaitUntil(arguments.job, wait);
}

// The job that was named, or with --all those that `is_meant`.
Result<std::vector<std::string>> MeantJobs(const LocalJobs& jobs, const JobArguments& arguments,
                                           bool (*is_meant)(JobState)) {
  if (arguments.all == !arguments.job.empty()) return Error(ErrorCode::kInvalidArgument, "name one job, or give --all");
  if (!arguments.all) return std::vector<std::string>{arguments.job};
  BRAID_TRY_ASSIGN(const std::vector<KnownJob> known, jobs.ListKnown());
  std::vector<std::string> ids;
  for (const KnownJob& job : known) {
    if (is_meant(job.status.state)) ids.push_back(job.record.id);
  }
  return ids;
}

Status Stop(const JobArguments& arguments) {
  BRAID_TRY_ASSIGN(LocalJobs jobs, JobsOf(arguments));
  BRAID_TRY_ASSIGN(const std::vector<std::string> ids, MeantJobs(jobs, arguments, IsLive));
  for (const std::string& id : ids) {
    BRAID_TRY_ASSIGN(const KnownJob job, jobs.FindKnown(id));
    BRAID_TRY_ASSIGN(const auto savepoint,
                     jobs.Stop(id, arguments.with_savepoint || !arguments.savepoint_directory.empty(),
                               arguments.savepoint_directory));
    fmt::print("stopped {}{}\n", job.record.name, savepoint ? ", savepoint " + *savepoint : "");
  }
  if (ids.empty()) fmt::print("no job runs\n");
  return Ok();
}

Status Savepoint(const JobArguments& arguments) {
  BRAID_TRY_ASSIGN(const LocalJobs jobs, JobsOf(arguments));
  BRAID_TRY_ASSIGN(const KnownJob job, jobs.FindKnown(arguments.job));
  BRAID_TRY_ASSIGN(const std::string path, jobs.Savepoint(job, arguments.savepoint_directory));
  fmt::print("{}\n", path);
  return Ok();
}

Status Restart(const JobArguments& arguments) {
  const int roads = int{arguments.rebuild} + int{arguments.from_lineage} + int{arguments.as_is} +
                    int{!arguments.from_savepoint.empty()};
  if (arguments.rollback_sinks && arguments.from_savepoint.empty()) {
    return Error(ErrorCode::kInvalidArgument, "--rollback-sinks needs --from-savepoint")
        .Hint("it gives the sinks their content of that savepoint");
  }
  if (roads > 1) {
    return Error(ErrorCode::kInvalidArgument,
                 "--rebuild-state, --from-lineage, --as-is and --from-savepoint exclude each other")
        .Hint("give one of them");
  }
  const StateRoad road = arguments.rebuild        ? StateRoad::kRebuild
                         : arguments.from_lineage ? StateRoad::kLineage
                         : arguments.as_is        ? StateRoad::kAsIs
                                                  : StateRoad::kContinue;
  BRAID_TRY_ASSIGN(LocalJobs jobs, JobsOf(arguments));
  BRAID_TRY_ASSIGN(const std::vector<std::string> ids,
                   MeantJobs(jobs, arguments, [](JobState state) { return state == JobState::kLost; }));
  for (const std::string& id : ids) {
    BRAID_TRY_ASSIGN(const JobInfo job, jobs.Restart(id, {.road = road,
                                                          .savepoint = arguments.from_savepoint,
                                                          .rollback_sinks = arguments.rollback_sinks,
                                                          .observer = MakeLineageObserver(),
                                                          .connectors = StandardConnectors()}));
    PrintStarted(job);
  }
  if (ids.empty()) fmt::print("no job is lost\n");
  return Ok();
}

Status Logs(const JobArguments& arguments) {
  BRAID_TRY_ASSIGN(const LocalJobs jobs, JobsOf(arguments));
  BRAID_TRY_ASSIGN(const KnownJob job, jobs.FindKnown(arguments.job));
  BRAID_TRY_ASSIGN(const std::string text, LocalFileSystem()->ReadAll(job.folder.LogFile()));
  std::size_t begin = text.size();
  for (std::int64_t line = 0; line <= arguments.lines && begin > 0; ++line) {
    const std::size_t end = text.rfind('\n', begin - 1);
    begin = end == std::string::npos ? 0 : end;
  }
  fmt::print("{}", text.substr(begin == 0 ? 0 : begin + 1));
  return Ok();
}

// What a supervisor starts; its errors are in the log and in the job's status.
Status Work(const JobArguments& arguments) {
  SetLogLevel(LogLevel::kInfo);
  return RunWorker(
      {.folder = JobFolder(arguments.folder), .observer = MakeLineageObserver(), .connectors = StandardConnectors()});
}

Status Supervise(const JobArguments& arguments) {
  BRAID_TRY_ASSIGN(const std::string program, ThisProgram());
  return SuperviseJob(JobFolder(arguments.folder), program);
}

}  // namespace

std::function<Status()> AddJobCommand(CLI::App& command) {
  auto arguments = std::make_shared<JobArguments>();
  Subcommands runners;
  const auto add = [&](const char* name, const char* summary, Status (*run)(const JobArguments&)) {
    CLI::App* subcommand = command.add_subcommand(name, summary);
    runners.emplace_back(subcommand, [arguments, run] { return run(*arguments); });
    return subcommand;
  };
  const auto keep = [&](CLI::App* subcommand) {
    subcommand->add_option("--state-dir", arguments->state_directory, "folder of jobs; default ~/.local/state/braid");
    return subcommand;
  };
  const auto name = [&](CLI::App* subcommand, bool required) {
    subcommand->add_option("JOB", arguments->job, "name, id, or the beginning of an id")->required(required);
    return subcommand;
  };
  const auto output = [&](CLI::App* subcommand) {
    subcommand->add_option("--output", arguments->output, "table or json")->check(CLI::IsMember({"table", "json"}));
  };
  output(keep(add("list", "all jobs, in the order of their start", List)));
  output(name(keep(add("show", "one job: what it does, where it is, what ended it", Show)), true));
  const auto rebuild = [&](CLI::App* subcommand) {
    subcommand->add_flag("--rebuild-state", arguments->rebuild,
                         "evaluate the query on what is there and write what the sinks lack");
    subcommand->add_flag("--from-lineage", arguments->from_lineage,
                         "evaluate the query at the snapshots that the sinks' lineage names, check that the sinks hold "
                         "it, and go on from there");
  };
  CLI::App* run = add("run", "run statements in streaming mode: every INSERT from tables becomes a job", RunJobs);
  AddSqlOptions(*run, arguments->sql);
  rebuild(run);
  run->add_option("--branch", arguments->branch,
                  "write to this branch of every sink, and read it of the tables that have it; the job is NAME@BRANCH");
  run->add_option("--from-job", arguments->from_job,
                  "instead of statements: what this job runs; with --branch, from the lineage of the branch");
  CLI::App* wait = name(keep(add("wait", "wait until a job has ended", Wait)), true);
  wait->add_flag("--caught-up", arguments->caught_up, "or until it has read all that its sources have");
  wait->add_option("--consumed", arguments->consumed,
                   "TABLE=SNAPSHOT: or until it has read this snapshot of a source; repeatable")
      ->allow_extra_args(false);
  wait->add_option("--timeout", arguments->timeout, "how long at most, as '30 s'; then the exit code is 9");
  CLI::App* stop = name(keep(add("stop", "stop a job behind a whole checkpoint", Stop)), false);
  stop->add_flag("--all", arguments->all, "stop every job that runs");
  stop->add_flag("--savepoint", arguments->with_savepoint, "make a savepoint first");
  stop->add_option("--savepoint-dir", arguments->savepoint_directory, "where to; default: the job's folder");
  CLI::App* savepoint =
      name(keep(add("savepoint", "make a savepoint of a job that runs, and print its path", Savepoint)), true);
  savepoint->add_option("--savepoint-dir", arguments->savepoint_directory, "where to; default: the job's folder");
  CLI::App* restart = name(keep(add("restart", "go on with a job that does not run, as a new run", Restart)), false);
  restart->add_flag("--all", arguments->all, "every job that was at work when the machine went down");
  restart->add_option("--from-savepoint", arguments->from_savepoint, "go on from a savepoint");
  restart->add_flag("--rollback-sinks", arguments->rollback_sinks,
                    "give sinks that moved on since the savepoint their content of then, by a new snapshot");
  rebuild(restart);
  restart->add_flag("--as-is", arguments->as_is,
                    "go on where the job stopped, whatever a sink holds since its main was replaced");
  CLI::App* logs = name(keep(add("logs", "the end of a job's log, and what its print sinks print", Logs)), true);
  logs->add_option("--lines", arguments->lines, "how many lines")->check(CLI::PositiveNumber)->capture_default_str();
  // What jobs are made of; not for people.
  add("work", "run the worker of a job's folder", Work)->group("")->add_option("FOLDER", arguments->folder)->required();
  add("supervise", "run the supervisor of a job's folder", Supervise)
      ->group("")
      ->add_option("FOLDER", arguments->folder)
      ->required();
  command.footer(
      "examples:\n"
      "  braid job run --warehouse /warehouse -e \"INSERT INTO counts SELECT word, COUNT(*) FROM words GROUP BY "
      "word\"\n"
      "  braid job wait insert-into_paimon.default.counts --caught-up\n"
      "  braid job wait job1 --consumed default.words=3 --timeout '1 min'\n"
      "  braid job run --from-job job1 --branch fix\n"
      "  braid job stop --all --savepoint");
  return RunSubcommand(command, std::move(runners));
}

}  // namespace braid
