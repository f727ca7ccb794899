#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "catalog/catalog.h"
#include "catalog/temporary_folder_testing.h"
#include "meta/stores.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TableDefinition Definition() {
  TableDefinition definition;
  definition.fields = {
      {.id = FieldId(0), .name = "k", .type = DataType::Int().NotNull(), .description = {}, .default_value = {}},
      {.id = FieldId(1), .name = "v", .type = DataType::String(), .description = {}, .default_value = {}},
  };
  definition.primary_keys = {"k"};
  definition.options.Set("bucket", "1");
  return definition;
}

Identifier Named(const std::string& text) {
  Result<Identifier> identifier = Identifier::Parse(text);
  BRAID_CHECK(identifier.has_value());
  return *std::move(identifier);
}

class FileSystemCatalogTest : public testing::Test {
 protected:
  void SetUp() override {
    catalog_ = Open();
    ASSERT_THAT(catalog_->CreateDatabase("db", false), IsOk());
  }

  std::shared_ptr<Catalog> Open() const {
    Result<std::shared_ptr<Catalog>> catalog =
        MakeFileSystemCatalog("paimon", Options({{"warehouse", folder_.path()}}));
    BRAID_CHECK(catalog.has_value());
    return *std::move(catalog);
  }

  Status Create(const std::string& name) { return catalog_->CreateTable(Named(name), Definition(), false); }

  TemporaryFolder folder_;
  std::shared_ptr<Catalog> catalog_;
};

TEST_F(FileSystemCatalogTest, DropsWhatATableHasElsewhere) {
  for (const bool with_database : {false, true}) {
    const std::string external = folder_.path() + "/elsewhere";
    std::filesystem::create_directories(external + "/bucket-0");
    std::ofstream(external + "/bucket-0/data-1.parquet") << "rows";
    TableDefinition definition = Definition();
    definition.options.Set("data-file.external-paths", "file://" + external + "/");
    ASSERT_THAT(catalog_->CreateTable(Named("db.t"), definition, false), IsOk());
    const Status dropped = with_database ? catalog_->DropDatabase("db", {.cascade = true}) : catalog_->DropTable(Named("db.t"), {});
    ASSERT_THAT(dropped, IsOk());
    EXPECT_FALSE(std::filesystem::exists(external));
  }
}

TEST_F(FileSystemCatalogTest, RefusesTablesOfOtherTypes) {
  for (const std::string type : {"format-table", "object-table", "lance-table", "iceberg-table", "another"}) {
    TableDefinition definition = Definition();
    definition.options.Set("type", type);
    EXPECT_THAT(catalog_->CreateTable(Named("db.t"), definition, false), IsError(ErrorCode::kUnsupported)) << type;
    ASSERT_THAT(Create("db.t"), IsOk());
    // As another catalog may have left it.
    const std::string path = folder_.path() + "/db.db/t/schema/schema-0";
    BRAID_ASSERT_OK_AND_ASSIGN(std::string schema, LocalFileSystem()->ReadAll(path));
    const std::string options = R"("options" : {)";
    const std::size_t at = schema.find(options);
    ASSERT_NE(at, std::string::npos) << schema;
    const bool empty = schema.find_first_not_of(" \n", at + options.size()) == schema.find('}', at);
    schema.insert(at + options.size(), R"("type" : ")" + type + (empty ? "\"" : "\","));
    ASSERT_THAT(LocalFileSystem()->Replace(path, schema), IsOk());
    EXPECT_THAT(catalog_->OpenTable(Named("db.t"), {}), IsError(ErrorCode::kUnsupported)) << type;
    EXPECT_THAT(catalog_->OpenTable(Named("db.t"), {}), HasMessage("'type'='" + type + "'"));
    EXPECT_THAT(catalog_->ListTables("db"), HasValue(ElementsAre("t"))) << "it is listed all the same";
    ASSERT_THAT(catalog_->DropTable(Named("db.t"), {}), IsOk());
  }
  TableDefinition definition = Definition();
  definition.options.Set("type", "materialized-table");
  ASSERT_THAT(catalog_->CreateTable(Named("db.t"), definition, false), IsOk());
  EXPECT_THAT(catalog_->OpenTable(Named("db.t"), {}), IsOk());
}

TEST_F(FileSystemCatalogTest, ListsDatabasesInOrder) {
  ASSERT_THAT(catalog_->CreateDatabase("b", false), IsOk());
  ASSERT_THAT(catalog_->CreateDatabase("a", false), IsOk());
  std::filesystem::create_directories(folder_.path() + "/no_database");
  std::ofstream(folder_.path() + "/file.db") << "not a folder";
  EXPECT_THAT(catalog_->ListDatabases(), HasValue(ElementsAre("a", "b", "db")));
  EXPECT_TRUE(std::filesystem::is_directory(folder_.path() + "/a.db"));
}

