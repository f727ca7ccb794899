#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "syntax/ddl.h"

namespace braid::syntax {

struct UseCatalog {
  Identifier name;
  friend bool operator==(const UseCatalog&, const UseCatalog&) = default;
};

/// USE db or USE catalog.db.
struct UseDatabase {
  QualifiedName name;
  friend bool operator==(const UseDatabase&, const UseDatabase&) = default;
};

struct UseModules {
  std::vector<Identifier> names;
  friend bool operator==(const UseModules&, const UseModules&) = default;
};

enum class ShowKind : std::uint8_t {
  kCatalogs,
  kCurrentCatalog,
  kDatabases,
  kCurrentDatabase,
  kTables,
  kViews,
  kColumns,
  kPartitions,
  kFunctions,
  kUserFunctions,
  kProcedures,
  kModules,
  kFullModules,
  kJobs,
  kJars,
  kCreateTable,
  kCreateView,
  kCreateCatalog
};

/// SHOW … [FROM|IN name] [[NOT] LIKE|ILIKE 'pattern'].
struct Show {
  ShowKind kind;
  /// The database of TABLES, VIEWS, FUNCTIONS, PROCEDURES; the catalog of DATABASES; the object of COLUMNS, PARTITIONS,
  /// CREATE …
  std::optional<QualifiedName> name = std::nullopt;
  PartitionSpec partition = {};  ///< of PARTITIONS
  std::optional<std::string> pattern = std::nullopt;
  bool negated = false;
  bool ignore_case = false;  ///< ILIKE
  friend bool operator==(const Show&, const Show&) = default;
};

enum class DescribeKind : std::uint8_t { kTable, kCatalog, kDatabase, kFunction, kJob };

/// DESCRIBE [CATALOG|DATABASE|FUNCTION] [EXTENDED] name, DESCRIBE JOB 'id'.
struct Describe {
  DescribeKind kind;
  bool extended = false;
  QualifiedName name = {};  ///< empty for a job
  std::string job_id = {};
  friend bool operator==(const Describe&, const Describe&) = default;
};

/// SET alone (both absent) or SET 'key' = 'value'; quotes may be left out.
struct Set {
  std::optional<Property> property = std::nullopt;
  friend bool operator==(const Set&, const Set&) = default;
};

/// RESET alone or RESET 'key'.
struct Reset {
  std::optional<std::string> key = std::nullopt;
  friend bool operator==(const Reset&, const Reset&) = default;
};

/// STOP JOB 'id' [WITH SAVEPOINT] [WITH DRAIN].
struct StopJob {
  std::string job_id;
  bool with_savepoint = false;
  bool with_drain = false;
  friend bool operator==(const StopJob&, const StopJob&) = default;
};

/// LOAD MODULE m [WITH (…)].
struct LoadModule {
  Identifier name;
  std::vector<Property> options = {};
  friend bool operator==(const LoadModule&, const LoadModule&) = default;
};

struct UnloadModule {
  Identifier name;
  friend bool operator==(const UnloadModule&, const UnloadModule&) = default;
};

/// ADD JAR '…' or REMOVE JAR '…'.
struct JarCommand {
  bool remove = false;
  std::string path;
  friend bool operator==(const JarCommand&, const JarCommand&) = default;
};

/// What only a shell can do. Both QUIT and EXIT are kQuit.
enum class ClientCommandKind : std::uint8_t { kQuit, kHelp, kClear };

struct ClientCommand {
  ClientCommandKind kind;
  friend bool operator==(const ClientCommand&, const ClientCommand&) = default;
};

}  // namespace braid::syntax
