#pragma once

#include <string>
#include <string_view>

namespace braid {

/// A random UUID (version 4) in lower case with dashes, from the system's random source. Any thread.
std::string RandomUuid();

/// The UUID (version 5, RFC 9562) of a name within a name space, itself a UUID: the same for the same name, always.
/// Errors are not possible: a name space that is no UUID aborts.
std::string NameUuid(std::string_view name_space, std::string_view name);

}  // namespace braid