TEST_F(FileSystemCatalogTest, CreatesADatabaseOnce) {
  EXPECT_THAT(catalog_->CreateDatabase("db", false), IsError(ErrorCode::kAlreadyExists));
  EXPECT_THAT(catalog_->CreateDatabase("db", true), IsOk());
  EXPECT_THAT(catalog_->DatabaseExists("db"), HasValue(true));
}

TEST_F(FileSystemCatalogTest, DropsAFullDatabaseOnlyByCascade) {
  ASSERT_THAT(Create("db.t"), IsOk());
  const Status refused = catalog_->DropDatabase("db", {});
  EXPECT_THAT(refused, IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(refused, HasMessage("CASCADE"));
  EXPECT_THAT(catalog_->DropDatabase("db", {.cascade = true}), IsOk());
  EXPECT_THAT(catalog_->DatabaseExists("db"), HasValue(false));
  EXPECT_THAT(catalog_->DropDatabase("db", {}), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(catalog_->DropDatabase("db", {.ignore_if_not_exists = true}), IsOk());
}

TEST_F(FileSystemCatalogTest, CreatesListsAndOpensTables) {
  ASSERT_THAT(Create("db.t2"), IsOk());
  ASSERT_THAT(Create("db.t1"), IsOk());
  std::filesystem::create_directories(folder_.path() + "/db.db/no_table");
  EXPECT_THAT(catalog_->ListTables("db"), HasValue(ElementsAre("t1", "t2")));
  EXPECT_THAT(catalog_->TableExists(Named("db.t1")), HasValue(true));
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, catalog_->OpenTable(Named("db.t1")));
  EXPECT_EQ(table.name(), "db.t1");
  EXPECT_EQ(table.paths().root(), folder_.path() + "/db.db/t1");
  EXPECT_EQ(table.schema().primary_keys, std::vector<std::string>{"k"});
  BRAID_ASSERT_OK_AND_ASSIGN(const Relation files, catalog_->Open(Named("db.t1$files")));
  EXPECT_EQ(FieldsOf(files).front().name, "partition");
  EXPECT_THAT(catalog_->OpenTable(Named("db.t1$files")), IsError(ErrorCode::kInvalidArgument));
}

TEST_F(FileSystemCatalogTest, CreatesATableOnce) {
  ASSERT_THAT(Create("db.t"), IsOk());
  EXPECT_THAT(Create("db.t"), IsError(ErrorCode::kAlreadyExists));
  EXPECT_THAT(catalog_->CreateTable(Named("db.t"), Definition(), true), IsOk());
}

TEST_F(FileSystemCatalogTest, LetsOneOfRacingCreatorsWin) {
  std::atomic<int> created = 0;
  std::atomic<int> found = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, catalog = Open()] {
      const Status status = catalog->CreateTable(Named("db.race"), Definition(), false);
      if (status) ++created;
      if (!status && status.error().code() == ErrorCode::kAlreadyExists) ++found;
    });
  }
  threads.clear();
  EXPECT_EQ(created, 1);
  EXPECT_EQ(found, 3);
}

TEST_F(FileSystemCatalogTest, KeepsTheChangesOfAllWhoAlterAtOnce) {
  ASSERT_THAT(Create("db.t"), IsOk());
  std::atomic<int> altered = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i, catalog = Open()] {
      const std::vector<SchemaChange> changes = {AddColumn{{"c" + std::to_string(i)}, DataType::Int(), {}, {}}};
      if (catalog->AlterTable(Named("db.t"), changes)) ++altered;
    });
  }
  threads.clear();
  EXPECT_EQ(altered, 4);
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, catalog_->OpenTable(Named("db.t")));
  EXPECT_EQ(table.schema().id, SchemaId(4));
  EXPECT_EQ(table.schema().fields.size(), 6U);
}

TEST_F(FileSystemCatalogTest, SaysWhatWasBeingAlteredWhenAChangeIsRefused) {
  ASSERT_THAT(Create("db.t"), IsOk());
  const Status refused = catalog_->AlterTable(Named("db.t"), {DropColumn{{"nothing"}}});
  EXPECT_THAT(refused, IsError(ErrorCode::kNotFound));
  EXPECT_THAT(refused, HasMessage("while altering table db.t"));
  EXPECT_THAT(catalog_->AlterTable(Named("db.t$files"), {}), IsError(ErrorCode::kInvalidArgument));
}

