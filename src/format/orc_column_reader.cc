#include "format/orc_column_reader.h"

#include <arrow/util/bitmap_ops.h>
#include <fmt/format.h>

#include "format/orc_value_buffers.h"

namespace braid {
Result<std::shared_ptr<arrow::Buffer>> SpreadOrcBits(std::shared_ptr<arrow::Buffer> bits, const OrcPresence& rows) {
  if (rows.bits == nullptr) return bits;
  BRAID_TRY_ASSIGN(OrcValueBuffer spread, MakeOrcBuffer((rows.row_count + 7) / 8));
  std::uint64_t next = 0;
  for (std::int64_t row = 0; row < rows.row_count; ++row) {
    arrow::bit_util::SetBitTo(spread->mutable_data(), row,
                              rows.Has(row) && arrow::bit_util::GetBit(bits->data(), next++));
  }
  return std::shared_ptr<arrow::Buffer>(std::move(spread));
}

OrcColumnReader::OrcColumnReader(const OrcColumnPlan& plan, const OrcOpenStripe& stripe)
    : plan_(plan), path_(stripe.path()) {
  if (stripe.Has(plan.column, OrcStreamKind::kPresent))
    present_.emplace(stripe.Stream(plan.column, OrcStreamKind::kPresent));
}

Error OrcColumnReader::Broken(const OrcStreamReader& stream) const {
  return stream.Failure(path_, fmt::format("column {} breaks off", plan_.name));
}

Error OrcColumnReader::Damaged(std::string_view what) const {
  return {ErrorCode::kCorruption, fmt::format("{} is damaged: {} in column {}", path_, what, plan_.name)};
}

Error OrcColumnReader::OutOfRange() const {
  return Error(ErrorCode::kCorruption,
               fmt::format("column {} stores a value that {} cannot hold", plan_.name, plan_.type.ToString()))
      .Context(fmt::format("while reading {}", path_));
}

Error OrcColumnReader::TooLong(std::int64_t row_count) const {
  return {ErrorCode::kUnsupported,
          fmt::format("{} rows of column {} in {} are longer than 2 GiB together", row_count, plan_.name, path_)};
}

Result<std::shared_ptr<arrow::ArrayData>> OrcColumnReader::Read(const OrcPresence& parents) {
  BRAID_TRY_ASSIGN(const OrcPresence rows, ReadPresence(parents));
  return ReadValues(rows);
}

Result<OrcPresence> OrcColumnReader::ReadPresence(const OrcPresence& parents) {
  if (!present_) return parents;
  BRAID_TRY_ASSIGN(std::shared_ptr<arrow::Buffer> bits,
                   ReadOrcBits(*present_, parents.value_count, [this] { return Broken(present_->stream()); }));
  const std::int64_t value_count = arrow::internal::CountSetBits(bits->data(), 0, parents.value_count);
  if (value_count == parents.value_count) return parents;
  BRAID_TRY_ASSIGN(bits, SpreadOrcBits(std::move(bits), parents));
  return OrcPresence{.row_count = parents.row_count, .value_count = value_count, .bits = std::move(bits)};
}

Result<OrcColumnReader::Offsets> OrcColumnReader::ReadOffsets(OrcIntegerReader& lengths,
                                                              const OrcPresence& rows) const {
  BRAID_TRY_ASSIGN(const OrcValueBuffer dense,
                   ReadOrcValues<std::int64_t>(rows.value_count, [&](std::int64_t* to, std::int64_t count) -> Status {
                     if (lengths.Read({to, static_cast<std::size_t>(count)})) return Ok();
                     return Broken(lengths.stream());
                   }));
  BRAID_TRY_ASSIGN(const OrcValueBuffer offsets,
                   MakeOrcBuffer((rows.row_count + 1) * static_cast<std::int64_t>(sizeof(std::int32_t))));
  const auto* length = dense->data_as<std::int64_t>();
  auto* out = offsets->mutable_data_as<std::int32_t>();
  std::int64_t total = 0;
  for (std::int64_t row = 0; row < rows.row_count; ++row) {
    out[row] = static_cast<std::int32_t>(total);
    if (!rows.Has(row)) continue;
    if (*length < 0 || *length > kMaxTotal) return Damaged("an impossible length");
    total += *length++;
    if (total > kMaxTotal) return TooLong(rows.row_count);
  }
  out[rows.row_count] = static_cast<std::int32_t>(total);
  return Offsets{.buffer = offsets, .total = total};
}

Result<std::unique_ptr<OrcColumnReader>> MakeOrcColumnReader(const OrcColumnPlan& plan, const OrcOpenStripe& stripe) {
  switch (plan.type.kind()) {
    case TypeKind::kArray:
    case TypeKind::kMap:
    case TypeKind::kMultiset:
    case TypeKind::kRow: return MakeOrcNestedReader(plan, stripe);
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: return MakeOrcTimestampReader(plan, stripe);
    case TypeKind::kDecimal: return MakeOrcDecimalReader(plan, stripe);
    case TypeKind::kChar:
    case TypeKind::kVarChar:
    case TypeKind::kBinary:
    case TypeKind::kVarBinary:
    case TypeKind::kBlob: return MakeOrcTextReader(plan, stripe);
    default: return MakeOrcNumberReader(plan, stripe);
  }
}

}  // namespace braid
