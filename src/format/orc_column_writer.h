#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/array/data.h>
#include <arrow/util/bit_util.h>

#include "format/orc_bloom_filter.h"
#include "format/orc_numbers.h"
#include "format/orc_run_length.h"
#include "format/orc_statistics.h"
#include "format/orc_stream_writer.h"
#include "types/data_type.h"

namespace braid {

/// A finished stripe before it is in the file.
struct OrcStripe {
  struct Stream {
    OrcStreamKind kind;
    std::uint32_t column;
    OrcStreamBytes bytes;
  };
  std::vector<Stream> index;
  std::vector<Stream> data;
  std::vector<std::string> encodings;   ///< messages ColumnEncoding, by column id
  std::vector<std::string> statistics;  ///< messages ColumnStatistics, by column id
};

/// What the columns of one file have in common.
struct OrcColumnSettings {
  const OrcCompressor& compressor;
  bool row_index = true;
  /// Texts are kept in a dictionary while it has at most this share of their number of entries.
  double dictionary_threshold = 0.8;
  std::set<std::uint32_t> bloom_filter_columns{};  ///< ids of the columns whose row groups get one
  std::int64_t bloom_filter_values = 0;            ///< for how many values in a row group
  double bloom_filter_fpp = 0.01;                  ///< with which probability of a false positive
};

/// Writes one column and those below it. One thread at a time.
///
/// Every column counts the rows of its own: those whose parents are not NULL, and elements of lists.
class OrcColumnWriter {
 public:
  virtual ~OrcColumnWriter() = default;

  /// Appends rows from a column in the layout of a Batch. `start` counts from the start of its buffers, so that a
  /// slice's offset is part of it.
  virtual void Write(const arrow::ArrayData& data, std::int64_t start, std::int64_t count) = 0;
  /// Ends a row group, here and below.
  virtual void EndRowGroup();
  /// Appends what the stripe holds, here and below, and starts the next one. The row group has to be ended.
  virtual void FinishStripe(OrcStripe& stripe);
  /// Appends the statistics of all finished stripes, here and below. They live as long as the writer.
  virtual void AppendFileStatistics(std::vector<const OrcStatistics*>& statistics) const;
  /// About what the open stripe would take in the file, here and below.
  virtual std::int64_t encoded_bytes() const;
  /// Memory that the open stripe takes, here and below.
  virtual std::int64_t memory_bytes() const;

 protected:
  /// `bounds` is of the column's kind and of no value; kDirect is right where no integers are among the streams.
  OrcColumnWriter(std::uint32_t column, const OrcColumnSettings& settings, OrcStatistics::Bounds bounds,
                  OrcEncoding encoding);

  /// Appends the columns' own part of a position.
  virtual void AddPositions(OrcPositions& positions) const = 0;
  using FinishedStreams = std::vector<std::pair<OrcStreamKind, OrcStreamBytes>>;
  /// Ends the column's own streams; their kinds are in ascending order.
  virtual FinishedStreams FinishStreams() = 0;
  /// How many entries the dictionary has that FinishStreams wrote; nullopt if it wrote none.
  virtual std::optional<std::size_t> dictionary_size() const { return std::nullopt; }
  /// Streams whose sizes count, PRESENT aside.
  virtual std::vector<const OrcStreamWriter*> streams() const = 0;

  /// Notes which rows are NULL and returns how many are not.
  std::int64_t WritePresence(const arrow::ArrayData& data, std::int64_t start, std::int64_t count);
  /// Calls `body` with the place of each row that is not NULL, in order.
  template <typename Body>
  static void ForEachValue(const arrow::ArrayData& data, std::int64_t start, std::int64_t count, Body body) {
    const std::uint8_t* validity = Validity(data);
    for (std::int64_t i = start; i < start + count; ++i) {
      if (validity == nullptr || BitAt(validity, i)) body(i);
    }
  }
  /// Calls `body` with place and length of each stretch of rows that are not NULL, in order.
  template <typename Body>
  static void ForEachRange(const arrow::ArrayData& data, std::int64_t start, std::int64_t count, Body body) {
    const std::uint8_t* validity = Validity(data);
    if (validity == nullptr) return count > 0 ? body(start, count) : void();
    const std::int64_t end = start + count;
    while (start < end) {
      while (start < end && !BitAt(validity, start)) ++start;
      std::int64_t stop = start;
      while (stop < end && BitAt(validity, stop)) ++stop;
      if (stop > start) body(start, stop - start);
      start = stop;
    }
  }
  static bool BitAt(const std::uint8_t* bits, std::int64_t row) {
    return arrow::bit_util::GetBit(bits, static_cast<std::uint64_t>(row));
  }
  static const std::uint8_t* Validity(const arrow::ArrayData& data) {
    return data.buffers[0] == nullptr || data.null_count == 0 ? nullptr : data.buffers[0]->data();
  }

  /// The filter of the open row group; null if the column has none.
  OrcBloomFilter* bloom_filter() { return bloom_filter_ ? &*bloom_filter_ : nullptr; }
  /// The statistics of the open row group.
  template <typename Kind>
  Kind& bounds() {
    return row_group_.bounds<Kind>();
  }

  /// An entry of the row index: where a row group starts, and what is in it once it has ended.
  struct RowGroup {
    OrcPositions presence;
    OrcPositions values;
    std::string statistics;
    std::string bloom_filter;
  };
  std::vector<RowGroup>& row_groups() { return row_groups_; }
  const OrcColumnSettings& settings() const { return settings_; }

 private:
  void StartRowGroup();
  std::string Encoding() const;
  OrcStreamBytes EncodeRowIndex() const;
  OrcStreamBytes EncodeBloomFilters() const;
  OrcStreamBytes Compress(std::string_view bytes) const;

  std::uint32_t column_;
  OrcColumnSettings settings_;
  OrcEncoding encoding_;
  OrcBooleanWriter presence_;
  bool has_null_ = false;             // in the stripe
  std::vector<RowGroup> row_groups_;  // of the stripe; the last one is open
  std::optional<OrcBloomFilter> bloom_filter_;
  OrcStatistics row_group_;
  OrcStatistics stripe_;
  OrcStatistics file_;
};

/// Makes the writer of a column; `next_column` is its id, and after it those of the columns below it in ORC's order are
/// counted up. Precondition: the type is one that ORC files can hold.
std::unique_ptr<OrcColumnWriter> MakeOrcColumnWriter(const DataType& type, const OrcColumnSettings& settings,
                                                     std::uint32_t& next_column);

// What MakeOrcColumnWriter makes, by kind of type; each in the source of its kind.
std::unique_ptr<OrcColumnWriter> MakeOrcNumberWriter(const DataType& type, const OrcColumnSettings& settings,
                                                     std::uint32_t column);
std::unique_ptr<OrcColumnWriter> MakeOrcBinaryWriter(const OrcColumnSettings& settings, std::uint32_t column);
std::unique_ptr<OrcColumnWriter> MakeOrcTextWriter(const OrcColumnSettings& settings, std::uint32_t column);
std::unique_ptr<OrcColumnWriter> MakeOrcTimestampWriter(const DataType& type, const OrcColumnSettings& settings,
                                                        std::uint32_t column);
std::unique_ptr<OrcColumnWriter> MakeOrcNestedWriter(const DataType& type, const OrcColumnSettings& settings,
                                                     std::uint32_t& next_column);

}  // namespace braid
