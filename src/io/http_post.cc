#include "io/http_post.h"

#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "io/http_client_internal.h"

namespace braid {

Result<std::string> PostText(const std::string& url, std::string_view text, std::int64_t timeout_s) {
  const std::string scheme = ToLower(url.substr(0, url.find(':')));
  if (scheme != "http" && scheme != "https") {
    return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is no address of http: or https:", url));
  }
  const HttpRequest request{
      .method = "POST", .url = url, .headers = {"Content-Type: text/plain; charset=UTF-8"}, .body = text};
  HttpResponse response = HttpClient().Send(request, HttpSignature{}, timeout_s);
  if (response.status == 0) {
    return Error(ErrorCode::kUnavailable, fmt::format("{} gave no answer: {}", url, response.failure));
  }
  if (response.status != 200 && response.status != 202 && response.status != 204) {
    return Error(ErrorCode::kIo, fmt::format("{} answered with status {}", url, response.status));
  }
  return std::move(response.body);
}

}  // namespace braid
