#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <duckdb/function/scalar_function.hpp>
#include <fmt/format.h>

#include "base/sha2.h"
#include "base/text.h"
#include "duck/errors_internal.h"
#include "duck/rows_internal.h"
#include "duck/utf8_internal.h"
#include "types/utf8.h"

namespace braid {
namespace {

using duckdb::LogicalType;
using Text = std::string_view;

void Sha2(Text value, std::int32_t bits, std::string& out) {
  if (bits != 224 && bits != 256 && bits != 384 && bits != 512) {
    ThrowError(Error(ErrorCode::kInvalidArgument, fmt::format("SHA2 has no digest of {} bits", bits))
                   .Hint("use 224, 256, 384 or 512"));
  }
  out = Sha2Hex(value, bits);
}

void Bin(std::int64_t value, std::string& out) {
  const auto bits = static_cast<std::uint64_t>(value);
  bool started = false;
  for (int i = 63; i >= 0; --i) {
    const bool bit = ((bits >> i) & 1U) != 0;
    started = started || bit || i == 0;
    if (started) out += bit ? '1' : '0';
  }
}

void HexOfNumber(std::int64_t value, std::string& out) {
  out = fmt::format("{:X}", static_cast<std::uint64_t>(value));
}
void HexOfBytes(Text value, std::string& out) {
  out = ToUpper(ToHex(value));
}

/// UNHEX: NULL for anything but hexadecimal digits. Of an odd number of digits Flink drops the first one's value.
bool Unhex(Text value, std::string& out) {
  std::string digits(value);
  if (digits.size() % 2 != 0) {
    if (!FromHex(std::string("0") + digits.front())) return false;
    digits = "00" + digits.substr(1);
  }
  const std::optional<std::string> bytes = FromHex(digits);
  if (bytes) out = *bytes;
  return bytes.has_value();
}

constexpr Text kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void ToBase64(Text bytes, std::string& out) {
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t group = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    for (std::size_t i = 0; i < 3; ++i)
      group = (group << 8) | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i) out += i <= count ? kBase64[(group >> (18 - 6 * i)) & 0x3FU] : '=';
  }
}

bool FromBase64(Text text, std::string& out) {
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t digit = kBase64.find(c);
    if (digit == Text::npos) return false;
    bits = (bits << 6) | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out += static_cast<char>(bits >> count);
    }
  }
  if (count >= 6) return false;
  out = RepairUtf8(out);
  return true;
}

enum class Charset { kUtf8, kAscii, kLatin1, kUtf16, kUtf16Big, kUtf16Little };

Charset FindCharset(Text name) {
  struct Named {
    Text name;
    Charset charset;
  };
  constexpr std::array<Named, 9> kCharsets = {{{"UTF-8", Charset::kUtf8},
                                               {"UTF8", Charset::kUtf8},
                                               {"US-ASCII", Charset::kAscii},
                                               {"ASCII", Charset::kAscii},
                                               {"ISO-8859-1", Charset::kLatin1},
                                               {"LATIN1", Charset::kLatin1},
                                               {"UTF-16", Charset::kUtf16},
                                               {"UTF-16BE", Charset::kUtf16Big},
                                               {"UTF-16LE", Charset::kUtf16Little}}};
  for (const Named& named : kCharsets) {
    if (EqualsIgnoreCase(name, named.name)) return named.charset;
  }
  ThrowError(Error(ErrorCode::kInvalidArgument, fmt::format("there is no character set {}", name))
                 .Hint("use UTF-8, US-ASCII, ISO-8859-1, UTF-16, UTF-16BE or UTF-16LE"));
}

void AppendUnit(std::uint32_t unit, bool little, std::string& out) {
  out += static_cast<char>(little ? unit : unit >> 8);
  out += static_cast<char>(little ? unit >> 8 : unit);
}

