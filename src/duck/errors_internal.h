#pragma once

// The one place where DuckDB's exceptions and our errors meet.

#include <string_view>

#include <duckdb/common/error_data.hpp>

#include "base/result.h"

namespace braid {

/// The error of a DuckDB failure. One that ThrowError raised inside a callback comes back as it was. `sql` is shown
/// where DuckDB refuses SQL that we emitted.
Error FromDuckError(const duckdb::ErrorData& error, std::string_view sql = {});

/// Raises an error inside a callback of DuckDB, as an exception that leaves the database usable (never an
/// InternalException).
[[noreturn]] void ThrowError(const Error& error);

/// Takes a value inside a callback of DuckDB or raises the error.
template <typename T>
T ValueOrThrow(Result<T> result) {
  if (!result) ThrowError(result.error());
  return std::move(result).value();
}

/// Calls `body`, which may throw as DuckDB does, and gives its result or the error.
template <typename Body>
auto CatchDuckErrors(std::string_view sql, Body&& body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::exception& exception) {
    return FromDuckError(duckdb::ErrorData(exception), sql);
  }
}

}  // namespace braid
