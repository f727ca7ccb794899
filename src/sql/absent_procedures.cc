// Procedures of Paimon 1.4 that Braid does without, and what to do instead.

#include "sql/procedure.h"

namespace braid {

namespace {

constexpr const char* kNoFunctions = "functions are Java code, which Braid does not run";
constexpr const char* kNoViews = "catalogs store no views; CREATE TEMPORARY VIEW makes one for the session";
constexpr const char* kNoPrivileges = "who may read and write is up to the file system or the object store";
constexpr const char* kNoGlobalIndexes = "Braid has no global indexes; file indexes are made by 'file-index.….columns'";
constexpr const char* kNoMigration = "INSERT INTO … SELECT copies rows into a Paimon table";

constexpr AbsentProcedure kAbsent[] = {
    {"alter_column_default_value", "ALTER TABLE … MODIFY … DEFAULT … changes a column's default"},
    {"alter_function", kNoFunctions},
    {"alter_view_dialect", kNoViews},
    {"clone", "INSERT INTO … SELECT copies rows; a folder that nobody writes to can be copied with its files"},
    {"copy_files", "a folder that nobody writes to can be copied with its files"},
    {"create_function", kNoFunctions},
    {"create_global_index", kNoGlobalIndexes},
    {"create_privileged_user", kNoPrivileges},
    {"data_evolution_merge_into", "MERGE INTO and CALL sys.merge_into do it, also for data evolution"},
    {"drop_function", kNoFunctions},
    {"drop_global_index", kNoGlobalIndexes},
    {"drop_privileged_user", kNoPrivileges},
    {"grant_privilege_to_user", kNoPrivileges},
    {"init_file_based_privilege", kNoPrivileges},
    {"migrate_database", kNoMigration},
    {"migrate_iceberg_table", kNoMigration},
    {"migrate_table", kNoMigration},
    {"query_service", "tables are read directly; lookups need no service"},
    {"repair", "there is no metastore beside the folders; `braid table repair` mends a table's own hints"},
    {"revoke_privilege_from_user", kNoPrivileges},
    {"vector_search", "Braid has no vector indexes"},
};

}  // namespace

std::span<const AbsentProcedure> AbsentProcedures() {
  return kAbsent;
}

}  // namespace braid
