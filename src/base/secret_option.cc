#include "base/secret_option.h"

#include <algorithm>
#include <string>

#include "base/text.h"

namespace braid {

namespace {

constexpr std::string_view kSecretWords[] = {"password",   "secret",    "token",       "access-key",
                                             "access.key", "accesskey", "account.key", "credential"};

}  // namespace

bool IsSecretOption(std::string_view key) {
  const std::string lower = ToLower(key);
  return std::ranges::any_of(kSecretWords, [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

}  // namespace braid
