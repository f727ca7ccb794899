#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <curl/curl.h>
#include <fmt/format.h>

#include "base/text.h"
#include "base/uuid.h"
#include "io/s3_objects_internal.h"
#include "io/store_remedies_internal.h"

namespace braid {

namespace {

constexpr int kAttempts = 6;
constexpr std::int64_t kTimeoutS = 60;

// Sent with status 400.
constexpr std::string_view kKeyErrors[] = {"AuthorizationHeaderMalformed", "ExpiredToken", "InvalidToken", "TokenRefreshRequired"};

bool IsPassing(const HttpResponse& response) {
  return response.status == 0 || response.status == 429 || (response.status >= 500 && response.status != 501);
}

constexpr std::string_view kIfAbsent = "If-None-Match: *";

std::string IfMatch(std::string_view etag) {
  return fmt::format("If-Match: {}", etag);
}

// The text of an element of S3's error documents, which have no attributes and hold each element once.
std::string ElementOf(std::string_view document, std::string_view name) {
  const std::string start = fmt::format("<{}>", name);
  const std::size_t first = document.find(start);
  if (first == std::string_view::npos) return "";
  const std::size_t last = document.find("</", first);
  if (last == std::string_view::npos) return "";
  return std::string(document.substr(first + start.size(), last - first - start.size()));
}

// Seconds since 1970; nullopt if it is no date.
std::optional<std::int64_t> ParseHttpDate(const std::string& text) {
  const time_t time = text.empty() ? -1 : curl_getdate(text.c_str(), nullptr);
  if (time < 0) return std::nullopt;
  return static_cast<std::int64_t>(time);
}

std::int64_t WholeSize(const HttpResponse& response) {
  const std::string& range = response.Header("content-range");  // "bytes 5-9/10"
  if (const std::size_t slash = range.rfind('/'); slash != std::string::npos) {
    if (const auto size = ParseInt64(std::string_view(range).substr(slash + 1))) return *size;
  }
  return ParseInt64(response.Header("content-length")).value_or(std::ssize(response.body));
}

S3Object ObjectOf(HttpResponse response) {
  S3Object object;
  object.size_bytes = WholeSize(response);
  object.etag = response.Header("etag");
  object.write_id = response.Header("x-amz-meta-braid-write");
  const auto modified = ParseHttpDate(response.Header("last-modified"));
  const auto now = ParseHttpDate(response.Header("date"));
  if (modified) object.modified_ms = *modified * 1000;
  if (modified && now) object.age_s = *now - *modified;
  object.content = std::move(response.body);
  return object;
}

}  // namespace

Result<S3Path> S3Path::Parse(std::string_view path) {
  const std::size_t scheme = path.find("://");
  std::string_view rest = scheme == std::string_view::npos ? path : path.substr(scheme + 3);
  while (rest.starts_with('/')) rest.remove_prefix(1);
  while (rest.ends_with('/')) rest.remove_suffix(1);
  if (rest.empty()) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' names no bucket", path))
        .Hint("an address in an object store is scheme://bucket/path");
  }
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos) return S3Path{.bucket = std::string(rest), .key = ""};
  return S3Path{.bucket = std::string(rest.substr(0, slash)), .key = std::string(rest.substr(slash + 1))};
}

std::string S3Objects::endpoint() const {
  return settings_.endpoint.empty() ? fmt::format("https://s3.{}.amazonaws.com", settings_.region) : settings_.endpoint;
}

HttpResponse S3Objects::Send(const std::string& method, const S3Path& path, std::vector<std::string> headers,
                             std::string_view body) const {
  const std::string server = endpoint();
  std::string url;
  if (settings_.path_style) {
    url = fmt::format("{}/{}/{}", server, path.bucket, EncodeUrlPath(path.key));
  } else {
    const std::size_t host = server.find("://") + 3;
    url = fmt::format("{}{}.{}/{}", server.substr(0, host), path.bucket, server.substr(host), EncodeUrlPath(path.key));
  }
  return client_.Send({.method = method, .url = std::move(url), .headers = std::move(headers), .body = body},
                      credentials_(), kTimeoutS);
}

HttpResponse S3Objects::SendPatiently(const std::string& method, const S3Path& path,
                                      const std::vector<std::string>& headers, std::string_view body) const {
  std::chrono::milliseconds pause = first_pause_;
  for (int attempt = 1;; ++attempt) {
    HttpResponse response = Send(method, path, headers, body);
    if (!IsPassing(response) || attempt == kAttempts) return response;
    std::this_thread::sleep_for(pause);
    pause *= 2;
  }
}

