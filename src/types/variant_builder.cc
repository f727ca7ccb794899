#include "types/variant_builder.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/little_endian.h"

namespace braid {

namespace {

constexpr std::size_t kLongestShortText = 63;
constexpr Int128 kLargestDecimal4 = 999'999'999;
constexpr Int128 kLargestDecimal8 = 999'999'999'999'999'999;

void AppendUnsigned(std::uint64_t value, std::size_t width, std::string& out) {
  for (std::size_t i = 0; i < width; ++i) out += static_cast<char>(value >> (8 * i));
}

template <typename Number>
std::string LittleEndian(Number number) {
  std::string bytes;
  AppendLittleEndian(number, bytes);
  return bytes;
}

/// Fewest of 1 … 4 bytes that hold a number.
std::size_t WidthOf(std::uint64_t largest) {
  std::size_t width = 1;
  while (width < 4 && largest >> (8 * width) != 0) ++width;
  return width;
}

char FirstByte(VariantLayout layout, std::size_t info) {
  return static_cast<char>(info << 2 | static_cast<unsigned>(layout));
}

/// The rank of a byte of UTF-8 where texts are ordered by UTF-16 units, as Java's are: what takes two units (from F0
/// on) comes before U+E000 to U+FFFF (EE and EF).
unsigned Utf16Rank(char c) {
  const unsigned byte = static_cast<unsigned char>(c);
  if (byte < 0xEE) return byte;
  return byte < 0xF0 ? byte + 0x12 : byte;
}

bool ComesBefore(std::string_view a, std::string_view b) {
  return std::ranges::lexicographical_compare(a, b, {}, Utf16Rank, Utf16Rank);
}

bool Fits(Int128 unscaled, int scale, Int128 largest, int digits) {
  return scale <= digits && unscaled <= largest && unscaled >= -largest;
}

}  // namespace

void VariantBuilder::AppendPrimitive(VariantPrimitive type, std::string_view payload) {
  value_ += FirstByte(VariantLayout::kPrimitive, static_cast<unsigned>(type));
  value_ += payload;
}

void VariantBuilder::AppendSized(VariantPrimitive type, std::string_view payload) {
  AppendPrimitive(type, LittleEndian(static_cast<std::uint32_t>(payload.size())));
  value_ += payload;
}

void VariantBuilder::AppendInteger(std::int64_t value) {
  if (std::in_range<std::int8_t>(value))
    return AppendPrimitive(VariantPrimitive::kInt8, LittleEndian(static_cast<std::int8_t>(value)));
  if (std::in_range<std::int16_t>(value))
    return AppendPrimitive(VariantPrimitive::kInt16, LittleEndian(static_cast<std::int16_t>(value)));
  if (std::in_range<std::int32_t>(value))
    return AppendPrimitive(VariantPrimitive::kInt32, LittleEndian(static_cast<std::int32_t>(value)));
  AppendPrimitive(VariantPrimitive::kInt64, LittleEndian(value));
}

void VariantBuilder::AppendFloat(float value) {
  AppendPrimitive(VariantPrimitive::kFloat, LittleEndian(value));
}

void VariantBuilder::AppendDouble(double value) {
  AppendPrimitive(VariantPrimitive::kDouble, LittleEndian(value));
}

void VariantBuilder::AppendDecimal(Int128 unscaled, int scale) {
  const std::string digits = static_cast<char>(scale) + LittleEndian(static_cast<std::uint64_t>(unscaled));
  if (Fits(unscaled, scale, kLargestDecimal4, 9)) {
    AppendPrimitive(VariantPrimitive::kDecimal4, std::string_view(digits).substr(0, 5));
  } else if (Fits(unscaled, scale, kLargestDecimal8, 18)) {
    AppendPrimitive(VariantPrimitive::kDecimal8, digits);
  } else {
    AppendPrimitive(VariantPrimitive::kDecimal16, digits + LittleEndian(static_cast<std::uint64_t>(unscaled >> 64)));
  }
}

void VariantBuilder::AppendText(std::string_view value) {
  if (value.size() > kLongestShortText) return AppendSized(VariantPrimitive::kLongText, value);
  value_ += FirstByte(VariantLayout::kShortText, value.size());
  value_ += value;
}

void VariantBuilder::AppendBinary(std::string_view value) {
  AppendSized(VariantPrimitive::kBinary, value);
}

void VariantBuilder::AppendDate(std::int32_t days) {
  AppendPrimitive(VariantPrimitive::kDate, LittleEndian(days));
}

void VariantBuilder::AppendTimestamp(std::int64_t micros, bool is_local) {
  AppendPrimitive(is_local ? VariantPrimitive::kTimestamp : VariantPrimitive::kTimestampNtz, LittleEndian(micros));
}

Status VariantBuilder::AppendVariant(VariantReader& reader, std::size_t position, int depth) {
  BRAID_TRY_ASSIGN(const VariantValue value, reader.At(position, depth));
  if (value.layout != VariantLayout::kObject && value.layout != VariantLayout::kArray) {
    value_ += value.encoded;
    return Ok();
  }
  const std::size_t begin = value_.size();
  std::vector<Member> members;
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t i = 0; i < value.count; ++i) {
    BRAID_TRY_ASSIGN(const std::size_t child, reader.PositionOf(value, i));
    if (value.layout == VariantLayout::kObject) {
      BRAID_TRY_ASSIGN(const std::string_view name, reader.NameOf(value, i));
      members.push_back({.name_id = NameId(name), .offset = value_.size() - begin});
    } else {
      offsets.push_back(value_.size() - begin);
    }
    BRAID_TRY(AppendVariant(reader, child, depth + 1));
  }
  if (value.layout == VariantLayout::kObject) return FinishObject(begin, std::move(members));
  FinishArray(begin, offsets);
  return Ok();
}

