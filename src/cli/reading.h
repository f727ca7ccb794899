#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "lineage/lineage.h"
#include "meta/option_names.h"
#include "table/scan.h"

namespace CLI {
class App;
}

namespace braid {

/// What `braid read` and `braid stream` are asked for.
struct ReadingArguments {
  std::string warehouse;
  std::string table;
  std::vector<std::string> options;  ///< "key=value"
  std::string projection;            ///< "a,b"; empty: all
  std::string filter;                ///< empty: none
};

void AddReadingArguments(CLI::App& command, ReadingArguments& arguments);

/// The warehouse as one command sees it. In the system database ("paimon", "sys") it also has the tables of lineage, which
/// live as long as `lineage`; asked for another database it opens no lineage store.
struct OpenedWarehouse {
  std::shared_ptr<Catalog> catalog;
  std::shared_ptr<Lineage> lineage;  ///< null unless the system database is asked for and lineage is recorded
};
Result<OpenedWarehouse> OpenWarehouse(const std::string& warehouse, std::string_view database);

/// A relation opened as the arguments say, with what to read of it.
struct Reading {
  OpenedWarehouse warehouse;
  Relation relation;
  ReadRequest request;
  std::vector<DataField> fields;  ///< of the rows to print
};
/// `more`: options beside those of the arguments, which win.
Result<Reading> OpenReading(const ReadingArguments& arguments, const Options& more = {});

/// Options given as "key=value" each. A key that looks misspelt for their owner is noted on standard error.
/// Errors: kInvalidArgument.
Result<Options> ParseKeyValues(const std::vector<std::string>& texts, OptionOwner owner);

/// Prints rows as `{"kind":"+I","row":{…}}`; `prefix` stands before "kind" ("\"snapshot\":3,").
Status PrintRows(BatchReader& rows, const std::vector<DataField>& fields, const std::string& prefix = "");

}  // namespace braid
