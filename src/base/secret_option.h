#pragma once

#include <string_view>

namespace braid {

/// Whether an option of this name holds what must not be shown: a key, a token, a password.
bool IsSecretOption(std::string_view key);

}  // namespace braid
