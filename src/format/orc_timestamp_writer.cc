#include <cstdint>

#include "format/orc_column_writer.h"
#include "format/orc_timestamp_encoding.h"

namespace braid {
namespace {

class TimestampColumn : public OrcColumnWriter {
 public:
  TimestampColumn(std::uint32_t column, const OrcColumnSettings& settings, int precision)
      : OrcColumnWriter(column, settings, OrcTimestampBounds(), OrcEncoding::kDirectV2),
        precision_(precision),
        seconds_(settings.compressor, true),
        nanos_(settings.compressor, false) {}

  void Write(const arrow::ArrayData& data, std::int64_t start, std::int64_t count) override {
    WritePresence(data, start, count);
    if (precision_ > 6) {
      const arrow::ArrayData& millis = *data.child_data[0];
      const arrow::ArrayData& nanos = *data.child_data[1];
      const auto* milli = millis.GetValues<std::int64_t>(1);
      const auto* nano = nanos.GetValues<std::int32_t>(1);
      ForEachValue(data, start, count, [&](std::int64_t i) { WriteValue({milli[i], nano[i]}); });
    } else if (precision_ > 3) {
      const auto* micros = data.GetValues<std::int64_t>(1, 0);
      ForEachValue(data, start, count, [&](std::int64_t i) { WriteValue(FromMicros(micros[i])); });
    } else {
      const auto* millis = data.GetValues<std::int64_t>(1, 0);
      ForEachValue(data, start, count, [&](std::int64_t i) { WriteValue({millis[i], 0}); });
    }
  }

 protected:
  void AddPositions(OrcPositions& positions) const override {
    seconds_.AddPositions(positions);
    nanos_.AddPositions(positions);
  }
  FinishedStreams FinishStreams() override {
    return {{OrcStreamKind::kData, seconds_.Finish()}, {OrcStreamKind::kSecondary, nanos_.Finish()}};
  }
  std::vector<const OrcStreamWriter*> streams() const override { return {&seconds_.stream(), &nanos_.stream()}; }

 private:
  static Timestamp FromMicros(std::int64_t micros) {
    std::int64_t millis = micros / 1000;
    std::int64_t rest = micros % 1000;
    if (rest < 0) {
      --millis;
      rest += 1000;
    }
    return {millis, static_cast<std::int32_t>(rest * 1000)};
  }

  void WriteValue(Timestamp value) {
    const OrcTimestamp encoded = EncodeOrcTimestamp(value);
    seconds_.Write(encoded.seconds);
    nanos_.Write(encoded.nanos);
    // The bounds have to hold for what is read.
    const bool may_move = value.millis < 0 && value.millis >= -1000;
    if (may_move) value = DecodeOrcTimestamp(encoded).value_or(value);
    bounds<OrcTimestampBounds>().Add(value);
    if (OrcBloomFilter* filter = bloom_filter()) filter->AddInteger(value.millis);
  }

  int precision_;
  OrcIntegerWriter seconds_;
  OrcIntegerWriter nanos_;
};

}  // namespace

std::unique_ptr<OrcColumnWriter> MakeOrcTimestampWriter(const DataType& type, const OrcColumnSettings& settings,
                                                        std::uint32_t column) {
  return std::make_unique<TimestampColumn>(column, settings, type.precision());
}

}  // namespace braid
