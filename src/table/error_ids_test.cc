// The ids of errors on branches (spec branches.md §15), each with what provokes it.

#include <functional>

#include <gmock/gmock.h>

#include "meta/line_upkeep.h"
#include "meta/snapshot_json.h"
#include "table/branch_merge.h"
#include "table/branch_replace.h"
#include "table/branch_table_testing.h"
#include "table/expire.h"
#include "table/rollback.h"
#include "table/tag_correction.h"
#include "table/tag_removal.h"

namespace braid {
namespace {

// Lets something else happen just before or after a file is created.
class RacingFileSystem : public FaultInjectingFileSystem {
 public:
  using Hook = std::function<Status()>;
  RacingFileSystem(std::shared_ptr<FileSystem> inner, std::string path, Hook before, Hook after)
      : FaultInjectingFileSystem(std::move(inner)), path_(std::move(path)), before_(std::move(before)), after_(std::move(after)) {}

  Status CreateAtomically(std::string_view path, std::string_view content) override {
    if (path != path_) return FaultInjectingFileSystem::CreateAtomically(path, content);
    if (before_) BRAID_TRY(before_());
    BRAID_TRY(FaultInjectingFileSystem::CreateAtomically(path, content));
    return after_ ? after_() : Ok();
  }

 private:
  std::string path_;
  Hook before_;
  Hook after_;
};

class ErrorIdsTest : public BranchTableTest {
 protected:
  using Provoke = std::function<Status()>;

  template <typename T>
  static Status Only(Result<T> result) {
    return result ? Ok() : Status(std::move(result).error());
  }

  Status Create(CreateBranchRequest request) const { return Only(CreateBranch(Context(), request)); }
  Status Branch(const std::string& name, std::int64_t at = 3) const {
    return Create({.name = name, .snapshot = SnapshotId(at)});
  }
  Status Delete(const std::string& name) const { return Only(DeleteBranch(Context(), {.name = name})); }
  Status Merge(const std::string& source, const std::string& target = "main") const {
    return Only(FastForward(Context(), {.source = source, .target = target}));
  }
  Status Replace(ReplaceMainRequest request) const { return Only(ReplaceMain(Context(), request)); }
  Status Append(const std::string& branch, int row) const {
    BRAID_TRY_ASSIGN(const Table table, Open(branch));
    return Only(Insert(table, {{row}}));
  }
  Status Tagged(const std::string& branch, const std::string& name, std::int64_t id) const {
    BRAID_TRY_ASSIGN(const TablePaths paths, ResolveLine(*fs_, kTestTableRoot, branch));
    BRAID_TRY_ASSIGN(Snapshot snapshot, ReadSnapshot(*fs_, paths, SnapshotId(id)));
    return WriteTag(*fs_, paths, {.name = name, .snapshot = std::move(snapshot), .create_time = {}, .time_retained = {}});
  }
  Status SetOptions(const TablePaths& line, const Options::Map& options) const {
    BRAID_TRY_ASSIGN(std::optional<TableSchema> schema, ReadLatestSchema(*fs_, line));
    schema->id = schema->id.next();
    for (const auto& [key, value] : options) schema->options.Set(key, value);
    return WriteSchema(*fs_, line, *schema);
  }
  Status AddColumn(const TablePaths& line, const std::string& name) const {
    BRAID_TRY_ASSIGN(std::optional<TableSchema> schema, ReadLatestSchema(*fs_, line));
    schema->id = schema->id.next();
    schema->fields.push_back(
        {.id = FieldId(1), .name = name, .type = DataType::Int(), .description = {}, .default_value = {}});
    return WriteSchema(*fs_, line, *schema);
  }

  // What another engine commits, which knows no seal.
  Status CommitAsJava(const TablePaths& line) const {
    BRAID_TRY_ASSIGN(const std::optional<SnapshotId> head, FindLatestSnapshot(*fs_, line));
    BRAID_TRY_ASSIGN(Snapshot late, ReadSnapshot(*fs_, line, *head));
    late.id = head->next();
    late.commit_user = "java";
    late.properties.clear();
    return CreateSnapshot(*fs_, line, late);
  }

