#pragma once

#include <memory>

#include "base/clock.h"
#include "sql/connector.h"

namespace braid {

/// All connectors of this version: filesystem, datagen, print, blackhole. `clock` outlives them and their tables.
std::shared_ptr<const Connectors> StandardConnectors(const Clock& clock = SystemClock());

}  // namespace braid
