#include "cli/reading.h"

#include <cstdio>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "catalog/global_tables.h"
#include "cli/text_output.h"
#include "types/row_json.h"

namespace braid {

void AddReadingArguments(CLI::App& command, ReadingArguments& arguments) {
  command.add_option("WAREHOUSE", arguments.warehouse, "folder of the warehouse")->required();
  command.add_option("TABLE", arguments.table, "DB.TABLE, DB.TABLE$branch_b, DB.TABLE$snapshots, … (quote the $)")->required();
  command.add_option("--option", arguments.options, "table option KEY=VALUE, e.g. scan.snapshot-id=3; repeatable")->allow_extra_args(false);
  command.add_option("--projection", arguments.projection, "columns to print, separated by commas");
  command.add_option("--filter", arguments.filter, "condition on rows, e.g. \"k > 3 AND s LIKE 'a%'\"");
}

Result<Options> ParseKeyValues(const std::vector<std::string>& texts, OptionOwner owner) {
  Options options;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is not of the form KEY=VALUE", text));
    }
    options.Set(text.substr(0, equals), text.substr(equals + 1));
  }
  for (const std::string& notice : MisspeltOptionNotices(options, owner)) fmt::print(stderr, "note: {}\n", notice);
  return options;
}

Result<OpenedWarehouse> OpenWarehouse(const std::string& warehouse, std::string_view database) {
  OpenedWarehouse opened;
  BRAID_TRY_ASSIGN(opened.catalog, MakeFileSystemCatalog("paimon", Options(Options::Map{{"warehouse", warehouse}})));
  if (database != kSystemDatabase && database != kLineageDatabase) return opened;
  BRAID_TRY_ASSIGN(opened.lineage, OpenSystemDatabase(opened.catalog));
  return opened;
}

Result<Reading> OpenReading(const ReadingArguments& arguments, const Options& more) {
  BRAID_TRY_ASSIGN(const Options options, ParseKeyValues(arguments.options, OptionOwner::kTable));
  BRAID_TRY_ASSIGN(const Identifier identifier, Identifier::Parse(arguments.table));
  BRAID_TRY_ASSIGN(OpenedWarehouse warehouse, OpenWarehouse(arguments.warehouse, identifier.database));
  BRAID_TRY_ASSIGN(Relation relation, warehouse.catalog->Open(identifier, more.With(options)));
  const std::vector<DataField> all = FieldsOf(relation);
  ReadRequest request;
  std::vector<DataField> fields = all;
  if (!arguments.projection.empty()) {
    request.projection.emplace();
    for (const std::string& name : Split(arguments.projection, ',')) {
      request.projection->emplace_back(FindField(all, name) ? std::string_view(name) : Trim(name));
    }
    fields.clear();
    std::vector<std::string> names;
    for (const DataField& field : all) names.push_back(field.name);
    for (const std::string& name : *request.projection) {
      const auto position = FindField(all, name);
      if (!position) {
        Error error(ErrorCode::kNotFound, fmt::format("{} has no column '{}'", arguments.table, name));
        if (const auto nearest = NearestName(name, names)) return std::move(error).Hint(fmt::format("did you mean '{}'?", *nearest));
        return std::move(error).Hint("its columns are " + Join(names, ", "));
      }
      fields.push_back(all[*position]);
    }
  }
  if (!arguments.filter.empty()) {
    BRAID_TRY_ASSIGN(request.filter, ParseFilter(arguments.filter, all));
  }
  return Reading{std::move(warehouse), std::move(relation), std::move(request), std::move(fields)};
}

Status PrintRows(BatchReader& rows, const std::vector<DataField>& fields, const std::string& prefix) {
  TextOutput out(stdout);
  for (;;) {
    BRAID_TRY_ASSIGN(const std::optional<Batch> batch, rows.Next());
    if (!batch) return Ok();
    for (std::int64_t row = 0; row < batch->row_count(); ++row) {
      out.text() += fmt::format("{{{}\"kind\":\"{}\",\"row\":", prefix, RowKindName(batch->kind(row)));
      AppendRowJson(*batch, row, fields, out.text());
      out.text() += "}\n";
      BRAID_TRY(out.WriteLong());
    }
    BRAID_TRY(out.Write());
  }
}

}  // namespace braid
