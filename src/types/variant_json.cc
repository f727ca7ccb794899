#include "types/variant_json.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "types/date_time.h"
#include "types/number_text.h"

namespace braid {

namespace {

constexpr int kMaxDepth = 512;

enum BasicType : unsigned { kPrimitive = 0, kShortText = 1, kObject = 2, kArray = 3 };

enum PrimitiveType : unsigned {
  kNull = 0, kTrue = 1, kFalse = 2, kInt8 = 3, kInt16 = 4, kInt32 = 5, kInt64 = 6, kDouble = 7,
  kDecimal4 = 8, kDecimal8 = 9, kDecimal16 = 10, kDate = 11, kTimestamp = 12, kTimestampNtz = 13,
  kFloat = 14, kBinary = 15, kLongText = 16, kUuid = 20,
};

Error Malformed(std::string_view what) {
  return Error(ErrorCode::kCorruption, fmt::format("malformed variant: {}", what));
}

/// A number of 1 … 8 little-endian bytes; nullopt if it lies outside.
std::optional<std::uint64_t> ReadUnsigned(std::string_view bytes, std::size_t at, std::size_t width) {
  if (at > bytes.size() || bytes.size() - at < width) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width; ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  }
  return value;
}

std::optional<std::int64_t> ReadSigned(std::string_view bytes, std::size_t at, std::size_t width) {
  const std::optional<std::uint64_t> value = ReadUnsigned(bytes, at, width);
  if (!value) return std::nullopt;
  const unsigned unused = static_cast<unsigned>(64 - 8 * width);
  return static_cast<std::int64_t>(*value << unused) >> unused;
}

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

class VariantPrinter {
 public:
  VariantPrinter(std::string_view value, std::string_view metadata) : value_(value), metadata_(metadata) {}

  Status ReadMetadata() {
    const std::optional<std::uint64_t> header = ReadUnsigned(metadata_, 0, 1);
    if (!header || (*header & 15) != 1) return Malformed("metadata of another version than 1");
    name_offset_width_ = (*header >> 6) + 1;
    const std::optional<std::uint64_t> count = ReadUnsigned(metadata_, 1, name_offset_width_);
    if (!count || (*count + 2) * name_offset_width_ + 1 > metadata_.size()) return Malformed("names beyond the metadata");
    name_count_ = *count;
    return Ok();
  }

  Status Print(std::size_t at, int depth) {
    if (depth > kMaxDepth) return Malformed("nested too deeply");
    const std::optional<std::uint64_t> header = ReadUnsigned(value_, at, 1);
    if (!header) return Malformed("a value beyond the end");
    BRAID_TRY(Use(1));
    const unsigned info = static_cast<unsigned>(*header >> 2);
    switch (static_cast<unsigned>(*header & 3)) {
      case kPrimitive: return PrintPrimitive(info, at + 1);
      case kShortText: return PrintBytes(at + 1, info, &AppendJacksonText);
      case kObject: return PrintObject(info, at + 1, depth);
      default: return PrintArray(info, at + 1, depth);
    }
  }

  std::string Take() && { return std::move(out_); }

 private:
  // Values do not share bytes, or a few of them could stand for more than memory holds.
  Status Use(std::size_t bytes) {
    used_bytes_ += bytes;
    return used_bytes_ <= value_.size() ? Ok() : Malformed("values that share bytes");
  }

  Status PrintBytes(std::size_t at, std::size_t size, void (*append)(std::string_view, std::string&)) {
    BRAID_TRY(Use(size));
    if (at > value_.size() || value_.size() - at < size) return Malformed("bytes beyond the end");
    append(value_.substr(at, size), out_);
    return Ok();
  }

  /// Bytes led by their size.
  Status PrintSized(std::size_t at, void (*append)(std::string_view, std::string&)) {
    const std::optional<std::uint64_t> size = ReadUnsigned(value_, at, 4);
    if (!size) return Malformed("a size beyond the end");
    return PrintBytes(at + 4, *size, append);
  }

  template <typename Append>
  Status PrintNumber(std::size_t at, std::size_t width, Append append) {
    const std::optional<std::int64_t> number = ReadSigned(value_, at, width);
    if (!number) return Malformed("a number beyond the end");
    append(*number);
    return Ok();
  }

  Status PrintInteger(std::size_t at, std::size_t width) {
    return PrintNumber(at, width, [this](std::int64_t number) { out_ += std::to_string(number); });
  }

  Status PrintPrimitive(unsigned type, std::size_t at) {
    switch (type) {
      case kNull: out_ += "null"; return Ok();
      case kTrue: out_ += "true"; return Ok();
      case kFalse: out_ += "false"; return Ok();
      case kInt8: return PrintInteger(at, 1);
      case kInt16: return PrintInteger(at, 2);
      case kInt32: return PrintInteger(at, 4);
      case kInt64: return PrintInteger(at, 8);
      case kDouble:
        return PrintNumber(at, 8, [this](std::int64_t bits) { PrintFloating(std::bit_cast<double>(bits)); });
      case kFloat:
        return PrintNumber(
            at, 4, [this](std::int64_t bits) { PrintFloating(std::bit_cast<float>(static_cast<std::int32_t>(bits))); });
      case kDecimal4: return PrintDecimal(at, 4);
      case kDecimal8: return PrintDecimal(at, 8);
      case kDecimal16: return PrintDecimal(at, 16);
      case kLongText: return PrintSized(at, &AppendJacksonText);
      default: return PrintQuoted(type, at);
    }
  }

