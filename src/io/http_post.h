#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace braid {

/// Sends text by HTTP POST, as UTF-8, to an address of http: or https:, and returns the text of the answer. Follows no
/// redirection. Waits at most `timeout_s` seconds. Errors: kUnavailable if no answer comes; kIo for an answer whose status
/// is not 200, 202 or 204; kInvalidArgument for other addresses.
Result<std::string> PostText(const std::string& url, std::string_view text, std::int64_t timeout_s);

}  // namespace braid
