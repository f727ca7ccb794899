// 'connector' = 'datagen': made-up rows, with Flink's options. A value depends on the seed, the column and the number
// of its row alone, so that rows read again are the same; the times of DATE, TIME and TIMESTAMP columns are those of
// reading.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "connectors/connector_internal.h"
#include "types/batch_bytes.h"
#include "types/date_time.h"
#include "types/number_text.h"

namespace braid {

namespace {

constexpr std::int64_t kRowsPerBatch = 4096;
constexpr std::int64_t kRowsPerStep = 1'000'000;
constexpr std::int64_t kDefaultLength = 100;

// What one column holds.
struct Generator {
  DataType type = DataType::Int();
  std::int64_t salt = 0;
  bool sequence = false;
  std::int64_t start = 0;
  double null_rate = 0;
  double min = 0;
  double max = 0;
  std::int64_t integer_min = 0;
  std::int64_t integer_max = 0;
  std::int64_t length = kDefaultLength;
  std::int64_t max_past_ms = 0;
};

struct DatagenSettings {
  std::string name;
  std::vector<DataField> fields;
  std::vector<Generator> generators;
  std::int64_t rows_per_second = 10000;
  std::optional<std::int64_t> row_count;  // none: it never ends
  const Clock* clock = nullptr;
};

// splitmix64: every step of the counter gives an independent number.
std::uint64_t Mix(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

double Fraction(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

// Between both bounds inclusive.
std::int64_t IntegerIn(std::uint64_t bits, std::int64_t min, std::int64_t max) {
  const auto span = static_cast<std::uint64_t>(max) - static_cast<std::uint64_t>(min);
  const std::uint64_t offset = span == std::numeric_limits<std::uint64_t>::max() ? bits : bits % (span + 1);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(min) + offset);
}

std::string HexText(std::uint64_t bits, std::int64_t length) {
  std::string text;
  while (static_cast<std::int64_t>(text.size()) < length) {
    text += fmt::format("{:016x}", bits);
    bits = Mix(bits);
  }
  text.resize(static_cast<std::size_t>(length));
  return text;
}

Result<Datum> SequenceValue(const Generator& generator, std::int64_t row) {
  const std::int64_t value = generator.start + row;
  switch (generator.type.kind()) {
    case TypeKind::kTinyInt:
    case TypeKind::kSmallInt:
    case TypeKind::kInt:
    case TypeKind::kBigInt: return Datum(value);
    case TypeKind::kFloat: return Datum(static_cast<float>(value));
    case TypeKind::kDouble: return Datum(static_cast<double>(value));
    case TypeKind::kDecimal: return Datum(Decimal{.unscaled = value * PowerOfTen(generator.type.scale())});
    default: return Datum(std::to_string(value));
  }
}

Datum RandomValue(const Generator& generator, std::uint64_t bits, std::int64_t now_ms) {
  const double fraction = Fraction(bits);
  switch (generator.type.kind()) {
    case TypeKind::kBoolean: return Datum((bits & 1) != 0);
    case TypeKind::kTinyInt:
    case TypeKind::kSmallInt:
    case TypeKind::kInt:
    case TypeKind::kBigInt: return Datum(IntegerIn(bits, generator.integer_min, generator.integer_max));
    case TypeKind::kFloat: return Datum(static_cast<float>(generator.min + (generator.max - generator.min) * fraction));
    case TypeKind::kDouble: return Datum(generator.min + (generator.max - generator.min) * fraction);
    case TypeKind::kDecimal: {
      const double value = generator.min + (generator.max - generator.min) * fraction;
      return Datum(Decimal{.unscaled = static_cast<Int128>(value * std::pow(10.0, generator.type.scale()))});
    }
    case TypeKind::kDate: return Datum(FloorDivide(now_ms, kMillisPerDay));
    case TypeKind::kTime: return Datum(FloorModulo(now_ms, kMillisPerDay));
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz:
      return Datum(Timestamp{.millis = now_ms - IntegerIn(bits, 0, generator.max_past_ms), .nanos_of_milli = 0});
    default: return Datum(HexText(bits, generator.length));
  }
}

// So many that long texts take no more than a batch should.
std::int64_t RowsPerBatch(const std::vector<Generator>& generators) {
  std::int64_t row_bytes = 1;
  for (const Generator& generator : generators) {
    const bool is_text = generator.type.is_text() || generator.type.is_bytes();
    if (is_text && !generator.sequence) row_bytes = std::min(row_bytes + generator.length, kMaxBatchBytes);
  }
  return std::clamp<std::int64_t>(kMaxBatchBytes / row_bytes, 1, kRowsPerBatch);
}

// Rows first … last − 1.
class DatagenReader : public BatchReader {
 public:
  DatagenReader(std::shared_ptr<const DatagenSettings> settings, std::int64_t first, std::int64_t last)
      : settings_(std::move(settings)), next_(first), last_(last) {}

  Result<std::optional<Batch>> Next() override {
    if (next_ >= last_) return std::optional<Batch>();
    const std::int64_t now_ms = settings_->clock->NowMs();
    std::vector<DatumList> rows;
    for (const std::int64_t end = std::min(last_, next_ + RowsPerBatch(settings_->generators)); next_ < end; ++next_) {
      DatumList row;
      for (const Generator& generator : settings_->generators) {
        const std::uint64_t bits =
            Mix(Mix(static_cast<std::uint64_t>(next_)) ^ static_cast<std::uint64_t>(generator.salt));
        if (generator.sequence) {
          BRAID_TRY_ASSIGN(Datum value, SequenceValue(generator, next_));
          row.push_back(std::move(value));
        } else if (generator.null_rate > 0 && Fraction(Mix(bits)) < generator.null_rate) {
          row.emplace_back();
        } else {
          row.push_back(RandomValue(generator, bits, now_ms));
        }
      }
      rows.push_back(std::move(row));
    }
    BRAID_TRY_ASSIGN(Batch batch, MakeBatch(settings_->fields, rows));
    return std::optional(std::move(batch));
  }

 private:
  std::shared_ptr<const DatagenSettings> settings_;
  std::int64_t next_;
  std::int64_t last_;
};

// The position is the number of the next row.
class DatagenStream : public ConnectorStream {
 public:
  explicit DatagenStream(std::shared_ptr<const DatagenSettings> settings)
      : settings_(std::move(settings)), opened_ms_(settings_->clock->NowMs()) {}

  Result<std::optional<StreamStep>> Next(const Json& position) override {
    const std::int64_t first = position.is_integer() ? position.as_integer() : 0;
    if (!base_) base_ = first;
    // The first second's rows are there at once.
    const double seconds = 1.0 + static_cast<double>(settings_->clock->NowMs() - opened_ms_) / 1000.0;
    std::int64_t last = *base_ + static_cast<std::int64_t>(seconds * static_cast<double>(settings_->rows_per_second));
    last = std::min({last, first + kRowsPerStep, settings_->row_count.value_or(last)});
    if (last <= first) return std::optional<StreamStep>();
    return std::optional(
        StreamStep{.to = Json(last), .lineage = {}, .rows = std::make_unique<DatagenReader>(settings_, first, last)});
  }

  bool IsEnd(const Json& position) const override {
    return settings_->row_count && position.is_integer() && position.as_integer() >= *settings_->row_count;
  }
  std::int64_t poll_interval_ms() const override { return 100; }

 private:
  std::shared_ptr<const DatagenSettings> settings_;
  std::int64_t opened_ms_;
  std::optional<std::int64_t> base_;  // where this stream began
};

class DatagenTable : public ConnectorTable {
 public:
  explicit DatagenTable(DatagenSettings settings) : settings_(std::make_shared<DatagenSettings>(std::move(settings))) {}

  std::string_view connector() const override { return "datagen"; }
  const std::vector<DataField>& fields() const override { return settings_->fields; }
  Result<std::unique_ptr<BatchReader>> Open(const ReadRequest& /*request*/) const override {
    if (!settings_->row_count) {
      return Error(ErrorCode::kInvalidArgument,
                   fmt::format("{} never ends, so it cannot be read in batch mode", settings_->name))
          .Hint("'number-of-rows' = '1000' ends it; or SET 'execution.runtime-mode' = 'streaming' and INSERT from it");
    }
    return std::unique_ptr<BatchReader>(new DatagenReader(settings_, 0, *settings_->row_count));
  }
  Result<std::unique_ptr<ConnectorStream>> OpenStream() const override {
    return std::unique_ptr<ConnectorStream>(new DatagenStream(settings_));
  }
  Result<std::unique_ptr<ConnectorSink>> OpenSink(std::string_view /*writer*/) const override {
    return NotWritable(connector());
  }

 private:
  std::shared_ptr<const DatagenSettings> settings_;
};

// The widest range of a number type.
void SetNumberRange(Generator& generator) {
  switch (generator.type.kind()) {
    case TypeKind::kTinyInt:
      generator.integer_min = -128;
      generator.integer_max = 127;
      break;
    case TypeKind::kSmallInt:
      generator.integer_min = -32768;
      generator.integer_max = 32767;
      break;
    case TypeKind::kInt:
      generator.integer_min = std::numeric_limits<std::int32_t>::min();
      generator.integer_max = std::numeric_limits<std::int32_t>::max();
      break;
    case TypeKind::kBigInt:
      generator.integer_min = std::numeric_limits<std::int64_t>::min();
      generator.integer_max = std::numeric_limits<std::int64_t>::max();
      break;
    case TypeKind::kFloat:
      generator.min = std::numeric_limits<float>::denorm_min();
      generator.max = std::numeric_limits<float>::max();
      break;
    case TypeKind::kDouble:
      generator.min = std::numeric_limits<double>::denorm_min();
      generator.max = std::numeric_limits<double>::max();
      break;
    case TypeKind::kDecimal: {
      // Doubles hold 15 digits exactly; more would say digits that nobody chose.
      const int digits = std::min(generator.type.precision() - generator.type.scale(), 15);
      generator.max = std::pow(10.0, digits) - 1;
      break;
    }
    default: break;
  }
}

// Options of one column are read by name, and what its type does not have is refused.
class ColumnOptions {
 public:
  ColumnOptions(const ConnectorTableDefinition& definition, const DataField& field)
      : options_(definition.options), field_(field), prefix_("fields." + field.name + ".") {}

  Result<Generator> Read(std::int64_t salt) const {
    Generator generator{.type = field_.type.Nullable(), .salt = salt};
    const std::string kind = ToLower(options_.Get(prefix_ + "kind", "random"));
    if (kind != "random" && kind != "sequence") {
      return Error(ErrorCode::kInvalidArgument, fmt::format("'{}kind' is '{}'", prefix_, kind))
          .Hint("it is random or sequence");
    }
    if (field_.type.is_nested() || field_.type.kind() == TypeKind::kVariant) {
      return Error(ErrorCode::kUnsupported, fmt::format("datagen makes no values of column '{}' of type {}",
                                                        field_.name, field_.type.ToString()))
          .Hint("it makes numbers, texts, bytes, booleans, dates and times");
    }
    generator.sequence = kind == "sequence";
    if (generator.sequence) {
      BRAID_TRY_ASSIGN(generator.start, Bound("start"));
      if (field_.type.is_timestamp() || field_.type.kind() == TypeKind::kDate ||
          field_.type.kind() == TypeKind::kTime || field_.type.kind() == TypeKind::kBoolean || field_.type.is_bytes()) {
        return Error(ErrorCode::kUnsupported,
                     fmt::format("column '{}' of type {} cannot be a sequence", field_.name, field_.type.ToString()))
            .Hint("numbers and texts can");
      }
      return generator;
    }
    SetNumberRange(generator);
    BRAID_TRY_ASSIGN(generator.integer_min, options_.GetInt(prefix_ + "min", generator.integer_min));
    BRAID_TRY_ASSIGN(generator.integer_max, options_.GetInt(prefix_ + "max", generator.integer_max));
    if (field_.type.is_integer() && generator.integer_min > generator.integer_max)
      return Error(ErrorCode::kInvalidArgument, fmt::format("'{0}min' is above '{0}max'", prefix_));
    if (const auto min = options_.Find(prefix_ + "min"); min && !field_.type.is_integer())
      generator.min = static_cast<double>(generator.integer_min);
    if (const auto max = options_.Find(prefix_ + "max"); max && !field_.type.is_integer())
      generator.max = static_cast<double>(generator.integer_max);
    const bool fixed = field_.type.kind() == TypeKind::kChar || field_.type.kind() == TypeKind::kBinary;
    const bool bounded = field_.type.is_text() || (field_.type.is_bytes() && field_.type.kind() != TypeKind::kBlob);
    const std::int64_t longest = bounded ? field_.type.length() : DataType::kMaxLength;
    BRAID_TRY_ASSIGN(generator.length,
                     options_.GetInt(prefix_ + "length", fixed ? longest : std::min(longest, kDefaultLength)));
    if (generator.length < 0 || generator.length > longest)
      return Error(ErrorCode::kInvalidArgument,
                   fmt::format("'{}length' is no length of {}", prefix_, field_.type.ToString()));
    BRAID_TRY_ASSIGN(const auto past, options_.GetDuration(prefix_ + "max-past", std::chrono::milliseconds(0)));
    generator.max_past_ms = past.count();
    if (const auto rate = options_.Find(prefix_ + "null-rate")) {
      const auto value = ParseJavaFloating<double>(*rate);
      if (!value || !(*value >= 0 && *value <= 1))
        return Error(ErrorCode::kInvalidArgument, fmt::format("'{}null-rate' is '{}'", prefix_, *rate))
            .Hint("it is a number from 0 to 1");
      generator.null_rate = *value;
    }
    return generator;
  }

  // How many rows a sequence has; none for others.
  Result<std::optional<std::int64_t>> RowCount(const Generator& generator) const {
    if (!generator.sequence) return std::optional<std::int64_t>();
    BRAID_TRY_ASSIGN(const std::int64_t end, Bound("end"));
    if (end < generator.start)
      return Error(ErrorCode::kInvalidArgument, fmt::format("'{0}end' is below '{0}start'", prefix_));
    return std::optional(end - generator.start + 1);
  }

  Status CheckNames() const {
    constexpr std::string_view kNames[] = {"kind",    "min",   "max", "max-past", "length",
                                           "var-len", "start", "end", "null-rate"};
    for (const auto& [key, value] : options_.values()) {
      if (!key.starts_with(prefix_)) continue;
      const std::string_view name = std::string_view(key).substr(prefix_.size());
      if (std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames) && name != "var-len") continue;
      return Error(ErrorCode::kInvalidArgument, fmt::format("the connector 'datagen' has no option '{}'", key))
          .Hint("a column has kind, min, max, max-past, length, start, end, null-rate");
    }
    return Ok();
  }

 private:
  Result<std::int64_t> Bound(std::string_view name) const {
    BRAID_TRY_ASSIGN(const auto value, options_.FindInt(prefix_ + std::string(name)));
    if (!value)
      return Error(ErrorCode::kInvalidArgument, fmt::format("a sequence needs the option '{}{}'", prefix_, name));
    return *value;
  }

  const Options& options_;
  const DataField& field_;
  std::string prefix_;
};

Status CheckColumnNames(const ConnectorTableDefinition& definition) {
  for (const auto& [key, value] : definition.options.values()) {
    if (!key.starts_with("fields.")) continue;
    const std::string rest = key.substr(7);
    const std::string column = rest.substr(0, rest.rfind('.'));
    if (!FindField(definition.fields, column))
      return Error(ErrorCode::kInvalidArgument, fmt::format("option '{}' names no column of {}", key, definition.name));
  }
  return Ok();
}

}  // namespace

Result<std::shared_ptr<const ConnectorTable>> OpenDatagen(const ConnectorTableDefinition& definition,
                                                          const Clock& clock) {
  BRAID_TRY(CheckOptionNames(definition, {"rows-per-second", "number-of-rows", "fields.", "seed", "scan.parallelism"}));
  BRAID_TRY(RefusePartitions(definition));
  BRAID_TRY(CheckColumnNames(definition));
  DatagenSettings settings{.name = definition.name,
                           .fields = definition.fields,
                           .generators = {},
                           .rows_per_second = {},
                           .row_count = {},
                           .clock = &clock};
  BRAID_TRY_ASSIGN(settings.rows_per_second, definition.options.GetInt("rows-per-second", 10000));
  if (settings.rows_per_second < 1) return Error(ErrorCode::kInvalidArgument, "'rows-per-second' is below 1");
  BRAID_TRY_ASSIGN(settings.row_count, definition.options.FindInt("number-of-rows"));
  BRAID_TRY_ASSIGN(const std::int64_t seed, definition.options.GetInt("seed", 0));
  for (const DataField& field : definition.fields) {
    const ColumnOptions options(definition, field);
    BRAID_TRY(options.CheckNames());
    const auto salt = static_cast<std::int64_t>(
        Mix(static_cast<std::uint64_t>(seed) * 1000003U + settings.generators.size() + 1) >> 1);
    BRAID_TRY_ASSIGN(const Generator generator, options.Read(salt));
    BRAID_TRY_ASSIGN(const auto rows, options.RowCount(generator));
    if (rows) settings.row_count = std::min(settings.row_count.value_or(*rows), *rows);
    settings.generators.push_back(generator);
  }
  return std::shared_ptr<const ConnectorTable>(new DatagenTable(std::move(settings)));
}

}  // namespace braid
