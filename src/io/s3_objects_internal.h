#pragma once

// Single objects of an S3-compatible store: what Arrow's file system cannot do, or needs several requests for.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/http_client_internal.h"
#include "io/s3_settings.h"

namespace braid {

/// "s3://bucket/key" taken apart.
struct S3Path {
  std::string bucket;
  std::string key;  ///< empty: the bucket itself

  /// Any scheme. Errors: kInvalidArgument without a bucket.
  static Result<S3Path> Parse(std::string_view path);
  /// As Arrow's file system writes it.
  std::string ForArrow() const { return key.empty() ? bucket : bucket + "/" + key; }
};

struct S3Object {
  std::string content;
  std::string etag;
  std::string write_id;         ///< of the WriteOnce that wrote it; empty if something else did
  std::int64_t size_bytes = 0;  ///< of the whole object, of which `content` may be a part
  std::int64_t modified_ms = 0;  ///< since 1970-01-01 UTC; 0 if the store does not tell
  /// By the store's own clock; nullopt if it does not tell.
  std::optional<std::int64_t> age_s;
};

enum class PutOutcome {
  kWritten,
  kPreconditionFailed,
  kNotSent,  ///< not written, since there was no connection
  kUnknown,
};

struct ConditionalPut {
  PutOutcome outcome = PutOutcome::kUnknown;
  std::string etag;     ///< if written, and if the store tells
  std::string failure;  ///< if unknown or not sent
};

/// Thread-safe. Errors of all: kNotFound, kPermissionDenied, kUnavailable (after some attempts), kIo; they name path and
/// endpoint and no secret.
class S3Objects {
 public:
  /// Tells the keys to sign with; called for each request.
  using Credentials = std::function<HttpSignature()>;
  /// A request that is repeated waits before, at first so long, each time twice as long.
  S3Objects(S3Settings settings, Credentials credentials,
            std::chrono::milliseconds first_pause = std::chrono::milliseconds(50))
      : settings_(std::move(settings)), credentials_(std::move(credentials)), first_pause_(first_pause) {}

  /// "https://host:port", for messages.
  std::string endpoint() const;

  Result<S3Object> Get(std::string_view path) const;
  /// The last `byte_count` bytes, or all.
  Result<S3Object> GetEnd(std::string_view path, std::int64_t byte_count) const;
  Result<std::string> GetRange(std::string_view path, std::int64_t offset, std::int64_t byte_count) const;
  /// Without the content.
  Result<S3Object> Head(std::string_view path) const;
  Status Put(std::string_view path, std::string_view content) const;
  Status Delete(std::string_view path) const;

  /// Writes if no object is there. Repeated while the store cannot be reached or fails inside, so a store that ignores
  /// conditions shows; whether it was this call that wrote does not. Errors: those of a request that was refused.
  Result<ConditionalPut> PutIfAbsent(std::string_view path, std::string_view content) const;
  /// As PutIfAbsent, in place of what has this ETag.
  Result<ConditionalPut> PutIfMatch(std::string_view path, std::string_view content, std::string_view etag) const;

  /// Writes if no object is there (`etag` is nullopt) or in place of what has this ETag, and finds out whether this
  /// call wrote: an object without an answer is looked at, carries the mark of this call or not, and is written again
  /// where the condition still holds. kUnknown and kNotSent remain if the store does not answer for some seconds.
  Result<ConditionalPut> WriteOnce(std::string_view path, std::string_view content,
                                   const std::optional<std::string>& etag) const;

 private:
  HttpResponse Send(const std::string& method, const S3Path& path, std::vector<std::string> headers,
                    std::string_view body) const;
  // Repeats what failed for a passing reason.
  HttpResponse SendPatiently(const std::string& method, const S3Path& path, const std::vector<std::string>& headers,
                             std::string_view body = {}) const;
  Error Failure(std::string_view action, std::string_view path, const HttpResponse& response) const;
  Result<ConditionalPut> PutOn(const std::string& condition, std::string_view path, std::string_view content,
                               std::string_view write_id) const;
  Result<ConditionalPut> PutPatientlyOn(const std::string& condition, std::string_view path,
                                        std::string_view content) const;

  S3Settings settings_;
  Credentials credentials_;
  std::chrono::milliseconds first_pause_;
  HttpClient client_;
};

}  // namespace braid
