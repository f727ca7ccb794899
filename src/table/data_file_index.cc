#include "table/data_file_index.h"

#include <algorithm>
#include <utility>

#include "format/file_index.h"
#include "io/file_system.h"
#include "table/file_terms.h"

namespace braid {

namespace {

constexpr std::string_view kIndexSuffix = ".index";
constexpr const char* kHint = "'file-index.read.enabled'='false' reads without indexes";

Result<std::optional<RowSelection>> Select(std::string_view bytes, const Predicate& condition, const DataFileMeta& file) {
  BRAID_TRY_ASSIGN(const FileIndex index, FileIndex::Parse(bytes));
  return index.Select(condition, file.row_count);
}

Result<std::optional<RowSelection>> Explained(Result<std::optional<RowSelection>> selected, std::string_view where) {
  if (selected) return selected;
  Error error = std::move(selected).error().Context("while reading the file index " + std::string(where));
  return error.hint().empty() ? std::move(error).Hint(kHint) : error;
}

}  // namespace

Result<bool> ReadsFileIndexes(const Options& options) { return options.GetBool("file-index.read.enabled", true); }

Result<bool> EmbeddedIndexTest::MayMatch(const DataFileMeta& file) {
  if (filter_ == nullptr || !file.embedded_index) return true;
  BRAID_TRY_ASSIGN(const auto file_schema, schemas_.Get(file.schema_id));
  const PredicatePtr condition = InFileTerms(filter_, schema_, *file_schema, file);
  if (condition == nullptr) return true;
  BRAID_TRY_ASSIGN(const std::optional<RowSelection> rows,
                   Explained(Select(*file.embedded_index, *condition, file), "of " + file.file_name));
  return !rows || !rows->empty();
}

Result<std::optional<RowSelection>> SelectRowsByIndex(const Table& table, std::string_view path, const DataFileMeta& file,
                                                      const PredicatePtr& condition) {
  if (condition == nullptr) return std::optional<RowSelection>();
  BRAID_TRY_ASSIGN(const bool enabled, ReadsFileIndexes(table.options()));
  if (!enabled) return std::optional<RowSelection>();
  if (file.embedded_index) return Explained(Select(*file.embedded_index, *condition, file), "of " + file.file_name);
  const auto name = std::find_if(file.extra_files.begin(), file.extra_files.end(),
                                 [](const std::string& extra) { return extra.ends_with(kIndexSuffix); });
  if (name == file.extra_files.end()) return std::optional<RowSelection>();
  const std::string index_path = JoinPath(DirectoryName(path), *name);
  BRAID_TRY_ASSIGN(const std::string bytes, table.file_system().ReadAll(index_path));
  return Explained(Select(bytes, *condition, file), index_path);
}

}  // namespace braid
