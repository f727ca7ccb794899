#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
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

/// A relation opened as the arguments say, with what to read of it.
struct Reading {
  std::shared_ptr<Catalog> catalog;
  Relation relation;
  ReadRequest request;
  std::vector<DataField> fields;  ///< of the rows to print
};
/// `more`: options beside those of the arguments, which win.
Result<Reading> OpenReading(const ReadingArguments& arguments, const Options& more = {});

/// Options given as "key=value" each. Errors: kInvalidArgument.
Result<Options> ParseKeyValues(const std::vector<std::string>& texts);

/// Prints rows as `{"kind":"+I","row":{…}}`; `prefix` stands before "kind" ("\"snapshot\":3,").
Status PrintRows(BatchReader& rows, const std::vector<DataField>& fields, const std::string& prefix = "");

}  // namespace braid
