#include "syntax/printer_internal.h"

namespace braid::syntax {
namespace {

std::string_view ShowWords(ShowKind kind) {
  switch (kind) {
    case ShowKind::kCatalogs: return "CATALOGS";
    case ShowKind::kCurrentCatalog: return "CURRENT CATALOG";
    case ShowKind::kDatabases: return "DATABASES";
    case ShowKind::kCurrentDatabase: return "CURRENT DATABASE";
    case ShowKind::kTables: return "TABLES";
    case ShowKind::kViews: return "VIEWS";
    case ShowKind::kColumns: return "COLUMNS";
    case ShowKind::kPartitions: return "PARTITIONS";
    case ShowKind::kFunctions: return "FUNCTIONS";
    case ShowKind::kUserFunctions: return "USER FUNCTIONS";
    case ShowKind::kProcedures: return "PROCEDURES";
    case ShowKind::kModules: return "MODULES";
    case ShowKind::kFullModules: return "FULL MODULES";
    case ShowKind::kJobs: return "JOBS";
    case ShowKind::kJars: return "JARS";
    case ShowKind::kCreateTable: return "CREATE TABLE";
    case ShowKind::kCreateView: return "CREATE VIEW";
    case ShowKind::kCreateCatalog: return "CREATE CATALOG";
  }
  return "";
}

// Whether the name follows at once instead of behind FROM.
bool NamesObject(ShowKind kind) {
  return kind == ShowKind::kPartitions || kind == ShowKind::kCreateTable || kind == ShowKind::kCreateView ||
         kind == ShowKind::kCreateCatalog;
}

}  // namespace

void Printer::PrintStatement(const UseCatalog& use) {
  Add("USE CATALOG ");
  Add(use.name);
}

void Printer::PrintStatement(const UseDatabase& use) {
  Add("USE ");
  Print(use.name);
}

void Printer::PrintStatement(const UseModules& use) {
  Add("USE MODULES ");
  AddList(use.names, [this](const Identifier& name) { Add(name); });
}

void Printer::PrintStatement(const Show& show) {
  Add("SHOW ");
  Add(ShowWords(show.kind));
  if (show.name) {
    Add(NamesObject(show.kind) ? " " : " FROM ");
    Print(*show.name);
  }
  if (!show.partition.empty()) {
    Add(" PARTITION ");
    PrintPartition(show.partition);
  }
  if (!show.pattern) return;
  if (show.negated) Add(" NOT");
  Add(show.ignore_case ? " ILIKE " : " LIKE ");
  AddString(*show.pattern);
}

void Printer::PrintStatement(const Describe& describe) {
  Add("DESCRIBE ");
  switch (describe.kind) {
    case DescribeKind::kJob:
      Add("JOB ");
      AddString(describe.job_id);
      return;
    case DescribeKind::kCatalog: Add("CATALOG "); break;
    case DescribeKind::kDatabase: Add("DATABASE "); break;
    case DescribeKind::kFunction: Add("FUNCTION "); break;
    case DescribeKind::kTable: break;
  }
  if (describe.extended) Add("EXTENDED ");
  Print(describe.name);
}

void Printer::PrintStatement(const Set& set) {
  Add("SET");
  if (set.property) Add(" " + QuoteString(set.property->key) + " = " + QuoteString(set.property->value));
}

void Printer::PrintStatement(const Reset& reset) {
  Add("RESET");
  if (reset.key) Add(" " + QuoteString(*reset.key));
}

void Printer::PrintStatement(const StopJob& stop) {
  Add("STOP JOB " + QuoteString(stop.job_id));
  if (stop.with_savepoint) Add(" WITH SAVEPOINT");
  if (stop.with_drain) Add(" WITH DRAIN");
}

void Printer::PrintStatement(const LoadModule& load) {
  Add("LOAD MODULE ");
  Add(load.name);
  AddWith(load.options);
}

void Printer::PrintStatement(const UnloadModule& unload) {
  Add("UNLOAD MODULE ");
  Add(unload.name);
}

void Printer::PrintStatement(const JarCommand& jar) {
  Add((jar.remove ? "REMOVE JAR " : "ADD JAR ") + QuoteString(jar.path));
}

void Printer::PrintStatement(const ClientCommand& command) {
  switch (command.kind) {
    case ClientCommandKind::kQuit: return Add("QUIT");
    case ClientCommandKind::kHelp: return Add("HELP");
    case ClientCommandKind::kClear: return Add("CLEAR");
  }
}

}  // namespace braid::syntax
