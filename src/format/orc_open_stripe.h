#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "format/orc_stream_reader.h"
#include "format/orc_stripe_bytes.h"
#include "format/orc_tail.h"
#include "types/time_zone.h"

namespace braid {

/// A stripe that is being read: hands out the streams of the wanted columns. One thread at a time.
class OrcOpenStripe {
 public:
  /// `columns` are the wanted ones, of all levels. File and tail must outlive this and the streams. Errors: those of
  /// ReadOrcStripeFooter.
  static Result<OrcOpenStripe> Open(const InputFile& file, const OrcTail& tail, const OrcTail::Stripe& stripe,
                                    std::span<const std::uint32_t> columns, bool is_far, std::string path);

  const std::string& path() const { return path_; }
  /// What the streams of the wanted columns take in the file.
  std::int64_t wanted_bytes() const { return wanted_bytes_; }

  bool Has(std::uint32_t column, OrcStreamKind kind) const { return footer_.Find(column, kind) != nullptr; }
  /// A stream without bytes if there is none. To be called once for each.
  OrcStreamReader Stream(std::uint32_t column, OrcStreamKind kind) const;
  OrcEncoding encoding(std::uint32_t column) const;
  /// Whether the integers of the column are of version 2.
  bool HasVersionTwo(std::uint32_t column) const;
  std::int64_t dictionary_size(std::uint32_t column) const;

  /// The zone that timestamps without zone are in; null: UTC. Errors: kCorruption for an unknown zone.
  Result<std::shared_ptr<const TimeZone>> WriterZone() const;

 private:
  OrcOpenStripe(OrcStripeFooter footer, std::shared_ptr<OrcDecompressor> decompressor, std::string path)
      : footer_(std::move(footer)), decompressor_(std::move(decompressor)), path_(std::move(path)) {}

  OrcStripeFooter footer_;
  std::shared_ptr<OrcDecompressor> decompressor_;
  std::string path_;
  std::shared_ptr<OrcStripeBytes> bytes_;
  std::int64_t wanted_bytes_ = 0;
};

}  // namespace braid
