#include "table/external_paths.h"

#include <vector>

#include "base/option_lists.h"
#include "meta/stores.h"

namespace braid {

Result<std::set<std::string>> ExternalDataPaths(const FileSystem& fs, const TableLines& lines) {
  std::set<std::string> paths;
  for (const Line& line : lines.lines) {
    BRAID_TRY_ASSIGN(const std::vector<SchemaId> ids, ListSchemas(fs, line.paths));
    for (const SchemaId id : ids) {
      const Result<TableSchema> schema = ReadSchema(fs, line.paths, id);
      if (!schema) continue;
      for (std::string& path : ParseList(schema->options.Get("data-file.external-paths", ""))) {
        while (path.size() > 1 && path.ends_with('/')) path.pop_back();
        if (path.size() > 1) paths.insert(std::move(path));
      }
    }
  }
  return paths;
}

}  // namespace braid
