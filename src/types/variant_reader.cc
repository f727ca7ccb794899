#include "types/variant_reader.h"

#include <fmt/format.h>

namespace braid {

namespace {

constexpr int kMaxDepth = 512;

/// Bytes of a primitive after its first one; nullopt if they say themselves how many they are.
Result<std::optional<std::size_t>> PayloadSize(unsigned type) {
  switch (static_cast<VariantPrimitive>(type)) {
    case VariantPrimitive::kNull:
    case VariantPrimitive::kTrue:
    case VariantPrimitive::kFalse: return std::optional<std::size_t>(0);
    case VariantPrimitive::kInt8: return std::optional<std::size_t>(1);
    case VariantPrimitive::kInt16: return std::optional<std::size_t>(2);
    case VariantPrimitive::kInt32:
    case VariantPrimitive::kDate:
    case VariantPrimitive::kFloat: return std::optional<std::size_t>(4);
    case VariantPrimitive::kInt64:
    case VariantPrimitive::kDouble:
    case VariantPrimitive::kTimestamp:
    case VariantPrimitive::kTimestampNtz: return std::optional<std::size_t>(8);
    case VariantPrimitive::kDecimal4: return std::optional<std::size_t>(5);
    case VariantPrimitive::kDecimal8: return std::optional<std::size_t>(9);
    case VariantPrimitive::kDecimal16: return std::optional<std::size_t>(17);
    case VariantPrimitive::kUuid: return std::optional<std::size_t>(16);
    case VariantPrimitive::kBinary:
    case VariantPrimitive::kLongText: return std::optional<std::size_t>();
  }
  return MalformedVariant(fmt::format("unknown primitive type {}", type));
}

}  // namespace

Error MalformedVariant(std::string_view what) {
  return Error(ErrorCode::kCorruption, fmt::format("malformed variant: {}", what));
}

std::optional<std::uint64_t> ReadVariantNumber(std::string_view bytes, std::size_t at, std::size_t width) {
  if (at > bytes.size() || bytes.size() - at < width) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width; ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  }
  return value;
}

Result<VariantReader> VariantReader::Open(std::string_view value, std::string_view metadata) {
  VariantReader reader(value, metadata);
  const std::optional<std::uint64_t> header = ReadVariantNumber(metadata, 0, 1);
  if (!header || (*header & 15) != 1) return MalformedVariant("metadata of another version than 1");
  reader.name_offset_width_ = (*header >> 6) + 1;
  const std::optional<std::uint64_t> count = ReadVariantNumber(metadata, 1, reader.name_offset_width_);
  if (!count || (*count + 2) * reader.name_offset_width_ + 1 > metadata.size()) {
    return MalformedVariant("names beyond the metadata");
  }
  reader.name_count_ = *count;
  return reader;
}

Status VariantReader::Use(std::size_t bytes) {
  used_bytes_ += bytes;
  return used_bytes_ <= value_.size() ? Ok() : MalformedVariant("values that share bytes");
}

Result<VariantValue> VariantReader::At(std::size_t position, int depth) {
  if (depth > kMaxDepth) return MalformedVariant("nested too deeply");
  const std::optional<std::uint64_t> header = ReadVariantNumber(value_, position, 1);
  if (!header) return MalformedVariant("a value beyond the end");
  const unsigned info = static_cast<unsigned>(*header >> 2);
  VariantValue value;
  value.layout = static_cast<VariantLayout>(*header & 3);
  switch (value.layout) {
    case VariantLayout::kPrimitive:
      value.type = static_cast<VariantPrimitive>(info);
      BRAID_TRY(ReadPrimitive(position, value));
      break;
    case VariantLayout::kShortText: BRAID_TRY(ReadText(position, 0, info, value)); break;
    case VariantLayout::kObject:
    case VariantLayout::kArray: BRAID_TRY(ReadElements(position, info, value)); break;
  }
  BRAID_TRY(Use(1 + value.payload.size()));
  return value;
}

Status VariantReader::ReadPrimitive(std::size_t position, VariantValue& value) const {
  BRAID_TRY_ASSIGN(const std::optional<std::size_t> fixed, PayloadSize(static_cast<unsigned>(value.type)));
  if (fixed) return ReadText(position, 0, *fixed, value);
  const std::optional<std::uint64_t> size = ReadVariantNumber(value_, position + 1, 4);
  if (!size) return MalformedVariant("a size beyond the end");
  return ReadText(position, 4, *size, value);
}

Status VariantReader::ReadText(std::size_t position, std::size_t size_width, std::uint64_t size,
                               VariantValue& value) const {
  const std::size_t begin = position + 1 + size_width;
  if (begin > value_.size() || value_.size() - begin < size) return MalformedVariant("bytes beyond the end");
  value.payload = value_.substr(begin, size);
  value.encoded = value_.substr(position, 1 + size_width + size);
  return Ok();
}

Status VariantReader::ReadElements(std::size_t position, unsigned info, VariantValue& value) const {
  const bool is_object = value.layout == VariantLayout::kObject;
  const bool is_large = (info >> (is_object ? 4 : 2) & 1) != 0;
  const std::size_t count_width = is_large ? 4 : 1;
  const std::optional<std::uint64_t> count = ReadVariantNumber(value_, position + 1, count_width);
  if (!count || *count > value_.size())
    return MalformedVariant(is_object ? "an object beyond the end" : "an array beyond the end");
  value.count = *count;
  value.offset_width = (info & 3) + 1;
  value.id_width = is_object ? (info >> 2 & 3) + 1 : 0;
  value.ids = position + 1 + count_width;
  value.offsets = value.ids + value.count * value.id_width;
  value.data = value.offsets + (value.count + 1) * value.offset_width;
  return Ok();
}

Result<std::string_view> VariantReader::NameOf(const VariantValue& object, std::uint64_t i) const {
  const std::optional<std::uint64_t> id = ReadVariantNumber(value_, object.ids + i * object.id_width, object.id_width);
  if (!id) return MalformedVariant("a name's id beyond the end");
  if (*id >= name_count_) return MalformedVariant("an unknown name");
  const std::size_t offsets = 1 + name_offset_width_;
  const auto begin = ReadVariantNumber(metadata_, offsets + *id * name_offset_width_, name_offset_width_);
  const auto end = ReadVariantNumber(metadata_, offsets + (*id + 1) * name_offset_width_, name_offset_width_);
  const std::size_t names = offsets + (name_count_ + 1) * name_offset_width_;
  if (!begin || !end || *begin > *end || *end > metadata_.size() - names) {
    return MalformedVariant("a name beyond the metadata");
  }
  return metadata_.substr(names + *begin, *end - *begin);
}

Result<std::size_t> VariantReader::PositionOf(const VariantValue& parent, std::uint64_t i) const {
  const std::optional<std::uint64_t> offset =
      ReadVariantNumber(value_, parent.offsets + i * parent.offset_width, parent.offset_width);
  if (!offset) return MalformedVariant("an offset beyond the end");
  return parent.data + *offset;
}

}  // namespace braid
