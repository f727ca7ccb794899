#include <utility>

#include <fmt/format.h>

#include "meta/metadata_file_internal.h"
#include "meta/schema_json.h"
#include "meta/stores.h"

namespace braid {

Result<TableSchema> ReadSchema(const FileSystem& fs, const TablePaths& paths, SchemaId id) {
  const std::string path = paths.SchemaFile(id);
  const Result<std::string> text = fs.ReadAll(path);
  if (!text && text.error().code() == ErrorCode::kNotFound) {
    return Error(ErrorCode::kNotFound, fmt::format("{} has no schema {}", paths.DisplayName(), id))
        .Context("while reading " + path);
  }
  if (!text) return text.error();
  BRAID_TRY_ASSIGN(TableSchema schema, ParseTableSchema(*text).Context("while reading " + path));
  if (schema.id != id) return Error(ErrorCode::kCorruption, fmt::format("{} holds schema {}", path, schema.id));
  return schema;
}

Result<std::vector<SchemaId>> ListSchemas(const FileSystem& fs, const TablePaths& paths) {
  BRAID_TRY_ASSIGN(const std::vector<std::int64_t> numbers, ListNumberedFiles(fs, paths.SchemaDirectory(), "schema-"));
  std::vector<SchemaId> ids;
  for (const std::int64_t number : numbers) ids.emplace_back(number);
  return ids;
}

Result<std::optional<TableSchema>> ReadLatestSchema(const FileSystem& fs, const TablePaths& paths) {
  BRAID_TRY_ASSIGN(const std::vector<SchemaId> ids, ListSchemas(fs, paths));
  if (ids.empty()) return std::optional<TableSchema>();
  BRAID_TRY_ASSIGN(TableSchema schema, ReadSchema(fs, paths, ids.back()));
  return std::optional(std::move(schema));
}

Status WriteSchema(FileSystem& fs, const TablePaths& paths, const TableSchema& schema) {
  const Status created = CreateExclusively(fs, paths.SchemaFile(schema.id), PrintTableSchema(schema));
  if (created || created.error().code() != ErrorCode::kAlreadyExists) return created;
  if (schema.id == SchemaId(0)) {
    return Error(ErrorCode::kAlreadyExists, fmt::format("table {} exists already", paths.DisplayName()));
  }
  return Error(ErrorCode::kConflict, fmt::format("cannot change {}: somebody else changed it first, to schema {}",
                                                 paths.DisplayName(), schema.id))
      .Hint("look at the new columns and options, then repeat the change if it still applies");
}

}  // namespace braid