void Encode(Text text, Text charset_name, std::string& out) {
  const Charset charset = FindCharset(charset_name);
  if (charset == Charset::kUtf8) {
    out = text;
    return;
  }
  const bool little = charset == Charset::kUtf16Little;
  if (charset == Charset::kUtf16) AppendUnit(0xFEFF, false, out);
  for (std::size_t at = 0; at < text.size(); at += CodePointSize(text[at])) {
    const std::uint32_t c = CodePointAt(text, at);
    if (charset == Charset::kAscii || charset == Charset::kLatin1) {
      out += c < (charset == Charset::kAscii ? 0x80U : 0x100U) ? static_cast<char>(c) : '?';
    } else if (c >= 0x10000) {
      AppendUnit(0xD800U + ((c - 0x10000) >> 10), little, out);
      AppendUnit(0xDC00U + ((c - 0x10000) & 0x3FFU), little, out);
    } else {
      AppendUnit(c, little, out);
    }
  }
}

void DecodeUtf16(Text bytes, bool little, bool marked, std::string& out) {
  const auto unit = [&](std::size_t at) {
    const auto first = static_cast<unsigned char>(bytes[at]);
    const auto second = static_cast<unsigned char>(bytes[at + 1]);
    return static_cast<std::uint32_t>(little ? (second << 8) | first : (first << 8) | second);
  };
  std::size_t at = 0;
  if (marked && bytes.size() >= 2 && (unit(0) == 0xFEFF || unit(0) == 0xFFFE)) {
    little = unit(0) == 0xFFFE ? !little : little;
    at = 2;
  }
  while (at + 1 < bytes.size()) {
    std::uint32_t c = unit(at);
    at += 2;
    if (c >= 0xD800 && c < 0xDC00 && at + 1 < bytes.size() && unit(at) >= 0xDC00 && unit(at) < 0xE000) {
      c = 0x10000 + ((c - 0xD800) << 10) + (unit(at) - 0xDC00);
      at += 2;
    }
    AppendCodePoint(c >= 0xD800 && c < 0xE000 ? 0xFFFD : c, out);
  }
  if (at < bytes.size()) AppendCodePoint(0xFFFD, out);
}

void Decode(Text bytes, Text charset_name, std::string& out) {
  const Charset charset = FindCharset(charset_name);
  switch (charset) {
    case Charset::kUtf8: out = RepairUtf8(bytes); return;
    case Charset::kAscii:
    case Charset::kLatin1:
      for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        AppendCodePoint(charset == Charset::kAscii && byte >= 0x80 ? 0xFFFD : byte, out);
      }
      return;
    default: DecodeUtf16(bytes, charset == Charset::kUtf16Little, charset == Charset::kUtf16, out); return;
  }
}

/// application/x-www-form-urlencoded, as Java's URLEncoder writes it.
void UrlEncode(Text text, std::string& out) {
  for (const char c : text) {
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
        Text(".-*_").find(c) != Text::npos) {
      out += c;
    } else if (c == ' ') {
      out += '+';
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
}

bool UrlDecode(Text text, std::string& out) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '+') {
      out += ' ';
    } else if (text[at] == '%') {
      const std::optional<std::string> byte = at + 2 < text.size() ? FromHex(text.substr(at + 1, 2)) : std::nullopt;
      if (!byte) return false;
      out += *byte;
      at += 2;
    } else {
      out += text[at];
    }
  }
  out = RepairUtf8(out);
  return true;
}

/// The parts of a URL as java.net.URL names them.
struct Url {
  Text protocol;
  Text authority;
  std::optional<Text> user;
  Text host;
  Text path;
  std::optional<Text> query;
  std::optional<Text> reference;
};