  Status PrintQuoted(unsigned type, std::size_t at) {
    out_ += '"';
    switch (type) {
      case kDate: BRAID_TRY(PrintNumber(at, 4, [this](std::int64_t days) { AppendIsoDate(days, out_); })); break;
      case kTimestamp:
        BRAID_TRY(PrintNumber(at, 8, [this](std::int64_t micros) { AppendMicros(micros, out_); }));
        out_ += "+00:00";
        break;
      case kTimestampNtz:
        BRAID_TRY(PrintNumber(at, 8, [this](std::int64_t micros) { AppendMicros(micros, out_); }));
        break;
      case kBinary: BRAID_TRY(PrintSized(at, &AppendBase64)); break;
      case kUuid:
        if (at > value_.size() || value_.size() - at < 16) return Malformed("a UUID beyond the end");
        PrintUuid(ToHex(value_.substr(at, 16)));
        break;
      default: return Malformed(fmt::format("unknown primitive type {}", type));
    }
    out_ += '"';
    return Ok();
  }

  void PrintUuid(std::string_view hex) {
    out_ += fmt::format("{}-{}-{}-{}-{}", hex.substr(0, 8), hex.substr(8, 4), hex.substr(12, 4), hex.substr(16, 4),
                        hex.substr(20));
  }

  template <typename Number>
  void PrintFloating(Number number) {
    const bool special = !(number - number == 0);
    if (special) out_ += '"';
    AppendJavaNumber(number, out_);
    if (special) out_ += '"';
  }

  Status PrintDecimal(std::size_t at, std::size_t width) {
    const std::optional<std::uint64_t> stored_scale = ReadUnsigned(value_, at, 1);
    const std::optional<std::uint64_t> low = ReadUnsigned(value_, at + 1, width == 16 ? 8 : width);
    const std::optional<std::int64_t> high = ReadSigned(value_, width == 16 ? at + 9 : at + 1, width == 16 ? 8 : width);
    if (!stored_scale || !low || !high || *stored_scale > 38) return Malformed("a decimal beyond the end");
    Int128 unscaled = *high;
    if (width == 16) unscaled = unscaled * (Int128{1} << 64) + *low;
    int scale = static_cast<int>(*stored_scale);
    for (; scale > 0 && unscaled % 10 == 0; --scale) unscaled /= 10;
    AppendDecimal(unscaled, scale, out_);
    return Ok();
  }

  /// Prints the elements whose offsets begin at `offsets` and whose bytes begin at `data`, each after `lead(i)`.
  template <typename Lead>
  Status PrintElements(std::uint64_t count, std::size_t offsets, std::size_t width, std::size_t data, int depth,
                       Lead lead) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::optional<std::uint64_t> offset = ReadUnsigned(value_, offsets + i * width, width);
      if (!offset) return Malformed("an offset beyond the end");
      if (i > 0) out_ += ',';
      BRAID_TRY(lead(i));
      BRAID_TRY(Print(data + *offset, depth + 1));
    }
    return Ok();
  }

  Status PrintObject(unsigned info, std::size_t at, int depth) {
    const std::size_t offset_width = (info & 3) + 1;
    const std::size_t id_width = (info >> 2 & 3) + 1;
    const std::size_t count_width = (info >> 4 & 1) != 0 ? 4 : 1;
    const std::optional<std::uint64_t> count = ReadUnsigned(value_, at, count_width);
    if (!count || *count > value_.size()) return Malformed("an object beyond the end");
    const std::size_t ids = at + count_width;
    const std::size_t offsets = ids + *count * id_width;
    out_ += '{';
    const auto print_name = [&](std::uint64_t i) -> Status {
      const std::optional<std::uint64_t> id = ReadUnsigned(value_, ids + i * id_width, id_width);
      if (!id) return Malformed("a name's id beyond the end");
      BRAID_TRY(PrintName(*id));
      out_ += ':';
      return Ok();
    };
    const std::size_t data = offsets + (*count + 1) * offset_width;
    BRAID_TRY(PrintElements(*count, offsets, offset_width, data, depth, print_name));
    out_ += '}';
    return Ok();
  }

  Status PrintArray(unsigned info, std::size_t at, int depth) {
    const std::size_t offset_width = (info & 3) + 1;
    const std::size_t count_width = (info >> 2 & 1) != 0 ? 4 : 1;
    const std::optional<std::uint64_t> count = ReadUnsigned(value_, at, count_width);
    if (!count || *count > value_.size()) return Malformed("an array beyond the end");
    const std::size_t offsets = at + count_width;
    out_ += '[';
    BRAID_TRY(PrintElements(*count, offsets, offset_width, offsets + (*count + 1) * offset_width, depth,
                            [](std::uint64_t) { return Ok(); }));
    out_ += ']';
    return Ok();
  }

  Status PrintName(std::uint64_t id) {
    if (id >= name_count_) return Malformed("an unknown name");
    const std::size_t offsets = 1 + name_offset_width_;
    const auto begin = ReadUnsigned(metadata_, offsets + id * name_offset_width_, name_offset_width_);
    const auto end = ReadUnsigned(metadata_, offsets + (id + 1) * name_offset_width_, name_offset_width_);
    const std::size_t names = offsets + (name_count_ + 1) * name_offset_width_;
    if (!begin || !end || *begin > *end || *end > metadata_.size() - names) return Malformed("a name beyond the metadata");
    AppendJacksonText(metadata_.substr(names + *begin, *end - *begin), out_);
    return Ok();
  }

  std::string_view value_;
  std::size_t used_bytes_ = 0;  // of the value
  std::string_view metadata_;
  std::size_t name_offset_width_ = 1;
  std::uint64_t name_count_ = 0;
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
  VariantPrinter printer(value, metadata);
  BRAID_TRY(printer.ReadMetadata());
  BRAID_TRY(printer.Print(0, 0));
  return std::move(printer).Take();
}

}  // namespace braid
