// Data files outside of the table: who writes, who deletes.

#include "table/external_paths.h"

#include <filesystem>
#include <fstream>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "io/temporary_directory.h"
#include "table/expire.h"
#include "table/orphan_files.h"
#include "table/table_check.h"
#include "table/table_testing.h"

namespace braid {
namespace {

// A table in a local folder whose files lie in two others.
class ExternalPathsTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = TemporaryDirectory::Make();
    ASSERT_THAT(made, IsOk());
    folder_.emplace(*std::move(made));
  }
  std::string Outside(const std::string& name) const { return JoinPath(folder_->path(), name); }
  std::string Root() const { return JoinPath(folder_->path(), "w/d.db/t"); }

  Result<Table> Create(const std::string& strategy, Options::Map options, std::vector<std::string> keys = {"k"}) {
    options["data-file.external-paths"] = fmt::format("file://{}/, FILE:{}", Outside("a"), Outside("b"));
    options["data-file.external-paths.strategy"] = strategy;
    return CreateTestTable(
        LocalFileSystem(),
        TestDefinition({{"k", DataType::Int()}, {"v", DataType::Int()}}, std::move(keys), std::move(options)), Root());
  }

  // Paths of the files below a folder, from there.
  static std::set<std::string> FilesBelow(const std::string& folder) {
    std::set<std::string> files;
    if (!std::filesystem::exists(folder)) return files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) files.insert(entry.path().lexically_relative(folder).string());
    }
    return files;
  }
  std::set<std::string> FilesOutside() const {
    std::set<std::string> files;
    for (const char* root : {"a", "b"}) {
      for (const std::string& file : FilesBelow(Outside(root))) files.insert(JoinPath(root, file));
    }
    return files;
  }

  std::optional<TemporaryDirectory> folder_;
};

TEST_F(ExternalPathsTest, TakesTheFilesOfWritesCompactionsChangelogsAndIndexesInTurns) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Create("round-robin", {{"bucket", "-1"},
                                                                       {"index-file-in-data-file-dir", "true"},
                                                                       {"changelog-producer", "input"},
                                                                       {"file-index.bloom-filter.columns", "v"},
                                                                       {"file-index.in-manifest-threshold", "1 b"}}));
  for (int i = 0; i < 4; ++i) ASSERT_THAT(Insert(table, {{i, i}, {i + 1, i}}), IsOk());
  ASSERT_THAT(CompactTable(table, true, nullptr, "user"), IsOk());
  EXPECT_FALSE(std::filesystem::exists(JoinPath(Root(), "bucket-0")));
  EXPECT_FALSE(std::filesystem::exists(JoinPath(Root(), "index")));
  int data = 0;
  int changelogs = 0;
  int indexes = 0;
  int bloom = 0;
  for (const std::string& file : FilesOutside()) {
    EXPECT_TRUE(file.starts_with("a/bucket-0/") || file.starts_with("b/bucket-0/")) << file;
    const std::string name(BaseName(file));
    const bool is_file_index = name.ends_with(".index");
    bloom += is_file_index ? 1 : 0;
    data += !is_file_index && name.starts_with("data-") ? 1 : 0;
    changelogs += name.starts_with("changelog-") ? 1 : 0;
    indexes += name.starts_with("index-") ? 1 : 0;
  }
  EXPECT_EQ(data, 5);
  EXPECT_EQ(changelogs, 4);
  EXPECT_EQ(indexes, 4);
  EXPECT_EQ(bloom, 5);
  EXPECT_FALSE(FilesBelow(Outside("a")).empty());
  EXPECT_FALSE(FilesBelow(Outside("b")).empty());
  EXPECT_THAT(SortedRows(table),
              HasValue(testing::ElementsAre(R"({"k":0,"v":0})", R"({"k":1,"v":1})", R"({"k":2,"v":2})",
                                            R"({"k":3,"v":3})", R"({"k":4,"v":3})")));
}

TEST_F(ExternalPathsTest, ExpiryTakesFilesAwayThatNothingNames) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Create("entropy-inject", {{"bucket", "1"}}));
  for (int i = 0; i < 3; ++i) ASSERT_THAT(Insert(table, {{i, i}}), IsOk());
  ASSERT_THAT(CompactTable(table, true, nullptr, "user"), IsOk());
  EXPECT_EQ(FilesOutside().size(), 4U);
  BRAID_ASSERT_OK_AND_ASSIGN(
      const Table keeping_one,
      table.With(Options(Options::Map{{"snapshot.num-retained.min", "1"}, {"snapshot.num-retained.max", "1"}})));
  ASSERT_THAT(TruncateTable(keeping_one, "user"), IsOk());
  EXPECT_TRUE(FilesOutside().empty());
}

TEST_F(ExternalPathsTest, CleaningFindsOrphansBelowFoldersOfEntropy) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Create("entropy-inject", {{"bucket", "1"}}));
  ASSERT_THAT(Insert(table, {{1, 1}}), IsOk());
  const std::set<std::string> before = FilesOutside();
  ASSERT_EQ(before.size(), 1U);
  BRAID_ASSERT_OK_AND_ASSIGN(const auto messages, WriteRows(table, {{2, 2}}));
  const std::string orphan = *messages.front().new_files.front().external_path;
  EXPECT_EQ(FilesOutside().size(), 2U);
  const std::string path = orphan.substr(orphan.find('/'));
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - std::chrono::hours(48));
  BRAID_ASSERT_OK_AND_ASSIGN(const OrphanResult result, RemoveOrphanFiles(table, {}, SystemClock()));
  EXPECT_EQ(result.removed.size(), 1U);
  EXPECT_EQ(FilesOutside(), before);
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(path).parent_path()));
}

TEST_F(ExternalPathsTest, AWriteThatIsGivenUpLeavesNothingOutside) {
  for (const std::vector<std::string>& keys : {std::vector<std::string>{"k"}, std::vector<std::string>{}}) {
    std::filesystem::remove_all(Root());
    BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Create("round-robin", {{"bucket", keys.empty() ? "-1" : "2"}}, keys));
    BRAID_ASSERT_OK_AND_ASSIGN(const auto messages, WriteRows(table, {{1, 1}, {2, 2}, {3, 3}}));
    EXPECT_FALSE(FilesOutside().empty());
    ASSERT_THAT(TableCommit(table, "user").Abort(messages), IsOk());
    EXPECT_TRUE(FilesOutside().empty());
  }
}

TEST_F(ExternalPathsTest, CheckingMissesAFileThatIsGone) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Create("round-robin", {{"bucket", "1"}}));
  ASSERT_THAT(Insert(table, {{1, 1}}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const auto sound, CheckTable(table, {}));
  EXPECT_TRUE(sound.damages.empty());
  for (const std::string& file : FilesOutside()) std::filesystem::remove(JoinPath(folder_->path(), file));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto damaged, CheckTable(table, {}));
  EXPECT_EQ(damaged.damages.size(), 1U);
}

}  // namespace
}  // namespace braid
