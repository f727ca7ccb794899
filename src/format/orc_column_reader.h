#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <arrow/array/data.h>
#include <arrow/buffer.h>
#include <arrow/util/bit_util.h>

#include "base/result.h"
#include "format/orc_column_plan.h"
#include "format/orc_open_stripe.h"
#include "format/orc_run_length_reader.h"

namespace braid {

/// Which of some rows have a value.
struct OrcPresence {
  std::int64_t row_count = 0;
  std::int64_t value_count = 0;           ///< of the rows that have one
  std::shared_ptr<arrow::Buffer> bits{};  ///< as Arrow has validity; null: all rows have one

  bool Has(std::int64_t row) const {
    return bits == nullptr || arrow::bit_util::GetBit(bits->data(), static_cast<std::uint64_t>(row));
  }
  std::int64_t null_count() const { return row_count - value_count; }
};

/// Reads one column of one stripe, and those below it, from its first row to the last. One thread at a time.
class OrcColumnReader {
 public:
  virtual ~OrcColumnReader() = default;

  /// The next rows in the layout of a Batch. `parents` are the rows of the column above, or the rows of the batch; the
  /// column has a row of its own only where they have a value, and NULL elsewhere. Memory grows with the values that
  /// are truly there, whatever counts the file claims.
  ///
  /// Errors: kCorruption, naming file and column; kUnavailable if memory is out; those of the storage.
  Result<std::shared_ptr<arrow::ArrayData>> Read(const OrcPresence& parents);

 protected:
  /// The plan must outlive the reader.
  OrcColumnReader(const OrcColumnPlan& plan, const OrcOpenStripe& stripe);

  /// The values of these rows, with zeros or nothing where there are none.
  virtual Result<std::shared_ptr<arrow::ArrayData>> ReadValues(const OrcPresence& rows) = 0;

  const DataType& type() const { return plan_.type; }
  /// Why the stream had too few values.
  Error Broken(const OrcStreamReader& stream) const;
  Error Damaged(std::string_view what) const;
  /// For a value that the column's type cannot hold.
  Error OutOfRange() const;
  /// Texts and lists have offsets of 32 bits.
  static constexpr std::int64_t kMaxTotal = std::numeric_limits<std::int32_t>::max();
  Error TooLong(std::int64_t row_count) const;

  /// Where the texts or lists of rows begin among their bytes or elements.
  struct Offsets {
    std::shared_ptr<arrow::Buffer> buffer;  ///< 32-bit, one more than rows
    std::int64_t total = 0;                 ///< the last one
  };
  Result<Offsets> ReadOffsets(OrcIntegerReader& lengths, const OrcPresence& rows) const;

 private:
  Result<OrcPresence> ReadPresence(const OrcPresence& parents);

  const OrcColumnPlan& plan_;
  std::string path_;
  std::optional<OrcBooleanReader> present_;  // nullopt: there is no NULL
};

/// Makes the reader of a column of a stripe. The plan must outlive it, and what the stripe reads from. Errors:
/// kCorruption.
Result<std::unique_ptr<OrcColumnReader>> MakeOrcColumnReader(const OrcColumnPlan& plan, const OrcOpenStripe& stripe);

// What MakeOrcColumnReader makes, by kind of type; each in the source of its kind.
std::unique_ptr<OrcColumnReader> MakeOrcNumberReader(const OrcColumnPlan& plan, const OrcOpenStripe& stripe);
std::unique_ptr<OrcColumnReader> MakeOrcDecimalReader(const OrcColumnPlan& plan, const OrcOpenStripe& stripe);
std::unique_ptr<OrcColumnReader> MakeOrcTextReader(const OrcColumnPlan& plan, const OrcOpenStripe& stripe);
Result<std::unique_ptr<OrcColumnReader>> MakeOrcTimestampReader(const OrcColumnPlan& plan, const OrcOpenStripe& stripe);
Result<std::unique_ptr<OrcColumnReader>> MakeOrcNestedReader(const OrcColumnPlan& plan, const OrcOpenStripe& stripe);

}  // namespace braid
