#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>

#include <gmock/gmock.h>

#include "table/branch_merge.h"
#include "table/branch_replace.h"
#include "table/branch_table_testing.h"

namespace braid {
namespace {

// Random creations, commits, tags, merges, replacements and deletions against what each line should hold.
TEST_F(BranchTableTest, LinesHoldWhatAModelSays) {
  const char* given = std::getenv("BRAID_TEST_SEED");
  const unsigned seed = given != nullptr ? static_cast<unsigned>(std::stoul(given)) : std::random_device{}();
  SCOPED_TRACE("BRAID_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  using RowSet = std::vector<std::string>;
  struct ModelLine {
    RowSet rows = {};
    std::map<std::string, RowSet> tags = {};
  };
  std::map<std::string, ModelLine> model = {{"main", {.rows = {"1", "2", "3"}}}};
  int next_row = 10;
  int next_name = 0;
  const auto any_line = [&] {
    auto it = model.begin();
    std::advance(it, pick(static_cast<int>(model.size())));
    return it->first;
  };
  for (int step = 0; step < 120; ++step) {
    const std::string line = any_line();
    SCOPED_TRACE("step " + std::to_string(step) + " on " + line);
    switch (pick(7)) {
      case 0:
      case 1: {
        const int row = next_row++;
        ASSERT_NO_FATAL_FAILURE(Add(line, row));
        model[line].rows.push_back(std::to_string(row));
        break;
      }
      case 2: {
        const std::string tag = "t" + std::to_string(next_name++);
        BRAID_ASSERT_OK_AND_ASSIGN(const TablePaths paths, ResolveLine(*fs_, kTestTableRoot, line));
        BRAID_ASSERT_OK_AND_ASSIGN(const std::optional<SnapshotId> head, FindLatestSnapshot(*fs_, paths));
        ASSERT_NO_FATAL_FAILURE(TagSnapshot(line, tag, head->value()));
        model[line].tags[tag] = model[line].rows;
        break;
      }
      case 3: {
        if (model.size() > 6) break;
        const std::string name = "b" + std::to_string(next_name++);
        CreateBranchRequest request{.name = name, .from_branch = line};
        ModelLine made;
        if (!model[line].tags.empty() && pick(2) == 0) {
          const auto& [tag, rows] = *model[line].tags.begin();
          request.tag = tag;
          made.rows = rows;
          made.tags[tag] = rows;
        } else {
          request.latest = true;
          made.rows = model[line].rows;
        }
        ASSERT_THAT(CreateBranch(Context(), request), IsOk());
        model[name] = std::move(made);
        break;
      }
      case 4: {
        if (line == "main") break;
        ASSERT_THAT(DeleteBranch(Context(), {.name = line, .force = true}), IsOk());
        model.erase(line);
        break;
      }
      case 5: {
        if (line == "main") break;
        const auto merged = FastForward(Context(), {.source = line, .skip_clashing_tags = true});
        // Where it is refused nothing changes; where it is done, main has all that the branch has.
        if (merged && !merged->published.empty()) {
          model["main"].rows = model[line].rows;
          for (const std::string& tag : merged->tags) model["main"].tags[tag] = model[line].tags[tag];
        }
        break;
      }
      default: {
        if (line == "main" || pick(3) != 0) break;
        const std::string kept = "k" + std::to_string(next_name++);
        const auto replaced = ReplaceMain(Context(), {.name = line, .keep_as = kept, .branch_tags_win = true});
        if (!replaced) break;
        ModelLine former = std::move(model["main"]);
        ModelLine branch = std::move(model[line]);
        model.erase(line);
        BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> tags, ListTags(*fs_, root_));
        for (const std::string& tag : tags) {
          if (!IsGuardTag(tag) && !branch.tags.contains(tag)) branch.tags[tag] = former.tags.at(tag);
        }
        model["main"] = std::move(branch);
        model[kept] = std::move(former);
      }
    }
    for (auto& [name, held] : model) {
      std::sort(held.rows.begin(), held.rows.end());
      ASSERT_THAT(Rows(name), HasValue(held.rows)) << name;
      for (auto& [tag, rows] : held.tags) {
        std::sort(rows.begin(), rows.end());
        ASSERT_THAT(Rows(name, {{"scan.tag-name", tag}}), HasValue(rows)) << name << " tag " << tag;
      }
    }
  }
}

}  // namespace
}  // namespace braid
