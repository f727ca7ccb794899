#include "mergetree/stored_file_index.h"

#include <memory>

namespace braid {

Status StoreFileIndex(FileSystem& file_system, std::string_view path, const std::string& index,
                      std::int64_t max_embedded_bytes, DataFileMeta& file) {
  if (static_cast<std::int64_t>(index.size()) <= max_embedded_bytes) {
    file.embedded_index = index;
    return Ok();
  }
  const std::string index_path = std::string(path) + ".index";
  file.extra_files.emplace_back(BaseName(index_path));
  BRAID_TRY_ASSIGN(const std::unique_ptr<OutputFile> out, file_system.Create(index_path));
  BRAID_TRY(out->Append(index));
  return out->Close();
}

}  // namespace braid