std::optional<Url> ParseUrl(Text text) {
  Url url;
  const std::size_t colon = text.find(':');
  if (colon == Text::npos || colon == 0) return std::nullopt;
  url.protocol = text.substr(0, colon);
  Text rest = text.substr(colon + 1);
  if (const std::size_t hash = rest.find('#'); hash != Text::npos) {
    url.reference = rest.substr(hash + 1);
    rest = rest.substr(0, hash);
  }
  if (const std::size_t mark = rest.find('?'); mark != Text::npos) {
    url.query = rest.substr(mark + 1);
    rest = rest.substr(0, mark);
  }
  if (rest.substr(0, 2) == "//") {
    rest.remove_prefix(2);
    url.authority = rest.substr(0, rest.find('/'));
    rest.remove_prefix(url.authority.size());
    Text host = url.authority;
    if (const std::size_t at = host.find('@'); at != Text::npos) {
      url.user = host.substr(0, at);
      host = host.substr(at + 1);
    }
    // Brackets hold the colons of an IPv6 address.
    const std::size_t bracket = host.find(']');
    url.host = host.substr(0, host.find(':', bracket == Text::npos ? 0 : bracket));
  }
  url.path = rest;
  return url;
}

bool UrlPart(Text text, Text part, std::string& out) {
  const std::optional<Url> url = ParseUrl(text);
  if (!url) return false;
  std::optional<Text> value;
  if (part == "HOST") value = url->host;
  if (part == "PATH") value = url->path;
  if (part == "QUERY") value = url->query;
  if (part == "REF") value = url->reference;
  if (part == "PROTOCOL") value = url->protocol;
  if (part == "AUTHORITY") value = url->authority;
  if (part == "USERINFO") value = url->user;
  if (part == "FILE") {
    out = url->path;
    if (url->query) out += '?' + std::string(*url->query);
    return true;
  }
  if (value) out = *value;
  return value.has_value();
}

bool UrlParameter(Text text, Text part, Text key, std::string& out) {
  const std::optional<Url> url = ParseUrl(text);
  if (!url || part != "QUERY" || !url->query) return false;
  for (Text rest = *url->query; !rest.empty();) {
    const Text pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    if (pair.substr(0, key.size()) == key && pair.substr(key.size(), 1) == "=") {
      out = pair.substr(key.size() + 1);
      return true;
    }
  }
  return false;
}

}  // namespace

void RegisterEncodingFunctions(FunctionRegistrar& registrar) {
  const LogicalType text = LogicalType::VARCHAR;
  const LogicalType bytes = LogicalType::BLOB;
  for (const LogicalType& input : {text, bytes}) {
    registrar.Add("flink_sha2", {input, LogicalType::INTEGER}, text,
                  RowFunction<std::string, Text, std::int32_t>(Sha2));
    registrar.Add("flink_hex", {input}, text, RowFunction<std::string, Text>(HexOfBytes));
    registrar.Add("flink_to_base64", {input}, text, RowFunction<std::string, Text>(ToBase64));
    registrar.Add("flink_from_base64", {input}, text, RowFunction<std::string, Text>(FromBase64));
  }
  registrar.Add("flink_hex", {LogicalType::BIGINT}, text, RowFunction<std::string, std::int64_t>(HexOfNumber));
  registrar.Add("flink_bin", {LogicalType::BIGINT}, text, RowFunction<std::string, std::int64_t>(Bin));
  registrar.Add("flink_unhex", {text}, bytes, RowFunction<std::string, Text>(Unhex));
  registrar.Add("flink_encode", {text, text}, bytes, RowFunction<std::string, Text, Text>(Encode));
  registrar.Add("flink_decode", {bytes, text}, text, RowFunction<std::string, Text, Text>(Decode));
  registrar.Add("flink_url_encode", {text}, text, RowFunction<std::string, Text>(UrlEncode));
  registrar.Add("flink_url_decode", {text}, text, RowFunction<std::string, Text>(UrlDecode));
  registrar.Add("flink_parse_url", {text, text}, text, RowFunction<std::string, Text, Text>(UrlPart));
  registrar.Add("flink_parse_url", {text, text, text}, text, RowFunction<std::string, Text, Text, Text>(UrlParameter));
}

}  // namespace braid
