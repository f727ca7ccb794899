#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.h"

namespace braid {

enum class OptionOwner : std::uint8_t { kTable, kCatalog, kSession };

/// The option of a table, a catalog or a SQL session that a key was probably meant to be: nullopt if the key is a known
/// option of Paimon or Braid, or like none. Java accepts keys that it does not know, so nothing may be refused for it.
std::optional<std::string> MisspeltOption(std::string_view key, OptionOwner owner);

/// A sentence for the user about each misspelt key.
std::vector<std::string> MisspeltOptionNotices(const Options& options, OptionOwner owner);

}  // namespace braid
