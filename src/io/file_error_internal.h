#pragma once

#include <string_view>

#include "base/result.h"

namespace braid {

/// The error of a failed system call: "cannot <action> <path>: <why>", with a remedy where one is known. `action` is a
/// verb ("read", "create"), `error_number` an errno value.
Error FileError(std::string_view action, std::string_view path, int error_number);

}  // namespace braid