TEST_F(FileSystemCatalogTest, RenamesATableWithAllOfIt) {
  ASSERT_THAT(Create("db.old"), IsOk());
  ASSERT_THAT(Create("db.taken"), IsOk());
  ASSERT_THAT(catalog_->CreateDatabase("other", false), IsOk());
  EXPECT_THAT(catalog_->RenameTable(Named("db.old"), Named("db.taken")), IsError(ErrorCode::kAlreadyExists));
  EXPECT_THAT(catalog_->RenameTable(Named("db.nothing"), Named("db.new")), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(catalog_->RenameTable(Named("db.old"), Named("missing.new")), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(catalog_->RenameTable(Named("db.old"), Named("other.new")), IsOk());
  EXPECT_THAT(catalog_->ListTables("db"), HasValue(ElementsAre("taken")));
  EXPECT_THAT(catalog_->OpenTable(Named("other.new")), IsOk());
}

TEST_F(FileSystemCatalogTest, DropsATable) {
  ASSERT_THAT(Create("db.t"), IsOk());
  EXPECT_THAT(catalog_->DropTable(Named("db.t"), {}), IsOk());
  EXPECT_THAT(catalog_->ListTables("db"), HasValue(IsEmpty()));
  EXPECT_THAT(catalog_->DropTable(Named("db.t"), {}), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(catalog_->DropTable(Named("db.t"), {.ignore_if_not_exists = true}), IsOk());
}

TEST_F(FileSystemCatalogTest, OffersTheNearestNameForAMisspeltOne) {
  ASSERT_THAT(Create("db.orders"), IsOk());
  ASSERT_THAT(catalog_->CreateDatabase("sales", false), IsOk());
  EXPECT_THAT(catalog_->Open(Named("db.order")), HasMessage("did you mean 'orders'?"));
  EXPECT_THAT(catalog_->Open(Named("sale.t")), HasMessage("did you mean 'sales'?"));
  EXPECT_THAT(catalog_->Open(Named("sys.tabels")), HasMessage("did you mean 'tables'?"));
}

TEST_F(FileSystemCatalogTest, SaysThatABranchIsMissing) {
  ASSERT_THAT(Create("db.t"), IsOk());
  const auto opened = catalog_->Open(Named("db.t$branch_b"));
  EXPECT_THAT(opened, IsError(ErrorCode::kNotFound));
  EXPECT_THAT(opened, HasMessage("branch 'b'"));
}

TEST_F(FileSystemCatalogTest, RefusesNamesThatLeaveTheWarehouse) {
  std::filesystem::create_directories(folder_.path() + "/db.db/sub/inner/schema");
  std::filesystem::create_directories(folder_.path() + "/keep/me.db");
  for (const std::string name : {"keep/me", "..", ".", ""}) {
    EXPECT_THAT(catalog_->CreateDatabase(name, true), IsError(ErrorCode::kInvalidArgument)) << name;
    EXPECT_THAT(catalog_->DropDatabase(name, {.ignore_if_not_exists = true, .cascade = true}),
                IsError(ErrorCode::kInvalidArgument))
        << name;
  }
  for (const std::string name : {"db.sub/inner", "db...", "db.."}) {
    EXPECT_THAT(catalog_->DropTable(Named(name), {.ignore_if_not_exists = true}), IsError(ErrorCode::kInvalidArgument))
        << name;
    EXPECT_THAT(catalog_->CreateTable(Named(name), Definition(), true), IsError(ErrorCode::kInvalidArgument)) << name;
  }
  EXPECT_TRUE(std::filesystem::exists(folder_.path() + "/keep/me.db"));
}

TEST_F(FileSystemCatalogTest, ChangesNeitherSystemTablesNorSystemDatabases) {
  ASSERT_THAT(Create("db.t"), IsOk());
  EXPECT_THAT(catalog_->DropTable(Named("db.t$files"), {}), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(catalog_->CreateTable(Named("db.x$branch_b"), Definition(), false), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(catalog_->CreateTable(Named("sys.t"), Definition(), false), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(catalog_->DropTable(Named("sys.tables"), {}), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(catalog_->DropDatabase("sys", {.cascade = true}), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(catalog_->CreateDatabase("sys", true), IsError(ErrorCode::kInvalidArgument));
}

TEST_F(FileSystemCatalogTest, ShowsARegisteredDatabase) {
  const auto catalog = Open();
  catalog->Register("paimon", {{"jobs", MakeRowsTable({}, {})}});
  EXPECT_THAT(catalog->ListTables("paimon"),
              HasValue(ElementsAre("all_table_options", "catalog_options", "jobs", "partitions", "tables")));
  EXPECT_THAT(catalog->Open(Named("paimon.jobs")), IsOk());
  EXPECT_THAT(catalog->ListDatabases(), HasValue(ElementsAre("db")));
}

TEST(MakeFileSystemCatalogTest, TakesFoldersAndStoresThatItKnows) {
  EXPECT_THAT(MakeFileSystemCatalog("c", Options()), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(MakeFileSystemCatalog("c", Options(Options::Map{{"warehouse", "ftp://host/w"}})),
              IsError(ErrorCode::kUnsupported));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto bucket,
                             MakeFileSystemCatalog("c", Options(Options::Map{{"warehouse", "s3://bucket/w/"}})));
  EXPECT_EQ(bucket->warehouse(), "s3://bucket/w");
  BRAID_ASSERT_OK_AND_ASSIGN(const auto catalog,
                             MakeFileSystemCatalog("c", Options(Options::Map{{"warehouse", "FILE:///tmp/w/"}})));
  EXPECT_EQ(catalog->warehouse(), "/tmp/w");
}

}  // namespace
}  // namespace braid
