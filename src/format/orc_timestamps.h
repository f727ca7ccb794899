#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include <arrow/type_fwd.h>

#include "base/result.h"
#include "format/orc_integers.h"
#include "format/orc_tail.h"

namespace braid {

/// Reads one top-level timestamp column of one stripe, in the whole range of ORC.
///
/// Arrow's ORC adapter yields 64-bit nanoseconds and fails on instants outside 1677–2262. One thread at a time.
class OrcTimestampReader {
 public:
  /// Errors: kCorruption.
  static Result<std::unique_ptr<OrcTimestampReader>> Open(const InputFile& file, const OrcTail& tail,
                                                          const OrcStripeFooter& footer, std::uint32_t column,
                                                          std::string_view path);

  /// The next rows as struct<millis, nanos>. Errors: kCorruption if the column has fewer.
  Result<std::shared_ptr<arrow::Array>> Read(std::int64_t row_count, std::string_view path);

 private:
  OrcTimestampReader(std::optional<OrcBooleanReader> present, OrcIntegerReader seconds, OrcIntegerReader nanos)
      : present_(std::move(present)), seconds_(std::move(seconds)), nanos_(std::move(nanos)) {}

  std::optional<OrcBooleanReader> present_;  // nullopt: every row has a value
  OrcIntegerReader seconds_;
  OrcIntegerReader nanos_;
};

/// Whether timestamps without zone of the stripe mean UTC, so that OrcTimestampReader can read them.
bool WritesUtc(const OrcStripeFooter& footer);

}  // namespace braid
