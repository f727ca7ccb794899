#include "catalog/identifier.h"

#include <gmock/gmock.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

TEST(IdentifierTest, ReadsDatabaseTableBranchAndSystemTable) {
  struct Case {
    std::string text;
    Identifier expected;
  };
  const std::vector<Case> cases = {
      {"db.t", {"db", "t", {}, {}}},
      {"db.t$branch_b", {"db", "t", "b", {}}},
      {"db.t$snapshots", {"db", "t", {}, "snapshots"}},
      {"db.t$branch_b$files", {"db", "t", "b", "files"}},
      {"db.t$FILES", {"db", "t", {}, "files"}},
      {"db.t$branch_B", {"db", "t", "B", {}}},
      {"db.t.with.dots", {"db", "t.with.dots", {}, {}}},
      {"db.a name", {"db", "a name", {}, {}}},
      {"db.t$branch_branch_x", {"db", "t", "branch_x", {}}},
      {"sys.tables", {"sys", "tables", {}, {}}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_THAT(Identifier::Parse(c.text), HasValue(c.expected));
  }
}

TEST(IdentifierTest, PrintsWhatItReads) {
  for (const std::string text : {"db.t", "db.t$branch_b", "db.t$snapshots", "db.t$branch_b$files", "db.t.with.dots"}) {
    BRAID_ASSERT_OK_AND_ASSIGN(const Identifier identifier, Identifier::Parse(text));
    EXPECT_EQ(identifier.ToString(), text);
  }
}

TEST(IdentifierTest, RefusesNamesWithoutAMeaning) {
  struct Case {
    std::string text;
    std::string why;
  };
  const std::vector<Case> cases = {
      {"t", "the database is missing"},
      {".t", "the database is empty"},
      {"db.", "the table is empty"},
      {"db.$files", "the table is empty"},
      {"db.t$", "nothing follows the '$'"},
      {"db.t$branch_", "the branch is empty"},
      {"db.t$files$branch_b", "too many parts"},
      {"db.t$a$b$c", "too many parts"},
      {"db.t$branch_b$files$x", "too many parts"},
      {"db.t$branch_b$", "nothing follows"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const Result<Identifier> identifier = Identifier::Parse(c.text);
    EXPECT_THAT(identifier, IsError(ErrorCode::kInvalidArgument));
    EXPECT_THAT(identifier, HasMessage(c.why));
  }
}

}  // namespace
}  // namespace braid