  std::vector<std::pair<std::string, Provoke>> Cases();
};

std::vector<std::pair<std::string, ErrorIdsTest::Provoke>> ErrorIdsTest::Cases() {
  const TablePaths b = root_.OnBranch("b");
  return {
      {"branch.name", [&] { return Create({.name = "a/b"}); }},
      {"branch.exists",
       [&]() -> Status {
         BRAID_TRY(Branch("b"));
         return Branch("b");
       }},
      {"branch.alias",
       [&]() -> Status {
         BRAID_TRY(Branch("b"));
         BRAID_TRY(RenameBranch(Context(), {.from = "b", .to = "c"}));
         return Branch("b");
       }},
      {"branch.not-found", [&] { return Delete("none"); }},
      {"branch.not-found", [&] { return Only(Open("none")); }},
      {"branch.in-use",
       [&]() -> Status {
         BRAID_TRY(Branch("b"));
         BRAID_TRY(Create({.name = "child", .from_branch = "b", .latest = true}));
         return Delete("b");
       }},
      {"branch.is-main", [&] { return Delete("main"); }},
      {"branch.protected",
       [&]() -> Status {
         BRAID_TRY(Create({.name = "b", .latest = true, .is_protected = true}));
         return Delete("b");
       }},
      {"branch.recreated",
       [&]() -> Status {
         BRAID_TRY(Branch("b"));
         BRAID_TRY_ASSIGN(const Table writer, Open("b"));
         BRAID_TRY(Delete("b"));
         BRAID_TRY(Branch("b"));
         return Only(Insert(writer, {{4}}));
       }},
      {"branch.damaged",
       [&, b]() -> Status {
         BRAID_TRY(Branch("b"));
         BRAID_TRY(fs_->Replace(b.ForkRecordFile(), "{"));
         return Create({.name = "c", .from_branch = "b", .latest = true});
       }},
      {"branch.damaged",
       [&, b]() -> Status {
         BRAID_TRY(Branch("b"));
         BRAID_TRY(fs_->Delete(b.SchemaFile(SchemaId(0))));
         return Only(Open("b"));
       }},
      {"tag.not-found", [&] { return Only(Rows("main", {{"scan.tag-name", "none"}})); }},
      {"tag.not-found", [&] { return Create({.name = "b", .tag = "none"}); }},
      {"tag.guard",
       [&]() -> Status {
         BRAID_TRY(Branch("b"));
         BRAID_TRY_ASSIGN(const Table main, Open("main"));
         return Only(DeleteTags(main, {ForkGuardTag("b")}, {}, SystemClock()));
       }},
      {"tag.foreign-unsafe",
       [&]() -> Status {
         BRAID_TRY(Tagged("main", "day", 3));
         BRAID_TRY(Branch("b"));
         return Only(CorrectTag(Context(), {.tag = "day", .branch = "b"}));
       }},
      {"tag.unrelated",
       [&]() -> Status {
         BRAID_TRY(Tagged("main", "day", 1));
         BRAID_TRY(Branch("b"));
         return Only(CorrectTag(Context(), {.tag = "day", .branch = "b"}));
       }},
      {"fork.unknown",
       [&, b]() -> Status {
         // As Java makes one, and then nothing is left that both have.
         BRAID_TRY_ASSIGN(const std::string schema, fs_->ReadAll(root_.SchemaFile(SchemaId(0))));
         BRAID_TRY(fs_->Replace(b.SchemaFile(SchemaId(0)), schema));
         BRAID_TRY_ASSIGN(Snapshot snapshot, ReadSnapshot(*fs_, root_, SnapshotId(3)));
         snapshot.delta_manifest_list = "manifest-list-of-java";
         BRAID_TRY(CreateSnapshot(*fs_, b, snapshot));
         return Only(AdoptBranch(Context(), "b", std::nullopt));
       }},
      {"fork.expiring",
       [&]() -> Status {
         BRAID_TRY(SetOptions(root_, {{"snapshot.num-retained.min", "1"}, {"snapshot.num-retained.max", "2"}}));
         return Branch("b", 1);
       }},
      {"fork.expired",
       [&]() -> Status {
         BRAID_TRY_ASSIGN(const Snapshot snapshot, ReadSnapshot(*fs_, root_, SnapshotId(3)));
         BRAID_TRY(fs_->Delete(root_.ManifestFile(snapshot.delta_manifest_list)));
         return Branch("b");
       }},
      {"main.dangling",
       [&]() -> Status {
         BRAID_TRY(WriteMainBranch(*fs_, root_, "none"));
         return Only(Open("main"));
       }},
      {"main.moved",
       [&]() -> Status {
         BRAID_TRY(Branch("b", 2));
         BRAID_TRY_ASSIGN(const Table writer, Open("main"));
         BRAID_TRY(Replace({.name = "b"}));
         return Only(Insert(writer, {{4}}));
       }},
      {"main.moved",
       [&]() -> Status {
         BRAID_TRY(Branch("b", 2));
         return Replace({.name = "b", .expect_head = SnapshotId(2)});
       }},
      {"merge.diverged",
       [&]() -> Status {
         BRAID_TRY(Branch("b"));
         BRAID_TRY(Append("b", 30));
         BRAID_TRY(Append("main", 4));
         return Merge("b");
       }},
      {"merge.schema",
       [&, b]() -> Status {
         BRAID_TRY(Branch("b"));
         BRAID_TRY(AddColumn(root_, "x"));
         BRAID_TRY(AddColumn(b, "y"));
         BRAID_TRY_ASSIGN(const Table table, Open("b"));
         BRAID_TRY(Insert(table, {{4, 5}}));
         return Merge("b");
       }},
      {"merge.tag-clash",
       [&]() -> Status {
         BRAID_TRY(Branch("b"));
         BRAID_TRY(Append("b", 30));
         BRAID_TRY(Tagged("b", "day", 4));
         BRAID_TRY(Tagged("main", "day", 3));
         return Merge("b");
       }},
      {"merge.tag-clash",
       [&]() -> Status {
         BRAID_TRY(Branch("b", 2));
         BRAID_TRY(Tagged("main", "day", 3));
         return Replace({.name = "b"});
       }},
      {"merge.interrupted",
       [&]() -> Status {
         BRAID_TRY(Branch("b"));
         for (const int row : {30, 31}) BRAID_TRY(Append("b", row));
         const auto racing = std::make_shared<RacingFileSystem>(
             fs_, root_.SnapshotFile(SnapshotId(5)), [&] { return CommitAsJava(root_); }, nullptr);
         return Only(FastForward(Context(racing), {.source = "b"}));
       }},
      {"merge.parent-rewound",
       [&]() -> Status {
         BRAID_TRY(Branch("b"));
         BRAID_TRY(Append("b", 30));
         BRAID_TRY_ASSIGN(const Table main, Open("main"));
         BRAID_TRY(RollbackHard(main, {.id = SnapshotId(1)}, false, SystemClock()));
         return Merge("b");
       }},
      {"merge.no-base",
       [&]() -> Status {
         BRAID_TRY(Create({.name = "b"}));
         BRAID_TRY(Append("b", 30));
         return Merge("b");
       }},
      {"merge.unsupported",
       [&, b]() -> Status {
         BRAID_TRY(Branch("b"));
         for (const int row : {30, 31}) BRAID_TRY(Append("b", row));
         for (const int id : {3, 4}) BRAID_TRY(DeleteSnapshot(*fs_, b, SnapshotId(id)));
         return Merge("b");
       }},
      {"lock.busy",
       [&]() -> Status {
         BRAID_TRY_ASSIGN(const LockedTable held, LockedTable::Acquire(Context()));
         return Branch("b");
       }},
      {"replace.self", [&] { return Replace({.name = "main"}); }},
      {"replace.foreign-commits",
       [&, b]() -> Status {
         BRAID_TRY(Branch("b"));
         BRAID_TRY(Append("b", 30));
         // Snapshot 5 is the branch's seal.
         const auto racing = std::make_shared<RacingFileSystem>(
             fs_, b.SnapshotFile(SnapshotId(5)), nullptr, [&, b] { return CommitAsJava(b); });
         return Only(ReplaceMain(Context(racing), {.name = "b"}));
       }},
      {"consumers.ahead",
       [&]() -> Status {
         BRAID_TRY(Branch("b", 2));
         BRAID_TRY(WriteConsumer(*fs_, root_, {.id = "job", .next_snapshot = SnapshotId(4)}));
         return Replace({.name = "b"});
       }},
      {"read.rewound",
       [&]() -> Status {
         BRAID_TRY(Branch("b", 2));
         BRAID_TRY_ASSIGN(const Table main, Open("main"));
         BRAID_TRY_ASSIGN(const auto stream, StreamScan::Open(main, {}));
         BRAID_TRY(stream->Next());
         BRAID_TRY(Replace({.name = "b"}));
         return Only(stream->Next());
       }},
      {"fallback.failed",
       [&]() -> Status {
         BRAID_TRY(SetOptions(root_, {{"scan.fallback-branch", "none"}}));
         return Only(Rows("main"));
       }},
      {"expire.root-unreadable",
       [&]() -> Status {
         BRAID_TRY(fs_->Replace(root_.TagFile("broken"), "{"));
         BRAID_TRY_ASSIGN(const Table main, Open("main"));
         ExpireRequest request;
         request.snapshots.retain_max = 1;
         return Only(ExpireSnapshots(main, request, SystemClock()));
       }},
      {"journal.newer",
       [&]() -> Status {
         BRAID_TRY(fs_->Replace(root_.OperationFile("1"), R"({"formatVersion":2,"op":"1","kind":"fold","state":"",)"
                                                          R"("owner":"o","startedMillis":0,"args":{}})"));
         return Branch("b");
       }},
  };
}

TEST_F(ErrorIdsTest, EachErrorHasItsOwn) {
  for (const auto& [id, provoke] : Cases()) {
    SCOPED_TRACE(id);
    ASSERT_NO_FATAL_FAILURE(MakeTable());
    EXPECT_THAT(provoke(), HasId(id));
  }
}

}  // namespace
}  // namespace braid