Error S3Objects::Failure(std::string_view action, std::string_view path, const HttpResponse& response) const {
  if (response.status == 0) {
    return Error(ErrorCode::kUnavailable, fmt::format("cannot {} {}: no answer from {}: {}", action, path, endpoint(), response.failure))
        .Hint(std::string(kCheckNetwork));
  }
  const std::string code = ElementOf(response.body, "Code");
  const std::string said = code.empty() ? fmt::format("HTTP status {}", response.status) : code;
  const std::string where = fmt::format("cannot {} {}", action, path);
  if (code == "NoSuchBucket") {
    return Error(ErrorCode::kNotFound, fmt::format("{}: {} has no such bucket", where, endpoint()))
        .Hint(std::string(kMakeBucket));
  }
  const bool is_about_keys = std::ranges::find(kKeyErrors, code) != std::end(kKeyErrors);
  switch (is_about_keys ? 403 : response.status) {
    case 404:
      return Error(ErrorCode::kNotFound, where + ": it does not exist");
    case 400:
      return Error(ErrorCode::kInvalidArgument, fmt::format("{}: {} answers {}", where, endpoint(), said));
    case 401:
    case 403:
      return Error(ErrorCode::kPermissionDenied, fmt::format("{}: {} refuses access ({})", where, endpoint(), said))
          .Hint(std::string(kCheckKeys));
    case 301:
    case 307:
      return Error(ErrorCode::kInvalidArgument, fmt::format("{}: {} does not hold this bucket ({})", where, endpoint(), said))
          .Hint(std::string(kGiveRegion));
    case 501:
      return Error(ErrorCode::kUnsupported, fmt::format("{}: {} does not know conditional writes ({})", where, endpoint(), said))
          .Hint("reading works here; to write, use a store with conditional writes");
    default: {
      const std::string answer = fmt::format("{}: {} answers {}", where, endpoint(), said);
      if (!IsPassing(response)) return Error(ErrorCode::kIo, answer);
      return Error(ErrorCode::kUnavailable, answer).Hint(std::string(kRepeatLater));
    }
  }
}

Result<S3Object> S3Objects::Get(std::string_view path) const {
  BRAID_TRY_ASSIGN(const S3Path parsed, S3Path::Parse(path));
  HttpResponse response = SendPatiently("GET", parsed, {});
  if (response.status != 200) return Failure("read", path, response);
  return ObjectOf(std::move(response));
}

Result<S3Object> S3Objects::GetEnd(std::string_view path, std::int64_t byte_count) const {
  BRAID_TRY_ASSIGN(const S3Path parsed, S3Path::Parse(path));
  HttpResponse response = SendPatiently("GET", parsed, {fmt::format("Range: bytes=-{}", byte_count)});
  if (response.status == 416) return Get(path);  // an empty object has no last bytes
  if (response.status != 206 && response.status != 200) return Failure("read", path, response);
  return ObjectOf(std::move(response));
}

Result<std::string> S3Objects::GetRange(std::string_view path, std::int64_t offset, std::int64_t byte_count) const {
  BRAID_TRY_ASSIGN(const S3Path parsed, S3Path::Parse(path));
  HttpResponse response =
      SendPatiently("GET", parsed, {fmt::format("Range: bytes={}-{}", offset, offset + byte_count - 1)});
  if (response.status != 206) return Failure("read", path, response);
  if (std::ssize(response.body) != byte_count) {
    return Error(ErrorCode::kCorruption, fmt::format("{} gave {} bytes of {} from byte {} of {}", endpoint(), response.body.size(), byte_count, offset, path));
  }
  return std::move(response.body);
}

Result<S3Object> S3Objects::Head(std::string_view path) const {
  BRAID_TRY_ASSIGN(const S3Path parsed, S3Path::Parse(path));
  HttpResponse response = SendPatiently("HEAD", parsed, {});
  if (response.status != 200) return Failure("look at", path, response);
  return ObjectOf(std::move(response));
}

Status S3Objects::Put(std::string_view path, std::string_view content) const {
  BRAID_TRY_ASSIGN(S3Path parsed, S3Path::Parse(path));
  if (path.ends_with('/')) parsed.key += '/';  // the mark of a folder
  const HttpResponse response = SendPatiently("PUT", parsed, {}, content);
  if (response.status != 200) return Failure("write", path, response);
  return Ok();
}

