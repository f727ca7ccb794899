#pragma once

#include <string>
#include <string_view>

#include "base/options.h"
#include "base/result.h"

namespace braid {

/// Where an S3-compatible store is and who asks. Without an access key the rest of AWS's usual chain
/// applies: ~/.aws, the machine's role.
struct S3Settings {
  std::string endpoint;  ///< "https://host:port" without a path; empty: Amazon's own for the region
  std::string region;
  bool path_style = false;  ///< the bucket in the path of a request instead of its host name
  std::string access_key;
  std::string secret_key;
  std::string session_token;
};

/// Reads `s3.endpoint`, `s3.region`, `s3.access-key`, `s3.secret-key`, `s3.session-token` and `s3.path.style.access`, each
/// also with the prefixes "s3a." and "fs.s3a."; for `oss` addresses `fs.oss.endpoint`, `fs.oss.accessKeyId`,
/// `fs.oss.accessKeySecret` and `fs.oss.securityToken`. What is not given comes from AWS_ENDPOINT_URL_S3 or
/// AWS_ENDPOINT_URL, AWS_REGION or AWS_DEFAULT_REGION, AWS_ACCESS_KEY_ID and those that go with it. Path style is the default with an endpoint of one's own.
/// Errors: kInvalidArgument for a key without its secret, or an endpoint that is none.
Result<S3Settings> ReadS3Settings(const Options& options, std::string_view scheme);

}  // namespace braid
