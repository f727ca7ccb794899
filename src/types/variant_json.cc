#include "types/variant_json.h"

#include <bit>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "types/date_time.h"
#include "types/number_text.h"
#include "types/variant_reader.h"

namespace braid {

namespace {

void AppendBase64(std::string_view bytes, std::string& out) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      group = group << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      out += i <= bytes.size() - at ? kAlphabet[group >> (18 - 6 * i) & 63] : '=';
    }
  }
}

void AppendMicros(std::int64_t micros, std::string& out) {
  const std::int64_t seconds = FloorDivide(micros, 1'000'000);
  std::int64_t fraction = FloorModulo(micros, 1'000'000);
  AppendIsoDate(FloorDivide(seconds, 86'400), out);
  out += ' ';
  AppendHourMinuteSecond(FloorModulo(seconds, 86'400) * 1000, out);
  if (fraction == 0) return;
  int digits = 6;
  for (; fraction % 10 == 0; fraction /= 10) --digits;
  fmt::format_to(std::back_inserter(out), ".{:0{}}", fraction, digits);
}

std::int64_t SignedOf(std::string_view bytes) {
  const std::uint64_t value = ReadVariantNumber(bytes, 0, bytes.size()).value_or(0);
  const unsigned unused = static_cast<unsigned>(64 - 8 * bytes.size());
  return static_cast<std::int64_t>(value << unused) >> unused;
}

void AppendUuid(std::string_view bytes, std::string& out) {
  const std::string hex = ToHex(bytes);
  const std::string_view text = hex;
  out += fmt::format("{}-{}-{}-{}-{}", text.substr(0, 8), text.substr(8, 4), text.substr(12, 4), text.substr(16, 4),
                     text.substr(20));
}

template <typename Number>
void AppendFloating(Number number, std::string& out) {
  const bool special = !(number - number == 0);
  if (special) out += '"';
  AppendJavaNumber(number, out);
  if (special) out += '"';
}

Status AppendVariantDecimal(std::string_view payload, std::string& out) {
  int scale = static_cast<unsigned char>(payload[0]);
  if (scale > 38) return MalformedVariant("a decimal of a scale beyond 38");
  const std::string_view digits = payload.substr(1);
  Int128 unscaled = SignedOf(digits.substr(digits.size() > 8 ? 8 : 0));
  if (digits.size() > 8) unscaled = unscaled * (Int128{1} << 64) + *ReadVariantNumber(digits, 0, 8);
  for (; scale > 0 && unscaled % 10 == 0; --scale) unscaled /= 10;
  AppendDecimal(unscaled, scale, out);
  return Ok();
}

class VariantPrinter {
 public:
  explicit VariantPrinter(VariantReader reader) : reader_(reader) {}

  Status Print(std::size_t position, int depth) {
    BRAID_TRY_ASSIGN(const VariantValue value, reader_.At(position, depth));
    switch (value.layout) {
      case VariantLayout::kPrimitive: return PrintPrimitive(value);
      case VariantLayout::kShortText: AppendJacksonText(value.payload, out_); return Ok();
      case VariantLayout::kObject: return PrintElements(value, depth, '{', '}');
      case VariantLayout::kArray: return PrintElements(value, depth, '[', ']');
    }
    return Ok();
  }

  std::string Take() && { return std::move(out_); }

 private:
  Status PrintPrimitive(const VariantValue& value) {
    switch (value.type) {
      case VariantPrimitive::kNull: out_ += "null"; return Ok();
      case VariantPrimitive::kTrue: out_ += "true"; return Ok();
      case VariantPrimitive::kFalse: out_ += "false"; return Ok();
      case VariantPrimitive::kInt8:
      case VariantPrimitive::kInt16:
      case VariantPrimitive::kInt32:
      case VariantPrimitive::kInt64: out_ += std::to_string(SignedOf(value.payload)); return Ok();
      case VariantPrimitive::kDouble: AppendFloating(std::bit_cast<double>(SignedOf(value.payload)), out_); return Ok();
      case VariantPrimitive::kFloat:
        AppendFloating(std::bit_cast<float>(static_cast<std::int32_t>(SignedOf(value.payload))), out_);
        return Ok();
      case VariantPrimitive::kDecimal4:
      case VariantPrimitive::kDecimal8:
      case VariantPrimitive::kDecimal16: return AppendVariantDecimal(value.payload, out_);
      case VariantPrimitive::kLongText: AppendJacksonText(value.payload, out_); return Ok();
      case VariantPrimitive::kDate:
      case VariantPrimitive::kTimestamp:
      case VariantPrimitive::kTimestampNtz:
      case VariantPrimitive::kBinary:
      case VariantPrimitive::kUuid: break;
    }
    out_ += '"';
    PrintQuoted(value);
    out_ += '"';
    return Ok();
  }

  void PrintQuoted(const VariantValue& value) {
    switch (value.type) {
      case VariantPrimitive::kDate: AppendIsoDate(SignedOf(value.payload), out_); break;
      case VariantPrimitive::kTimestamp:
        AppendMicros(SignedOf(value.payload), out_);
        out_ += "+00:00";
        break;
      case VariantPrimitive::kTimestampNtz: AppendMicros(SignedOf(value.payload), out_); break;
      case VariantPrimitive::kBinary: AppendBase64(value.payload, out_); break;
      default: AppendUuid(value.payload, out_);
    }
  }

  Status PrintElements(const VariantValue& parent, int depth, char open, char close) {
    out_ += open;
    for (std::uint64_t i = 0; i < parent.count; ++i) {
      BRAID_TRY_ASSIGN(const std::size_t position, reader_.PositionOf(parent, i));
      if (i > 0) out_ += ',';
      if (parent.layout == VariantLayout::kObject) {
        BRAID_TRY_ASSIGN(const std::string_view name, reader_.NameOf(parent, i));
        AppendJacksonText(name, out_);
        out_ += ':';
      }
      BRAID_TRY(Print(position, depth + 1));
    }
    out_ += close;
    return Ok();
  }

  VariantReader reader_;
  std::string out_;
};

}  // namespace

void AppendJacksonText(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\b': out += "\\b"; break;
      case '\f': out += "\\f"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          fmt::format_to(std::back_inserter(out), "\\u{:04X}", static_cast<unsigned>(c));
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

Result<std::string> VariantToJson(std::string_view value, std::string_view metadata) {
  BRAID_TRY_ASSIGN(const VariantReader reader, VariantReader::Open(value, metadata));
  VariantPrinter printer(reader);
  BRAID_TRY(printer.Print(0, 0));
  return std::move(printer).Take();
}

}  // namespace braid
