// `braid demo`: the story that Braid is for, on real text, each step explained as it runs.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/uuid.h"
#include "cli/child_process.h"
#include "cli/command.h"
#include "cli/demo_chapters.h"
#include "cli/demo_stage.h"
#include "cli/demo_text.h"
#include "jobs/local_jobs.h"
#include "jobs/supervisor.h"

namespace braid {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFirstDelivered = 4;  // number of the first page that arrives as a file

struct DemoArguments {
  std::vector<std::string> texts;
  std::string directory;
  bool keep = false;
};

// The documents of the checkout that this program was built in: README.md and what lies beside and below it.
std::vector<std::string> DocumentsOfTheCheckout() {
  std::error_code error;
  fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  std::vector<std::string> documents;
  for (int up = 0; up < 5 && !folder.empty() && documents.empty(); ++up, folder = folder.parent_path()) {
    if (!fs::exists(folder / "README.md", error) || !fs::exists(folder / "ARCHITECTURE.md", error)) continue;
    for (const fs::path& place : {folder, folder / "docs"}) {
      for (const fs::directory_entry& entry : fs::directory_iterator(place, error)) {
        if (entry.path().extension() == ".md") documents.push_back(entry.path().string());
      }
    }
  }
  std::sort(documents.begin(), documents.end());
  return documents;
}

Status WriteFile(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  if (file << text << std::flush) return Ok();
  return Error(ErrorCode::kIo, "cannot write " + path.string()).Hint("give a folder that can be written with --dir");
}

// Makes the folder with what the chapters expect.
Status Furnish(const fs::path& folder, const DemoText& text) {
  for (const char* name : {"warehouse", "state", "pages", "incoming", "corrected"}) {
    if (fs::exists(folder / name)) {
      return Error(ErrorCode::kAlreadyExists, (folder / name).string() + " exists already")
          .Hint("give another folder with --dir, or remove it");
    }
  }
  std::error_code error;
  for (const char* name : {"pages", "incoming", "corrected"}) fs::create_directories(folder / name, error);
  if (error) {
    return Error(ErrorCode::kIo, fmt::format("cannot make folders in {}: {}", folder.string(), error.message()))
        .Hint("give a folder that can be written with --dir");
  }
  for (std::size_t number = kFirstDelivered; number <= DemoText::kPages; ++number) {
    const std::size_t page = number - 1;
    const std::string name = fmt::format("page-{}.txt", number);
    const bool misspelt = page == DemoText::kMisspeltPage;
    BRAID_TRY(WriteFile(folder / "pages" / name, misspelt ? text.misspelt_page : text.pages[page]));
    if (misspelt) BRAID_TRY(WriteFile(folder / "corrected" / name, text.pages[page]));
  }
  return Ok();
}

// Ends every job of the story, whatever it is doing. Errors: kUnavailable if one does not end.
Status EndJobs(const fs::path& folder, const std::string& program) {
  LocalJobs jobs({.state_directory = (folder / "state" / "braid").string(), .program = program});
  BRAID_TRY_ASSIGN(const std::vector<KnownJob> known, jobs.ListKnown());
  for (const KnownJob& job : known) {
    const JobFolder& at = job.folder;
    if (IsLive(job.status.state) && jobs.Stop(job.record.id, false, "")) continue;
    if (at.IsSupervised()) at.TerminateSupervisor();
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (at.IsSupervised() || at.IsLocked()) {
      if (std::chrono::steady_clock::now() > deadline) {
        return Error(ErrorCode::kUnavailable, fmt::format("job {} does not end", job.record.name))
            .Hint("its log is " + at.LogFile());
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  return Ok();
}

// The story from its first to its last line, in the current folder.
Status Tell(const std::string& program, const DemoText& text, bool keep_jobs) {
  BRAID_TRY_ASSIGN(const auto stage, DemoStage::Make(program));
  BRAID_TRY(TellBatchPart(*stage, text));
  BRAID_TRY(TellStreamingPart(*stage));
  BRAID_TRY(TellCorrectionPart(*stage, text));
  if (keep_jobs) return Ok();
  stage->Say("The story ends here, and so do its jobs:");
  BRAID_TRY(stage->Braid({"job", "stop", "--all"}));
  return Ok();
}

void PrintClose(const fs::path& folder, const DemoArguments& arguments, bool kept) {
  fmt::print(
      "\n=== What lies where ===\n"
      "warehouse/default.db/word_table         the words, a Paimon table that Flink and Spark read too\n"
      "warehouse/default.db/word_count_table   the counts; its snapshots carry the lineage as properties\n"
      "warehouse/default.db/*/branch/          the former mains\n"
      "warehouse/.braid/lineage.db             an index of it; `braid lineage rebuild` makes it anew\n"
      "state/braid/                            a folder for each job: its state, its log\n");
  if (!kept) {
    fmt::print("\nThe folder is removed now. `braid demo --keep` keeps it and lets the jobs run on.\n");
    return;
  }
  fmt::print(
      "\nLook further:\n"
      "  cd {} && export XDG_STATE_HOME=$PWD/state\n"
      "  braid log warehouse default.word_count_table\n"
      "  braid branch graph warehouse default.word_table\n"
      "  braid sql --warehouse warehouse\n",
      folder.string());
  if (!arguments.keep) return;
  fmt::print(
      "  cp README.md incoming/.new && mv incoming/.new incoming/new.txt   # any text: both jobs take it up\n"
      "  braid job stop --all                                              # they run until then\n");
}

// Begins in the folder and ends outside of it; ends what was started if the story did not come to its end.
Status TellIn(const fs::path& folder, const DemoText& text, const DemoArguments& arguments) {
  BRAID_TRY_ASSIGN(const std::string program, ThisProgram());
  BRAID_TRY(Furnish(folder, text));
  std::error_code error;
  fs::current_path(folder, error);
  if (error) return Error(ErrorCode::kIo, fmt::format("cannot enter {}: {}", folder.string(), error.message()));
  ::setenv("XDG_STATE_HOME", (folder / "state").c_str(), 1);
  fmt::print("$ cd {}\n$ export XDG_STATE_HOME=$PWD/state   # where the jobs of this story are kept\n",
             folder.string());
  const bool keep_jobs = arguments.keep;
  Status told = Tell(program, text, keep_jobs);
  const Status ended = told && keep_jobs ? Ok() : EndJobs(folder, program);
  fs::current_path("/", error);
  return told ? ended : told;
}

Status Demo(const DemoArguments& arguments) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<std::string> texts = arguments.texts.empty() ? DocumentsOfTheCheckout() : arguments.texts;
  if (texts.empty()) {
    return Error(ErrorCode::kNotFound, "the documents of the checkout are not near this program")
        .Hint("give text files with --text");
  }
  BRAID_TRY_ASSIGN(const DemoText text, ReadDemoText(texts));
  const bool own = arguments.directory.empty();
  const fs::path folder =
      own ? fs::temp_directory_path() / ("braid-demo-" + RandomUuid().substr(0, 8)) : fs::absolute(arguments.directory);
  fmt::print("{} words of {} text files, cut into {} pages that arrive one after the other.\n\n", text.word_count,
             texts.size(), DemoText::kPages);
  const Interruption interruption;
  const Status told = TellIn(folder, text, arguments);
  const bool cancelled = !told && told.error().code() == ErrorCode::kCancelled;
  // A story that failed leaves what there is to be looked at.
  const bool kept = !own || arguments.keep || (!told && !cancelled);
  if (told) {
    PrintClose(folder, arguments, kept);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    fmt::print("\nThe story took {:.1f} s.\n", took.count());
  }
  std::error_code error;  // a temporary folder that stays is the system's to clean
  if (!kept) fs::remove_all(folder, error);
  if (told || !kept) return told;
  return Error(told.error()).Context("while telling the story in " + folder.string());
}

}  // namespace

std::function<Status()> AddDemoCommand(CLI::App& command) {
  auto arguments = std::make_shared<DemoArguments>();
  command.add_option("--text", arguments->texts,
                     "text files to count the words of; default: the documents of the checkout");
  command.add_option("--dir", arguments->directory, "folder to work in, which is kept; default: a temporary one");
  command.add_flag("--keep", arguments->keep, "keep the folder, and let the jobs go on");
  command.footer("example:\n  braid demo --text README.md --dir /tmp/story");
  return [arguments] { return Demo(*arguments); };
}

}  // namespace braid
