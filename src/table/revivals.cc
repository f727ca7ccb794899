#include "table/revivals.h"

#include <algorithm>
#include <utility>

#include "meta/fork_record.h"

namespace braid {

namespace {

constexpr const char* kKey = "linesWithRevivals";

Json* FindKey(Json::Object& object) {
  for (auto& [key, value] : object) {
    if (key == kKey) return &value;
  }
  return nullptr;
}

bool Names(const Json& list, const std::string& line_id) {
  return list.is_array() &&
         std::find(list.as_array().begin(), list.as_array().end(), Json(line_id)) != list.as_array().end();
}

}  // namespace

Status NoteRevivals(FileSystem& fs, const TablePaths& root, const std::string& line_id, std::int64_t now_ms) {
  BRAID_TRY_ASSIGN(TableRecord record, EnsureTableRecord(fs, root, now_ms));
  Json* list = FindKey(record.unknown);
  if (list == nullptr) {
    record.unknown.emplace_back(kKey, Json(Json::Array()));
    list = &record.unknown.back().second;
  }
  if (Names(*list, line_id)) return Ok();
  if (!list->is_array()) *list = Json(Json::Array());
  list->as_array().emplace_back(line_id);
  return WriteTableRecord(fs, root, record);
}

bool HasRevivals(const TableLines& lines, const std::string& line_id) {
  if (!lines.table) return false;
  for (const auto& [key, value] : lines.table->unknown) {
    if (key == kKey) return Names(value, line_id);
  }
  return false;
}

}  // namespace braid
