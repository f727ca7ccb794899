#pragma once

#include <exception>
#include <string_view>

#include <arrow/status.h>

#include "format/arrow_io.h"

namespace braid {

/// Runs calls of Arrow's ORC adapter, some of which throw what the ORC library below it throws. `body` returns a Status
/// or a Result. A failure of the storage is reported as it was, though the library passes on its text alone.
template <typename Body>
auto CatchOrc(ArrowTask task, std::string_view path, StorageFailure& failure, Body body) -> decltype(body()) {
  try {
    auto result = body();
    if (!result && failure.first) return *failure.first;
    return result;
  } catch (const std::exception& exception) {
    if (failure.first) return *failure.first;
    return ArrowError(arrow::Status::Invalid(exception.what()), task, path);
  }
}

}  // namespace braid
