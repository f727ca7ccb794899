#include "format/orc_column_writer.h"

#include <utility>

#include "format/orc_proto.h"

namespace braid {

OrcColumnWriter::OrcColumnWriter(std::uint32_t column, const OrcColumnSettings& settings, OrcStatistics::Bounds bounds,
                                 OrcEncoding encoding)
    : column_(column),
      settings_(settings),
      encoding_(encoding),
      presence_(settings.compressor),
      row_group_(bounds),
      stripe_(bounds),
      file_(bounds) {
  if (settings.row_index && settings.bloom_filter_columns.contains(column))
    bloom_filter_.emplace(settings.bloom_filter_values, settings.bloom_filter_fpp);
}

std::int64_t OrcColumnWriter::WritePresence(const arrow::ArrayData& data, std::int64_t start, std::int64_t count) {
  if (row_groups_.empty()) StartRowGroup();
  const std::uint8_t* validity = Validity(data);
  if (validity == nullptr) {
    presence_.Write(true, count);
    row_group_.AddValues(count);
    return count;
  }
  std::int64_t present = 0;
  for (std::int64_t i = start; i < start + count; ++i) {
    const bool valid = BitAt(validity, i);
    presence_.Write(valid);
    present += valid ? 1 : 0;
  }
  row_group_.AddValues(present);
  if (present < count) {
    row_group_.AddNull();
    has_null_ = true;
  }
  return present;
}

void OrcColumnWriter::StartRowGroup() {
  RowGroup& group = row_groups_.emplace_back();
  presence_.AddPositions(group.presence);
  AddPositions(group.values);
}

void OrcColumnWriter::EndRowGroup() {
  if (row_groups_.empty()) StartRowGroup();
  row_groups_.back().statistics = row_group_.Encode();
  if (bloom_filter_) row_groups_.back().bloom_filter = bloom_filter_->Take();
  stripe_.Merge(row_group_);
  row_group_.Reset();
  StartRowGroup();
}

std::string OrcColumnWriter::Encoding() const {
  OrcMessageWriter message;
  const std::optional<std::size_t> entries = dictionary_size();
  message.AddNumber(1, static_cast<std::uint64_t>(entries ? OrcEncoding::kDictionaryV2 : encoding_));
  if (entries) message.AddNumber(2, *entries);
  if (bloom_filter_) message.AddNumber(3, 1);  // with timestamps in UTC
  return message.bytes();
}

OrcStreamBytes OrcColumnWriter::EncodeRowIndex() const {
  OrcMessageWriter index;
  for (std::size_t i = 0; i + 1 < row_groups_.size(); ++i) {
    const RowGroup& group = row_groups_[i];
    // A stream that is left out has no positions.
    OrcPositions positions = has_null_ ? group.presence : OrcPositions();
    positions.insert(positions.end(), group.values.begin(), group.values.end());
    OrcMessageWriter entry;
    entry.AddPacked(1, positions);
    entry.AddBytes(2, group.statistics);
    index.AddBytes(1, entry.bytes());
  }
  return Compress(index.bytes());
}

OrcStreamBytes OrcColumnWriter::EncodeBloomFilters() const {
  OrcMessageWriter index;
  for (std::size_t i = 0; i + 1 < row_groups_.size(); ++i) index.AddBytes(1, row_groups_[i].bloom_filter);
  return Compress(index.bytes());
}

OrcStreamBytes OrcColumnWriter::Compress(std::string_view bytes) const {
  OrcStreamWriter stream(settings_.compressor);
  stream.Append(bytes);
  return stream.Finish();
}

void OrcColumnWriter::FinishStripe(OrcStripe& stripe) {
  std::int64_t byte_count = 0;
  const auto add = [&](OrcStreamKind kind, OrcStreamBytes bytes) {
    byte_count += bytes.byte_count;
    stripe.data.push_back({kind, column_, std::move(bytes)});
  };
  OrcStreamBytes presence = presence_.Finish();
  if (has_null_) add(OrcStreamKind::kPresent, std::move(presence));
  for (auto& [kind, bytes] : FinishStreams()) add(kind, std::move(bytes));
  if (settings_.row_index) stripe.index.push_back({OrcStreamKind::kRowIndex, column_, EncodeRowIndex()});
  if (bloom_filter_) stripe.index.push_back({OrcStreamKind::kBloomFilter, column_, EncodeBloomFilters()});
  stripe.encodings.push_back(Encoding());
  stripe.statistics.push_back(stripe_.Encode(byte_count));
  file_.Merge(stripe_);
  stripe_.Reset();
  row_groups_.clear();
  has_null_ = false;
}

void OrcColumnWriter::AppendFileStatistics(std::vector<const OrcStatistics*>& statistics) const {
  statistics.push_back(&file_);
}

std::int64_t OrcColumnWriter::encoded_bytes() const {
  std::int64_t bytes = presence_.stream().encoded_bytes();
  for (const OrcStreamWriter* stream : streams()) bytes += stream->encoded_bytes();
  return bytes;
}

std::int64_t OrcColumnWriter::memory_bytes() const {
  std::int64_t bytes = presence_.stream().memory_bytes();
  for (const OrcStreamWriter* stream : streams()) bytes += stream->memory_bytes();
  return bytes;
}

std::unique_ptr<OrcColumnWriter> MakeOrcColumnWriter(const DataType& type, const OrcColumnSettings& settings,
                                                     std::uint32_t& next_column) {
  switch (type.kind()) {
    case TypeKind::kArray:
    case TypeKind::kMap:
    case TypeKind::kMultiset:
    case TypeKind::kRow: return MakeOrcNestedWriter(type, settings, next_column);
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: return MakeOrcTimestampWriter(type, settings, next_column++);
    case TypeKind::kChar:
    case TypeKind::kVarChar: return MakeOrcTextWriter(settings, next_column++);
    case TypeKind::kBinary:
    case TypeKind::kVarBinary:
    case TypeKind::kBlob: return MakeOrcBinaryWriter(settings, next_column++);
    default: return MakeOrcNumberWriter(type, settings, next_column++);
  }
}

}  // namespace braid