std::uint64_t VariantBuilder::NameId(std::string_view name) {
  const auto [place, is_new] = ids_.try_emplace(std::string(name), names_.size());
  if (is_new) names_.emplace_back(name);
  return place->second;
}

void VariantBuilder::FinishArray(std::size_t begin, const std::vector<std::uint64_t>& offsets) {
  const std::size_t data_size = value_.size() - begin;
  const bool is_large = offsets.size() > 255;
  const std::size_t offset_width = WidthOf(data_size);
  std::string head(1, FirstByte(VariantLayout::kArray, std::size_t{is_large} << 2 | (offset_width - 1)));
  AppendUnsigned(offsets.size(), is_large ? 4 : 1, head);
  for (const std::uint64_t offset : offsets) AppendUnsigned(offset, offset_width, head);
  AppendUnsigned(data_size, offset_width, head);
  value_.insert(begin, head);
}

Status VariantBuilder::FinishObject(std::size_t begin, std::vector<Member> members) {
  std::ranges::sort(members, ComesBefore,
                    [this](const Member& member) -> const std::string& { return names_[member.name_id]; });
  const auto twice = std::ranges::adjacent_find(members, {}, &Member::name_id);
  if (twice != members.end())
    return MalformedVariant(fmt::format("an object with two members '{}'", names_[twice->name_id]));
  std::uint64_t largest_id = 0;
  for (const Member& member : members) largest_id = std::max(largest_id, member.name_id);
  const std::size_t data_size = value_.size() - begin;
  const bool is_large = members.size() > 255;
  const std::size_t id_width = WidthOf(largest_id);
  const std::size_t offset_width = WidthOf(data_size);
  std::string head(
      1, FirstByte(VariantLayout::kObject, std::size_t{is_large} << 4 | (id_width - 1) << 2 | (offset_width - 1)));
  AppendUnsigned(members.size(), is_large ? 4 : 1, head);
  for (const Member& member : members) AppendUnsigned(member.name_id, id_width, head);
  for (const Member& member : members) AppendUnsigned(member.offset, offset_width, head);
  AppendUnsigned(data_size, offset_width, head);
  value_.insert(begin, head);
  return Ok();
}

std::string VariantBuilder::Metadata() const {
  std::size_t bytes = 0;
  for (const std::string& name : names_) bytes += name.size();
  const std::size_t width = WidthOf(std::max(bytes, names_.size()));
  std::string metadata(1, static_cast<char>(1 | (width - 1) << 6));
  AppendUnsigned(names_.size(), width, metadata);
  std::size_t offset = 0;
  for (const std::string& name : names_) {
    AppendUnsigned(offset, width, metadata);
    offset += name.size();
  }
  AppendUnsigned(offset, width, metadata);
  for (const std::string& name : names_) metadata += name;
  return metadata;
}

void VariantBuilder::Clear() {
  value_.clear();
  names_.clear();
  ids_.clear();
}

}  // namespace braid
