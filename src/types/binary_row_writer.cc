#include <algorithm>

#include "base/result.h"
#include "types/binary_row_layout_internal.h"

namespace braid {

std::size_t ElementBytes(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kBoolean:
    case TypeKind::kTinyInt: return 1;
    case TypeKind::kSmallInt: return 2;
    case TypeKind::kInt:
    case TypeKind::kFloat:
    case TypeKind::kDate:
    case TypeKind::kTime: return 4;
    default: return kWord;
  }
}

void PutBytes(std::string& out, std::size_t base, std::size_t slot, std::string_view bytes) {
  if (bytes.size() < kWord) {
    std::ranges::copy(bytes, out.begin() + static_cast<std::ptrdiff_t>(slot));
    out[slot + 7] = static_cast<char>(0x80 | bytes.size());
    return;
  }
  StoreReference(out, base, slot, bytes.size());
  out.append(bytes);
  PadToWord(out, base);
}

void PutWideDecimal(std::string& out, std::size_t base, std::size_t slot, Int128 unscaled) {
  // The fewest bytes that still show the sign, as Java's BigInteger.toByteArray.
  std::size_t length = 1;
  for (Int128 rest = unscaled >> 7; rest != 0 && rest != -1; rest >>= 8) ++length;
  StoreReference(out, base, slot, length);
  for (std::size_t i = length; i > 0; --i) out.push_back(static_cast<char>(unscaled >> (8 * (i - 1))));
  out.append(16 - length, '\0');
}

void PutWideTimestamp(std::string& out, std::size_t base, std::size_t slot, Timestamp value) {
  StoreReference(out, base, slot, static_cast<std::size_t>(value.nanos_of_milli));
  out.append(kWord, '\0');
  StoreAt(out, out.size() - kWord, value.millis);
}

void PutNullField(std::string& out, std::size_t base, std::size_t slot, std::size_t field, const DataType& type) {
  SetNullBit(out, base, field);
  const bool is_wide_decimal = IsWideDecimal(type);
  if (!is_wide_decimal && !IsWideTimestamp(type)) return;
  StoreReference(out, base, slot, 0);
  out.append(is_wide_decimal ? 2 * kWord : kWord, '\0');
}

namespace {

template <typename TypeAt>
void AppendRow(std::string& out, std::span<const Datum> values, const TypeAt& type_at) {
  const std::size_t base = out.size();
  out.resize(base + RowFixedBytes(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t slot = base + RowHeaderBytes(values.size()) + kWord * i;
    if (values[i].is_null()) {
      PutNullField(out, base, slot, i, type_at(i));
    } else {
      PutValue(out, base, slot, values[i], type_at(i));
    }
  }
}

/// `value_at(i)` is the i-th of `size` elements. NULL elements keep no room, unlike NULL fields.
template <typename ValueAt>
void AppendArray(std::string& out, std::size_t size, const DataType& element, const ValueAt& value_at) {
  const std::size_t base = out.size();
  const std::size_t width = ElementBytes(element);
  const std::size_t first = base + ArrayHeaderBytes(size);
  out.resize(base + AlignToWord(ArrayHeaderBytes(size) + width * size));
  StoreAt(out, base, static_cast<std::int32_t>(size));
  for (std::size_t i = 0; i < size; ++i) {
    const Datum& value = value_at(i);
    if (value.is_null()) {
      char& byte = out[base + 4 + i / 8];
      byte = static_cast<char>(byte | (1 << (i % 8)));
    } else {
      PutValue(out, base, first + width * i, value, element);
    }
  }
}

void AppendMap(std::string& out, const DatumList& entries, const DataType& key, const DataType& value) {
  const std::size_t base = out.size();
  out.resize(base + 4);
  AppendArray(out, entries.size(), key, [&](std::size_t i) -> const Datum& { return entries[i].as_list()[0]; });
  StoreAt(out, base, static_cast<std::int32_t>(out.size() - base - 4));
  AppendArray(out, entries.size(), value, [&](std::size_t i) -> const Datum& { return entries[i].as_list()[1]; });
}

void AppendVector(std::string& out, const DatumList& elements, const DataType& element) {
  const std::size_t base = out.size();
  const std::size_t width = ElementBytes(element);
  // Java counts the padding as part of the vector.
  out.resize(base + 4 + AlignToWord(width * elements.size()));
  StoreAt(out, base, static_cast<std::int32_t>(elements.size()));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (!elements[i].is_null()) PutValue(out, base, base + 4 + width * i, elements[i], element);
  }
}

void AppendVariant(std::string& out, const DatumList& parts) {
  const std::string& value = parts[0].as_string();
  const std::size_t base = out.size();
  out.resize(base + 4);
  StoreAt(out, base, static_cast<std::int32_t>(value.size()));
  out.append(value).append(parts[1].as_string());
}

void AppendNested(std::string& out, const DatumList& list, const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kVariant: return AppendVariant(out, list);
    case TypeKind::kArray:
      return AppendArray(out, list.size(), type.element(), [&](std::size_t i) -> const Datum& { return list[i]; });
    case TypeKind::kMultiset: return AppendMap(out, list, type.element(), DataType::Int());
    case TypeKind::kMap: return AppendMap(out, list, type.key(), type.element());
    case TypeKind::kVector: return AppendVector(out, list, type.element());
    default: return AppendRow(out, list, [&](std::size_t i) -> const DataType& { return type.fields()[i].type; });
  }
}

