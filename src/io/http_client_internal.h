#pragma once

// HTTP requests signed as Amazon's stores want them, over libcurl.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace braid {

struct HttpRequest {
  std::string method;
  std::string url;
  std::vector<std::string> headers;  ///< "Name: value"
  std::string_view body;
};

struct HttpResponse {
  int status = 0;                              ///< 0: no answer came
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;
  std::string failure;              ///< why no answer came
  bool may_have_arrived = false;    ///< without an answer: whether the server may have carried the request out

  /// Empty if there is no such header.
  const std::string& Header(const std::string& lower_case_name) const;
};

struct HttpSignature {
  std::string region;
  std::string access_key;
  std::string secret_key;
  std::string session_token;  ///< empty: none
};

/// Sends requests over connections that it keeps open. Thread-safe.
class HttpClient {
 public:
  HttpClient();
  ~HttpClient();

  /// Signs unless the access key is empty. Waits at most `timeout_s` seconds for the whole answer. Follows no redirection.
  HttpResponse Send(const HttpRequest& request, const HttpSignature& signature, std::int64_t timeout_s) const;

 private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
};

/// Every byte but letters, digits and "-_.~/" as %XX.
std::string EncodeUrlPath(std::string_view path);

}  // namespace braid
