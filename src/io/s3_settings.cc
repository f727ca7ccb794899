#include "io/s3_settings.h"

#include <cstdlib>
#include <initializer_list>

#include <fmt/format.h>

#include "base/text.h"

namespace braid {

namespace {

std::string FromEnvironment(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return "";
}

// The first spelling that is set, as Paimon's own file system for S3 takes them.
std::string Find(const Options& options, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    for (const std::string_view prefix : {"s3.", "s3a.", "fs.s3a."}) {
      if (std::string value = options.Get(std::string(prefix) + std::string(key), ""); !value.empty()) return value;
    }
  }
  return "";
}

S3Settings GivenForS3(const Options& options) {
  return {.endpoint = Find(options, {"endpoint"}),
          .region = Find(options, {"region", "endpoint.region"}),
          .access_key = Find(options, {"access-key", "access.key"}),
          .secret_key = Find(options, {"secret-key", "secret.key"}),
          .session_token = Find(options, {"session-token", "session.token"})};
}

S3Settings GivenForOss(const Options& options) {
  return {.endpoint = options.Get("fs.oss.endpoint", ""),
          .region = options.Get("fs.oss.region", ""),
          .access_key = options.Get("fs.oss.accessKeyId", ""),
          .secret_key = options.Get("fs.oss.accessKeySecret", ""),
          .session_token = options.Get("fs.oss.securityToken", "")};
}

}  // namespace

Result<S3Settings> ReadS3Settings(const Options& options, std::string_view scheme) {
  S3Settings settings = scheme == "oss" ? GivenForOss(options) : GivenForS3(options);
  if (settings.access_key.empty() != settings.secret_key.empty()) {
    return Error(ErrorCode::kInvalidArgument, "of access key and secret key one alone is given")
        .Hint("give both 's3.access-key' and 's3.secret-key', or none and AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY");
  }
  if (settings.access_key.empty()) {
    settings.access_key = FromEnvironment({"AWS_ACCESS_KEY_ID"});
    settings.secret_key = FromEnvironment({"AWS_SECRET_ACCESS_KEY"});
    settings.session_token = FromEnvironment({"AWS_SESSION_TOKEN"});
  }
  if (settings.access_key.empty() || settings.secret_key.empty()) settings.access_key = settings.secret_key = "";
  if (settings.endpoint.empty()) settings.endpoint = FromEnvironment({"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"});
  if (settings.endpoint.empty() && scheme == "oss") {
    return Error(ErrorCode::kInvalidArgument, "an oss:// warehouse needs the endpoint of its region")
        .Hint("'fs.oss.endpoint' = 'https://oss-cn-hangzhou.aliyuncs.com'");
  }
  while (settings.endpoint.ends_with('/')) settings.endpoint.pop_back();
  if (!settings.endpoint.empty() && settings.endpoint.find("://") == std::string::npos) {
    settings.endpoint = "https://" + settings.endpoint;
  }
  const bool has_host = settings.endpoint.empty() || settings.endpoint.find('/', settings.endpoint.find("://") + 3) == std::string::npos;
  const bool is_http = settings.endpoint.empty() || settings.endpoint.starts_with("http://") || settings.endpoint.starts_with("https://");
  if (!has_host || !is_http || settings.endpoint.find('@') != std::string::npos) {
    return Error(ErrorCode::kInvalidArgument, "the endpoint of the object store is no address of a server")
        .Hint("'s3.endpoint' = 'https://host:port', without a path");
  }
  if (settings.region.empty()) settings.region = FromEnvironment({"AWS_REGION", "AWS_DEFAULT_REGION"});
  if (settings.region.empty()) settings.region = "us-east-1";
  // Hosts of providers name the bucket; a server of one's own often has no such names.
  settings.path_style = !settings.endpoint.empty() && scheme != "oss";
  const std::string path_style = Find(options, {"path.style.access", "path-style-access"});
  if (!path_style.empty()) settings.path_style = EqualsIgnoreCase(path_style, "true");
  return settings;
}

}  // namespace braid
