#pragma once

#include <string_view>
#include <utility>

#include <arrow/status.h>
#include <parquet/exception.h>

#include "format/arrow_io.h"

namespace braid {

/// Runs calls of the Parquet library, which report failure by exceptions, and turns those into errors.
/// `body` returns a Status or a Result.
template <typename Body>
auto CatchParquet(ArrowTask task, std::string_view path, Body body) -> decltype(body()) {
  try {
    return body();
  } catch (const parquet::ParquetStatusException& exception) {
    return ArrowError(exception.status(), task, path);
  } catch (const std::bad_alloc&) {
    return ArrowError(arrow::Status::OutOfMemory("no memory for a page"), task, path);
  } catch (const std::exception& exception) {
    return ArrowError(arrow::Status::Invalid(exception.what()), task, path);
  }
}

}  // namespace braid
