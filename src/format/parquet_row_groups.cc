#include <memory>
#include <optional>
#include <utility>

#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include "format/arrow_io.h"
#include "format/parquet_error.h"
#include "format/parquet_format.h"
#include "format/parquet_pruning.h"

namespace braid {
namespace {

/// The leaf that is the column; nullopt if the file lacks it, or if it has several.
std::optional<int> LeafOf(const parquet::SchemaDescriptor& schema, const DataField& column) {
  for (int leaf = 0; leaf < schema.num_columns(); ++leaf) {
    if (schema.GetColumnRoot(leaf)->name() != column.name) continue;
    return schema.GetColumnRoot(leaf)->is_primitive() ? std::optional(leaf) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

Result<std::vector<RowGroup>> ReadParquetRowGroups(const FileSystem& file_system, std::string_view path,
                                                   const DataField& column) {
  BRAID_TRY_ASSIGN(std::unique_ptr<InputFile> file, file_system.Open(path));
  return CatchParquet(ArrowTask::kReading, path, [&]() -> Result<std::vector<RowGroup>> {
    const std::shared_ptr<parquet::FileMetaData> footer = parquet::ReadMetaData(MakeArrowInput(std::move(file)));
    const std::optional<int> leaf = LeafOf(*footer->schema(), column);
    std::vector<RowGroup> groups;
    for (int i = 0; i < footer->num_row_groups(); ++i) {
      const std::unique_ptr<parquet::RowGroupMetaData> group = footer->RowGroup(i);
      groups.push_back({.row_count = group->num_rows(),
                        .size_bytes = group->total_compressed_size(),
                        .bounds = leaf ? RowGroupBoundsOf(*group, *leaf, column.type) : ColumnBounds()});
    }
    return groups;
  });
}

}  // namespace braid
