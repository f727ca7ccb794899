#include <csignal>
#include <mutex>
#include <utility>

#include <curl/curl.h>
#include <fmt/format.h>

#include "base/sha2.h"
#include "base/text.h"
#include "io/http_client_internal.h"

namespace braid {

namespace {

constexpr long kConnectTimeoutS = 10;

struct HeaderList {
  ~HeaderList() { curl_slist_free_all(first); }
  void Add(const std::string& line) { first = curl_slist_append(first, line.c_str()); }

  curl_slist* first = nullptr;
};

std::size_t AppendBody(const char* bytes, std::size_t, std::size_t count, void* body) {
  static_cast<std::string*>(body)->append(bytes, count);
  return count;
}

std::size_t AddHeader(const char* bytes, std::size_t, std::size_t count, void* response) {
  const std::string_view line(bytes, count);
  auto& headers = static_cast<HttpResponse*>(response)->headers;
  if (line.starts_with("HTTP/")) headers.clear();  // an interim answer came before
  const std::size_t colon = line.find(':');
  if (colon != std::string_view::npos) {
    headers.insert_or_assign(ToLower(line.substr(0, colon)), std::string(Trim(line.substr(colon + 1))));
  }
  return count;
}

// Failures before a byte of the request was sent.
bool CannotHaveArrived(CURLcode code) {
  return code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_COULDNT_CONNECT ||
         code == CURLE_SSL_CONNECT_ERROR || code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE ||
         code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL;
}

}  // namespace

const std::string& HttpResponse::Header(const std::string& lower_case_name) const {
  static const std::string kNone;
  const auto found = headers.find(lower_case_name);
  return found == headers.end() ? kNone : found->second;
}

// Idle handles, each with the connections it has open.
struct HttpClient::Handles {
  ~Handles() {
    for (CURL* handle : idle) curl_easy_cleanup(handle);
  }
  CURL* Take() {
    const std::lock_guard lock(mutex);
    if (idle.empty()) return curl_easy_init();
    CURL* handle = idle.back();
    idle.pop_back();
    return handle;
  }
  void Return(CURL* handle) {
    curl_easy_reset(handle);  // keeps the connections
    const std::lock_guard lock(mutex);
    idle.push_back(handle);
  }

  std::mutex mutex;  // guards idle
  std::vector<CURL*> idle;
};

HttpClient::HttpClient() : handles_(std::make_unique<Handles>()) {
  static const bool initialized = [] {
    // A connection that the server has closed is an error of the write, which is then repeated.
    std::signal(SIGPIPE, SIG_IGN);
    return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  }();
  static_cast<void>(initialized);  // a failure shows at the first request
}

HttpClient::~HttpClient() = default;

HttpResponse HttpClient::Send(const HttpRequest& request, const HttpSignature& signature, std::int64_t timeout_s) const {
  // curl may send a request a second time by itself, if a connection that was open turns out to be dead.
  HttpResponse response;
  CURL* const curl = handles_->Take();
  if (curl == nullptr) {
    response.failure = "libcurl cannot be initialized";
    return response;
  }
  HeaderList headers;
  for (const std::string& header : request.headers) headers.Add(header);
  std::string amazon_signature;
  std::string user;
  if (!signature.access_key.empty()) {
    headers.Add("x-amz-content-sha256: " + Sha2Hex(request.body, 256));
    if (!signature.session_token.empty()) headers.Add("x-amz-security-token: " + signature.session_token);
    amazon_signature = fmt::format("aws:amz:{}:s3", signature.region);
    user = signature.access_key + ":" + signature.secret_key;
    curl_easy_setopt(curl, CURLOPT_AWS_SIGV4, amazon_signature.c_str());
    curl_easy_setopt(curl, CURLOPT_USERPWD, user.c_str());
  }
  curl_easy_setopt(curl, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, kConnectTimeoutS);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, static_cast<long>(timeout_s));
  curl_easy_setopt(curl, CURLOPT_EXPECT_100_TIMEOUT_MS, 1L);
  curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, AppendBody);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &response.body);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, AddHeader);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &response);
  if (request.method == "HEAD") {
    curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
  } else if (request.method == "PUT" || request.method == "POST") {
    if (request.method == "PUT") headers.Add("Content-Type: application/octet-stream");
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request.body.empty() ? "" : request.body.data());
  }
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.first);
  const CURLcode code = curl_easy_perform(curl);
  if (code == CURLE_OK) {
    long status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    response.status = static_cast<int>(status);
  } else {
    response.failure = curl_easy_strerror(code);
    response.may_have_arrived = !CannotHaveArrived(code);
  }
  handles_->Return(curl);
  return response;
}

std::string EncodeUrlPath(std::string_view path) {
  std::string encoded;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-_.~/").find(c) != std::string_view::npos;
    if (plain) {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

}  // namespace braid