Status S3Objects::Delete(std::string_view path) const {
  BRAID_TRY_ASSIGN(S3Path parsed, S3Path::Parse(path));
  if (path.ends_with('/')) parsed.key += '/';
  const HttpResponse response = SendPatiently("DELETE", parsed, {});
  if (response.status == 204 || response.status == 200) return Ok();
  const Error failure = Failure("delete", path, response);
  if (failure.code() == ErrorCode::kNotFound && ElementOf(response.body, "Code") != "NoSuchBucket") return Ok();
  return failure;
}

Result<ConditionalPut> S3Objects::PutOn(const std::string& condition, std::string_view path, std::string_view content,
                                        std::string_view write_id) const {
  BRAID_TRY_ASSIGN(const S3Path parsed, S3Path::Parse(path));
  std::vector<std::string> headers = {condition};
  if (!write_id.empty()) headers.push_back(fmt::format("x-amz-meta-braid-write: {}", write_id));
  const HttpResponse response = Send("PUT", parsed, std::move(headers), content);
  if (response.status == 200) return ConditionalPut{.outcome = PutOutcome::kWritten, .etag = response.Header("etag"), .failure = ""};
  if (response.status == 412) return ConditionalPut{.outcome = PutOutcome::kPreconditionFailed, .etag = "", .failure = ""};
  const Error failure = Failure("write", path, response);
  // 409: another conditional write of the same object is under way.
  if (response.status != 409 && !IsPassing(response)) return failure;
  const bool was_sent = response.status != 0 || response.may_have_arrived;
  return ConditionalPut{
      .outcome = was_sent ? PutOutcome::kUnknown : PutOutcome::kNotSent, .etag = "", .failure = failure.message()};
}

Result<ConditionalPut> S3Objects::PutPatientlyOn(const std::string& condition, std::string_view path,
                                                 std::string_view content) const {
  std::chrono::milliseconds pause = first_pause_;
  for (int attempt = 1;; ++attempt) {
    BRAID_TRY_ASSIGN(ConditionalPut put, PutOn(condition, path, content, ""));
    const bool is_answered = put.outcome == PutOutcome::kWritten || put.outcome == PutOutcome::kPreconditionFailed;
    if (is_answered || attempt == kAttempts) return put;
    std::this_thread::sleep_for(pause);
    pause *= 2;
  }
}

Result<ConditionalPut> S3Objects::PutIfAbsent(std::string_view path, std::string_view content) const {
  return PutPatientlyOn(std::string(kIfAbsent), path, content);
}

Result<ConditionalPut> S3Objects::PutIfMatch(std::string_view path, std::string_view content,
                                             std::string_view etag) const {
  return PutPatientlyOn(IfMatch(etag), path, content);
}

Result<ConditionalPut> S3Objects::WriteOnce(std::string_view path, std::string_view content,
                                            const std::optional<std::string>& etag) const {
  const std::string condition = etag ? IfMatch(*etag) : std::string(kIfAbsent);
  const std::string write_id = RandomUuid();
  std::chrono::milliseconds pause = first_pause_;
  ConditionalPut last{.outcome = PutOutcome::kNotSent, .etag = "", .failure = ""};
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    BRAID_TRY_ASSIGN(ConditionalPut put, PutOn(condition, path, content, write_id));
    if (put.outcome == PutOutcome::kWritten) return put;
    if (put.outcome != PutOutcome::kPreconditionFailed) {
      if (last.outcome == PutOutcome::kUnknown) put.outcome = PutOutcome::kUnknown;
      last = std::move(put);
      if (attempt < kAttempts) std::this_thread::sleep_for(pause);
      pause *= 2;
      if (last.outcome == PutOutcome::kNotSent) continue;
    }
    // Ours may be what is there: of an attempt without an answer, or one that the connection sent twice.
    Result<S3Object> present = Head(path);
    const bool is_absent = !present && present.error().code() == ErrorCode::kNotFound;
    if (!present && !is_absent) {
      last = {.outcome = PutOutcome::kUnknown, .etag = "", .failure = present.error().message()};
      continue;
    }
    if (present && present->write_id == write_id) {
      return ConditionalPut{.outcome = PutOutcome::kWritten, .etag = std::move(present->etag), .failure = ""};
    }
    const bool still_holds = etag ? present && present->etag == *etag : is_absent;
    if (!still_holds) return ConditionalPut{.outcome = PutOutcome::kPreconditionFailed, .etag = "", .failure = ""};
    // Asking again can only write what this call wants.
  }
  return last;
}

}  // namespace braid
