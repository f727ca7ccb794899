#pragma once

#include <string>

namespace braid {

/// A random UUID (version 4) in lower case with dashes, from the system's random source. Any thread.
std::string RandomUuid();

}  // namespace braid
