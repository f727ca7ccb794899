// SQL text ends in a tree or an error that shows where, whatever it is.

#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/allocation_limit_testing.h"
#include "base/byte_mutator_testing.h"
#include "base/result_matchers.h"
#include "syntax/parser.h"
#include "syntax/splitter.h"

namespace braid::syntax {
namespace {

constexpr std::size_t kMostBytes = std::size_t{4} << 20;  // for statements of a few hundred bytes

std::vector<std::string> StatementsOfFlink() {
  std::ifstream stream(std::string(BRAID_SOURCE_DIR) + "/tests/data/syntax/statements.sql");
  EXPECT_TRUE(stream.good());
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty() && !line.starts_with("--")) lines.push_back(line);
  }
  return lines;
}

TEST(DamagedInputTest, Statements) {
  const std::vector<std::string> statements = StatementsOfFlink();
  ASSERT_GT(statements.size(), 100U);
  for (std::uint32_t seed = 0; seed < 20'000; ++seed) {
    SCOPED_TRACE(seed);
    ByteMutator mutator(seed);
    const std::string damaged = mutator.Mutate(statements[mutator.Below(statements.size())]);
    const AllocationLimit limit(kMostBytes);
    EXPECT_NO_THROW({
      const Result<Statement> statement = ParseStatement(damaged);
      EXPECT_TRUE(statement || !statement.error().message().empty());
      static_cast<void>(SplitStatements(damaged));
    });
  }
}

// Nesting has an end long before the stack's.
TEST(DamagedInputTest, DeepNesting) {
  constexpr std::size_t kDepth = 100'000;
  struct Case {
    std::string before;
    std::string core;
    std::string after;
  };
  for (const Case& c : std::vector<Case>{{"(", "1", ")"},
                                         {"- ", "1", ""},
                                         {"NOT ", "TRUE", ""},
                                         {"CASE WHEN TRUE THEN ", "1", " END"},
                                         {"f(", "1", ")"},
                                         {"ARRAY[", "1", "]"},
                                         {"(SELECT ", "1", ")"}}) {
    std::string text = "SELECT ";
    for (std::size_t i = 0; i < kDepth; ++i) text += c.before;
    text += c.core;
    for (std::size_t i = 0; i < kDepth; ++i) text += c.after;
    EXPECT_THAT(ParseStatement(text), IsError(ErrorCode::kInvalidArgument)) << c.before;
  }
  std::string type;
  for (std::size_t i = 0; i < kDepth; ++i) type += "ARRAY<";
  EXPECT_THAT(ParseTypeName(type + "INT" + std::string(kDepth, '>')), IsError(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace braid::syntax
