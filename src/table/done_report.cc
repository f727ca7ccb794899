#include "table/done_report.h"

#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "io/http_post.h"

namespace braid {

namespace {

constexpr const char* kUrl = "partition.mark-done-action.http.url";
constexpr const char* kParams = "partition.mark-done-action.http.params";
constexpr std::int64_t kTimeoutS = 180;  // Java's

}  // namespace

Status CheckDoneReport(const Table& table) {
  if (!Trim(table.options().Get(kUrl, "")).empty()) return Ok();
  return Error(ErrorCode::kInvalidArgument, fmt::format("'partition.mark-done-action' of {} has 'http-report', but '{}' is not set", table.name(), kUrl));
}

Status ReportPartitionDone(const Table& table, const std::string& partition) {
  const std::string url = table.options().Get(kUrl, "");
  const std::optional<std::string> params = table.options().Find(kParams);
  const Json report(Json::Object{{"params", params ? Json(*params) : Json()},
                                 {"table", Json(table.name())},
                                 {"path", Json(table.paths().root())},
                                 // Java's paths of partitions end so.
                                 {"partition", Json(partition + "/")}});
  const auto refused = [&](std::string_view answer) {
    return Error(ErrorCode::kIo, fmt::format("{} did not accept that partition {} of {} is done: it answered '{}'", url, partition, table.name(), answer))
        .Hint("its answer must be a JSON object whose 'result' is 'SUCCESS'");
  };
  BRAID_TRY_ASSIGN(const std::string answer, PostText(url, PrintJson(report), kTimeoutS));
  const Result<Json> parsed = ParseJson(answer);
  if (!parsed) return refused(answer);
  const Json* result = parsed->Find("result");
  if (result == nullptr || !result->is_string() || !EqualsIgnoreCase(result->as_string(), "SUCCESS")) return refused(answer);
  return Ok();
}

}  // namespace braid
