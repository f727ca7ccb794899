#include "cli/shell.h"

#include <gmock/gmock.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

// Notes what it is given instead of printing.
class NotingPrinter : public ResultPrinter {
 public:
  Status Print(StatementResult& result, const Session&) override {
    kinds.push_back(result.kind);
    return Ok();
  }
  bool prints_failures() const override { return true; }
  Status PrintFailure(const Error& error) override {
    failures.push_back(error.ToString());
    return Ok();
  }

  std::vector<StatementResult::Kind> kinds;
  std::vector<std::string> failures;
};

class ShellTest : public testing::Test {
 protected:
  Session session_{SessionSettings{}};
  NotingPrinter printer_;
};

TEST_F(ShellTest, StopsAtTheFirstErrorAndSaysWhereItStands) {
  Shell shell(session_, printer_, false);
  const Status run =
      shell.RunScript("SET 'a' = 'b';\n\nSET 'execution.runtime-mode' = 'nope';\nSET 'c' = 'd';", "x.sql");
  EXPECT_THAT(run, IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(run, HasMessage("in the statement at line 3 of x.sql"));
  EXPECT_EQ(session_.Option("a"), "b");
  EXPECT_EQ(session_.Option("c"), "");
}

TEST_F(ShellTest, GoesOnWhenAskedToAndFailsInTheEnd) {
  Shell shell(session_, printer_, true);
  EXPECT_THAT(shell.RunScript("SELEC 1; SET 'c' = 'd'; DROP TABLE nope", "x.sql"), IsOk());
  EXPECT_EQ(session_.Option("c"), "d");
  EXPECT_THAT(printer_.failures, testing::SizeIs(2));
  EXPECT_THAT(shell.Summary(), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(shell.Summary(), HasMessage("2 of 3 statements failed"));
}

TEST_F(ShellTest, EndsWithQuit) {
  Shell shell(session_, printer_, false);
  EXPECT_THAT(shell.RunScript("QUIT; SET 'a' = 'b';", ""), IsOk());
  EXPECT_TRUE(shell.quit());
  EXPECT_EQ(session_.Option("a"), "");
}

}  // namespace
}  // namespace braid
