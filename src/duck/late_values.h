#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/result.h"

namespace braid {

/// Long texts and bytes that wait outside of DuckDB while statements hand them on, as those that sort or join a table
/// do: what DuckDB has of such a value is a reference, a text of its own length, and the value takes its place again
/// when the row leaves DuckDB (DuckConnection::Query). Equal values have one reference, so that statements may compare
/// them for equality; nothing else about them is true of the value. Values lie in files (ParkColumn) until this goes.
/// Thread-safe.
class LateValues {
 public:
  /// Values from this length on are late.
  explicit LateValues(std::int64_t min_bytes);

  /// A column of STRING or BYTES with references for its long values; the column itself if it has none. Errors:
  /// kUnavailable if there is no room in $TMPDIR.
  Result<std::shared_ptr<arrow::Array>> WithReferences(const std::shared_ptr<arrow::Array>& column);

  /// The value, a column of one row; null if the text is not one of the references.
  std::shared_ptr<arrow::Array> Find(std::string_view text) const;

 private:
  struct Place {
    std::shared_ptr<arrow::Array> column;
    std::int64_t row;
    std::string_view bytes() const;
  };
  std::string ReferenceTo(Place place);

  const std::int64_t min_bytes_;
  const std::string prefix_;  // of references; no value begins with it
  mutable std::mutex mutex_;  // guards what follows
  std::vector<Place> places_;
  std::unordered_multimap<std::size_t, std::size_t> by_hash_;  // of the bytes -> number among places_
};

/// The columns of a source that are late (DuckEngine::Register).
struct LateFields {
  std::vector<std::size_t> positions;  ///< among ScanSource::fields(), ascending
  std::shared_ptr<LateValues> values;  ///< null: there are none
};

}  // namespace braid