void PutNested(std::string& out, std::size_t base, std::size_t slot, const Datum& value, const DataType& type) {
  const std::size_t start = out.size();
  AppendNested(out, value.as_list(), type);
  StoreAt(out, slot, static_cast<std::uint32_t>(out.size() - start));
  StoreAt(out, slot + 4, static_cast<std::uint32_t>(start - base));
  PadToWord(out, base);
}

void PutDecimal(std::string& out, std::size_t base, std::size_t slot, const Datum& value, const DataType& type) {
  if (IsWideDecimal(type)) {
    PutWideDecimal(out, base, slot, value.as_decimal().unscaled);
  } else {
    StoreAt(out, slot, static_cast<std::int64_t>(value.as_decimal().unscaled));
  }
}

void PutTimestamp(std::string& out, std::size_t base, std::size_t slot, const Datum& value, const DataType& type) {
  if (IsWideTimestamp(type)) {
    PutWideTimestamp(out, base, slot, value.as_timestamp());
  } else {
    StoreAt(out, slot, value.as_timestamp().millis);
  }
}

}  // namespace

void PutValue(std::string& out, std::size_t base, std::size_t slot, const Datum& value, const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kBoolean: return StoreAt(out, slot, static_cast<std::int8_t>(value.as_bool()));
    case TypeKind::kTinyInt: return StoreAt(out, slot, static_cast<std::int8_t>(value.as_int()));
    case TypeKind::kSmallInt: return StoreAt(out, slot, static_cast<std::int16_t>(value.as_int()));
    case TypeKind::kInt:
    case TypeKind::kDate:
    case TypeKind::kTime: return StoreAt(out, slot, static_cast<std::int32_t>(value.as_int()));
    case TypeKind::kBigInt: return StoreAt(out, slot, value.as_int());
    case TypeKind::kFloat: return StoreAt(out, slot, value.as_float());
    case TypeKind::kDouble: return StoreAt(out, slot, value.as_double());
    case TypeKind::kDecimal: return PutDecimal(out, base, slot, value, type);
    case TypeKind::kChar:
    case TypeKind::kVarChar:
    case TypeKind::kBinary:
    case TypeKind::kVarBinary:
    case TypeKind::kBlob: return PutBytes(out, base, slot, value.as_string());
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: return PutTimestamp(out, base, slot, value, type);
    case TypeKind::kVariant:
    case TypeKind::kArray:
    case TypeKind::kMultiset:
    case TypeKind::kMap:
    case TypeKind::kRow:
    case TypeKind::kVector: return PutNested(out, base, slot, value, type);
  }
}

void AppendBinaryRow(std::string& out, std::span<const DataType> types, std::span<const Datum> values) {
  BRAID_CHECK(types.size() == values.size());
  AppendRow(out, values, [types](std::size_t i) -> const DataType& { return types[i]; });
}

}  // namespace braid
