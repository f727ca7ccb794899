#include "cli/command.h"

#include <array>

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

#include "cli/programs.h"

namespace braid {
namespace {

TEST(CommandTest, TellsAnErrorAsJson) {
  EXPECT_EQ(ErrorJson(Error(ErrorCode::kAlreadyExists, "b is \"there\"").Id("branch.exists").Context("while c").Hint("d")),
            R"({"error":{"code":"already-exists","id":"branch.exists","message":"b is \"there\"",)"
            R"("context":["while c"],"hint":"d"}})");
  EXPECT_EQ(ErrorJson(Error(ErrorCode::kIo, "broken")), R"({"error":{"code":"io","message":"broken"}})");
}

TEST(CommandTest, AsksTheCommandThatWasNamedForItsOutput) {
  struct Case {
    std::array<const char*, 4> words;
    bool wants_json;
  };
  for (const Case& c : {Case{{"braid", "branch", "list", "--output=json"}, true},
                        Case{{"braid", "branch", "list", "--output=table"}, false},
                        Case{{"braid", "branch", "list", "-q"}, false}, Case{{"braid", "branch", "plain", "-q"}, false}}) {
    CLI::App app;
    CLI::App* branch = app.add_subcommand("branch");
    std::string output = "table";
    CLI::App* list = branch->add_subcommand("list");
    list->add_option("--output", output);
    list->add_flag("-q");
    branch->add_subcommand("plain")->add_flag("-q");
    app.parse(static_cast<int>(c.words.size()), c.words.data());
    EXPECT_EQ(WantsJson(app), c.wants_json) << c.words[2] << c.words[3];
  }
}

TEST(CommandTest, EveryCommandHasAProgramThatRunsIt) {
  const auto nothing = [](CLI::App&) -> std::function<Status()> { return [] { return Ok(); }; };
  for (const CommandEntry& entry : Commands({})) {
    EXPECT_EQ(ProgramOf(entry.name), entry.add == nullptr ? kSqlProgram : kTablesProgram) << entry.name;
  }
  for (const CommandEntry& entry : Commands({.demo = nothing, .sql = nothing, .job = nothing})) {
    EXPECT_NE(entry.add, nullptr) << entry.name;
  }
  EXPECT_EQ(ProgramOf(""), kTablesProgram) << "--help and --version";
  EXPECT_EQ(ProgramOf("nothing-of-the-kind"), kTablesProgram);
}

}  // namespace
}  // namespace braid
