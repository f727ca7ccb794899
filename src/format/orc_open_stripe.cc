#include "format/orc_open_stripe.h"

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include <fmt/format.h>

namespace braid {
namespace {

constexpr std::array kReadKinds = {OrcStreamKind::kPresent, OrcStreamKind::kData, OrcStreamKind::kLength,
                                   OrcStreamKind::kDictionaryData, OrcStreamKind::kSecondary};

}  // namespace

Result<OrcOpenStripe> OrcOpenStripe::Open(const InputFile& file, const OrcTail& tail, const OrcTail::Stripe& stripe,
                                          std::span<const std::uint32_t> columns, bool is_far, std::string path) {
  BRAID_TRY_ASSIGN(OrcStripeFooter footer, ReadOrcStripeFooter(file, tail, stripe, path));
  for (const std::uint32_t column : columns) {
    if (column < footer.encodings.size()) continue;
    return Error(ErrorCode::kUnsupported, fmt::format("{} has encrypted columns, which cannot be read", path));
  }
  OrcOpenStripe open(std::move(footer), tail.decompressor, std::move(path));
  const std::set<std::uint64_t> wanted(columns.begin(), columns.end());
  // One of each kind, as Find finds them.
  std::vector<OrcExtent> extents;
  for (const OrcStripeFooter::Stream& stream : open.footer_.streams) {
    const bool is_read = std::ranges::any_of(
        kReadKinds, [&](OrcStreamKind kind) { return stream.kind == static_cast<std::uint64_t>(kind); });
    if (!is_read || !wanted.contains(stream.column) || stream.bytes == 0) continue;
    const auto column = static_cast<std::uint32_t>(stream.column);
    if (open.footer_.Find(column, static_cast<OrcStreamKind>(stream.kind)) != &stream) continue;
    extents.push_back({.offset = stream.offset, .byte_count = stream.bytes});
    open.wanted_bytes_ += stream.bytes;
  }
  open.bytes_ = std::make_shared<OrcStripeBytes>(file, std::move(extents), OrcStripeBytes::ReachOf(is_far));
  return open;
}

OrcStreamReader OrcOpenStripe::Stream(std::uint32_t column, OrcStreamKind kind) const {
  const OrcStripeFooter::Stream* stream = footer_.Find(column, kind);
  if (stream == nullptr) return {};
  return {bytes_, {.offset = stream->offset, .byte_count = stream->bytes}, decompressor_};
}

OrcEncoding OrcOpenStripe::encoding(std::uint32_t column) const {
  return static_cast<OrcEncoding>(footer_.encodings[column]);
}

bool OrcOpenStripe::HasVersionTwo(std::uint32_t column) const {
  return encoding(column) == OrcEncoding::kDirectV2 || encoding(column) == OrcEncoding::kDictionaryV2;
}

std::int64_t OrcOpenStripe::dictionary_size(std::uint32_t column) const {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(footer_.dictionary_sizes[column], INT32_MAX));
}

Result<std::shared_ptr<const TimeZone>> OrcOpenStripe::WriterZone() const {
  constexpr std::array<std::string_view, 5> kUtc = {"", "UTC", "GMT", "Etc/UTC", "Etc/GMT"};
  if (std::ranges::find(kUtc, footer_.writer_zone) != kUtc.end()) return std::shared_ptr<const TimeZone>();
  Result<std::shared_ptr<const TimeZone>> zone = TimeZone::Find(footer_.writer_zone);
  if (zone) return zone;
  return Error(ErrorCode::kCorruption,
               fmt::format("{} was written in the time zone '{}', which is unknown", path_, footer_.writer_zone))
      .Hint("install the system's time zone database (tzdata)");
}

}  // namespace braid
