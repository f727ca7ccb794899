#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/result.h"
#include "format/orc_column_writer.h"
#include "io/file_system.h"

namespace braid {

struct OrcFileSettings {
  std::int64_t stripe_bytes = std::int64_t{64} << 20;  ///< memory that a stripe may take before it is written
  std::int64_t row_index_stride = 10'000;              ///< rows of a row group; 0 for no row index
  double dictionary_threshold = 0.8;                   ///< see OrcColumnSettings
  std::vector<std::string> bloom_filter_columns{};     ///< names of fields
  double bloom_filter_fpp = 0.01;                      ///< see OrcColumnSettings
};

/// Lays out one ORC file (version 0.12): stripes, and behind them statistics of the stripes, footer and postscript.
/// Values of timestamps are in UTC. One thread at a time.
class OrcFileWriter {
 public:
  /// Precondition: ORC files can hold the fields.
  OrcFileWriter(OutputFile& file, OrcCompressor compressor, std::span<const DataField> fields,
                const OrcFileSettings& settings);

  /// Appends rows; the columns are the fields. A long row (kLongRowBytes) does not wait for others. Errors: of the
  /// storage.
  Status Write(const arrow::RecordBatch& rows);
  /// Ends the open stripe, if it has rows.
  Status EndStripe();
  /// Ends the file, which stays open.
  Status Finish();

  /// Statistics of the finished stripes by column id; they live as long as the writer.
  std::vector<const OrcStatistics*> FileStatistics() const;

  /// What is in memory of the open stripe, and about what it would take in the file.
  std::int64_t memory_bytes() const { return rows_in_stripe_ == 0 ? 0 : root_->memory_bytes(); }
  std::int64_t encoded_bytes() const { return rows_in_stripe_ == 0 ? 0 : root_->encoded_bytes(); }

 private:
  Status WriteHeader();
  /// As a stripe of its own, which is in memory, compressed, beside the row.
  Status WriteLongRow(const arrow::ArrayData& rows, std::int64_t row, std::int64_t row_bytes);
  Status WriteStripe(OrcStripe stripe);
  /// Compresses and appends; how many bytes that were.
  Result<std::int64_t> AppendCompressed(std::string_view bytes);

  OutputFile& file_;
  OrcCompressor compressor_;
  OrcFileSettings settings_;
  std::vector<std::string> types_;  // messages Type
  std::unique_ptr<OrcColumnWriter> root_;
  std::vector<std::string> stripes_;            // messages StripeInformation
  std::vector<std::string> stripe_statistics_;  // messages StripeStatistics
  std::int64_t row_count_ = 0;
  std::int64_t rows_in_stripe_ = 0;
  std::int64_t rows_in_group_ = 0;
};

}  // namespace braid
