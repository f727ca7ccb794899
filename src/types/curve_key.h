#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/result.h"
#include "types/data_type.h"

namespace braid {

enum class SpaceCurve : std::uint8_t { kZOrder, kHilbert };

/// The places of rows on a curve through some of their columns, to sort the rows by (spec data.md §8.4). Immutable; any
/// thread.
///
/// A column's coordinate has 8 bytes that compare as its values do: numbers with their sign flipped, TIMESTAMPs in
/// milliseconds, the highest 64 bits of wide DECIMALs; of texts and byte strings the first bytes, filled up with zeros.
/// NULL is zero. Java Paimon's coordinates of DECIMALs, and those of its Hilbert curve for negative numbers and short
/// texts, do not keep the order; these do. No reader depends on either.
class CurveKey {
 public:
  /// `text_bytes`: how many bytes of a text or byte string count, from 1 on; 8 always do on the Hilbert curve. Errors:
  /// kUnsupported for a type without order; kInvalidArgument for a single column and the Hilbert curve.
  static Result<CurveKey> Make(std::span<const DataField> fields, SpaceCurve curve, int text_bytes);

  /// A BINARY column of places, all of one length, that compare as unsigned bytes.
  Result<std::shared_ptr<arrow::Array>> Encode(std::span<const std::shared_ptr<arrow::Array>> columns,
                                               std::int64_t row_count) const;

 private:
  CurveKey() = default;
  std::size_t WidthOf(const DataField& field) const;

  std::vector<DataField> fields_;
  SpaceCurve curve_ = SpaceCurve::kZOrder;
  std::size_t text_bytes_ = 8;
};

}  // namespace braid
