#include "meta/success_file.h"

#include "base/json.h"
#include "meta/json_layout_internal.h"

namespace braid {

Result<SuccessFile> ParseSuccessFile(std::string_view text) {
  BRAID_TRY_ASSIGN(const Json json, ParseJson(text));
  SuccessFile file;
  BRAID_TRY_ASSIGN(file.creation_ms, json.GetInteger("creationTime"));
  BRAID_TRY_ASSIGN(file.modification_ms, json.GetInteger("modificationTime"));
  return file;
}

std::string PrintSuccessFile(const SuccessFile& file) {
  Json json;
  json.Add("creationTime", file.creation_ms);
  json.Add("modificationTime", file.modification_ms);
  return PrintLikeJava(json);
}

}  // namespace braid
