// Values out of stored rows. Nothing here trusts an offset or a length.

#include <utility>

#include <fmt/format.h>

#include "types/binary_row.h"
#include "types/binary_row_layout_internal.h"

namespace braid {

namespace {

Error Damaged(const DataType& type, std::string_view what) {
  return Error(ErrorCode::kCorruption, fmt::format("a stored row is damaged: a value of type {} {}", type.ToString(), what));
}

Result<std::string_view> Part(std::string_view whole, std::int64_t offset, std::int64_t size, const DataType& type) {
  const auto limit = static_cast<std::int64_t>(whole.size());
  if (offset < 0 || size < 0 || offset > limit || size > limit - offset) return Damaged(type, "lies outside the row");
  return whole.substr(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
}

/// The two halves of an 8-byte slot.
struct Reference {
  std::int32_t low;
  std::int32_t offset;
};

Reference ReferenceAt(std::string_view whole, std::size_t slot) {
  return {LoadAt<std::int32_t>(whole, slot), LoadAt<std::int32_t>(whole, slot + 4)};
}

Result<Datum> ReadValue(std::string_view whole, std::size_t slot, const DataType& type);

Result<Datum> ReadBytes(std::string_view whole, std::size_t slot, const DataType& type) {
  const auto mark = static_cast<unsigned char>(whole[slot + 7]);
  if ((mark & 0x80) != 0) {
    const std::size_t length = mark & 0x7fU;
    if (length > 7) return Damaged(type, "has a wrong length");
    return Datum(std::string(whole.substr(slot, length)));
  }
  const Reference reference = ReferenceAt(whole, slot);
  BRAID_TRY_ASSIGN(const std::string_view bytes, Part(whole, reference.offset, reference.low, type));
  return Datum(std::string(bytes));
}

Result<Datum> ReadDecimal(std::string_view whole, std::size_t slot, const DataType& type) {
  if (!IsWideDecimal(type)) return Datum(Decimal{LoadAt<std::int64_t>(whole, slot)});
  const Reference reference = ReferenceAt(whole, slot);
  if (reference.low < 1 || reference.low > 16) return Damaged(type, "has a wrong length");
  BRAID_TRY_ASSIGN(const std::string_view bytes, Part(whole, reference.offset, reference.low, type));
  // Big-endian; the first byte carries the sign.
  Int128 unscaled = static_cast<signed char>(bytes[0]);
  for (const char byte : bytes.substr(1)) unscaled = unscaled * 256 + static_cast<unsigned char>(byte);
  return Datum(Decimal{unscaled});
}

Result<Datum> ReadTimestamp(std::string_view whole, std::size_t slot, const DataType& type) {
  if (!IsWideTimestamp(type)) return Datum(Timestamp{LoadAt<std::int64_t>(whole, slot), 0});
  const Reference reference = ReferenceAt(whole, slot);
  if (reference.low < 0 || reference.low > 999'999) return Damaged(type, "has a wrong fraction of a second");
  BRAID_TRY_ASSIGN(const std::string_view bytes, Part(whole, reference.offset, 8, type));
  return Datum(Timestamp{LoadAt<std::int64_t>(bytes, 0), reference.low});
}

Result<DatumList> ReadArray(std::string_view bytes, const DataType& element, const DataType& type) {
  if (bytes.size() < 4) return Damaged(type, "is cut off");
  const std::int32_t stored_size = LoadAt<std::int32_t>(bytes, 0);
  // Each element takes a byte at least, so that no count can ask for more than there is.
  if (stored_size < 0 || static_cast<std::size_t>(stored_size) > bytes.size()) return Damaged(type, "has a wrong size");
  const auto size = static_cast<std::size_t>(stored_size);
  const std::size_t width = ElementBytes(element);
  if (ArrayHeaderBytes(size) + width * size > bytes.size()) return Damaged(type, "is cut off");
  DatumList out;
  out.reserve(size);
  for (std::size_t i = 0; i < size; ++i) {
    if ((static_cast<unsigned char>(bytes[4 + i / 8]) >> (i % 8) & 1) != 0) {
      out.emplace_back();
      continue;
    }
    BRAID_TRY_ASSIGN(Datum value, ReadValue(bytes, ArrayHeaderBytes(size) + width * i, element));
    out.push_back(std::move(value));
  }
  return out;
}

Result<Datum> ReadMap(std::string_view bytes, const DataType& key, const DataType& value, const DataType& type) {
  if (bytes.size() < 4) return Damaged(type, "is cut off");
  const std::int64_t key_bytes = LoadAt<std::int32_t>(bytes, 0);
  BRAID_TRY_ASSIGN(const std::string_view key_array, Part(bytes, 4, key_bytes, type));
  const std::string_view value_array = bytes.substr(4 + key_array.size());
  BRAID_TRY_ASSIGN(DatumList keys, ReadArray(key_array, key, type));
  BRAID_TRY_ASSIGN(DatumList values, ReadArray(value_array, value, type));
  if (keys.size() != values.size()) return Damaged(type, "has not as many keys as values");
  DatumList entries;
  entries.reserve(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    entries.emplace_back(DatumList{std::move(keys[i]), std::move(values[i])});
  }
  return Datum(std::move(entries));
}

Result<Datum> ReadVector(std::string_view bytes, const DataType& type) {
  const std::size_t width = ElementBytes(type.element());
  const auto size = static_cast<std::size_t>(type.length());
  if (bytes.size() < 4 || LoadAt<std::int32_t>(bytes, 0) != type.length() || size > (bytes.size() - 4) / width) {
    return Damaged(type, "has a wrong size");
  }
  DatumList out;
  out.reserve(size);
  for (std::size_t i = 0; i < size; ++i) {
    BRAID_TRY_ASSIGN(Datum value, ReadValue(bytes, 4 + width * i, type.element()));
    out.push_back(std::move(value));
  }
  return Datum(std::move(out));
}

Result<Datum> ReadVariant(std::string_view bytes, const DataType& type) {
  if (bytes.size() < 4) return Damaged(type, "is cut off");
  BRAID_TRY_ASSIGN(const std::string_view value, Part(bytes, 4, LoadAt<std::int32_t>(bytes, 0), type));
  return Datum(DatumList{std::string(value), std::string(bytes.substr(4 + value.size()))});
}

bool IsNullField(std::string_view row, std::size_t field) {
  return (static_cast<unsigned char>(row[(field + 8) / 8]) >> ((field + 8) % 8) & 1) != 0;
}

/// Precondition: the fixed part is there.
Result<Datum> ReadField(std::string_view row, std::size_t arity, std::size_t field, const DataType& type) {
  if (IsNullField(row, field)) return Datum();
  return ReadValue(row, RowHeaderBytes(arity) + kWord * field, type);
}

Result<Datum> ReadRow(std::string_view bytes, const DataType& type) {
  const std::span<const DataField> fields = type.fields();
  if (bytes.size() < RowFixedBytes(fields.size())) return Damaged(type, "is cut off");
  DatumList out;
  out.reserve(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    BRAID_TRY_ASSIGN(Datum value, ReadField(bytes, fields.size(), i, fields[i].type));
    out.push_back(std::move(value));
  }
  return Datum(std::move(out));
}

Result<Datum> ReadNested(std::string_view whole, std::size_t slot, const DataType& type) {
  const Reference reference = ReferenceAt(whole, slot);
  BRAID_TRY_ASSIGN(const std::string_view bytes, Part(whole, reference.offset, reference.low, type));
  switch (type.kind()) {
    case TypeKind::kVariant: return ReadVariant(bytes, type);
    case TypeKind::kMultiset: return ReadMap(bytes, type.element(), DataType::Int(), type);
    case TypeKind::kMap: return ReadMap(bytes, type.key(), type.element(), type);
    case TypeKind::kVector: return ReadVector(bytes, type);
    case TypeKind::kRow: return ReadRow(bytes, type);
    default: break;
  }
  BRAID_TRY_ASSIGN(DatumList elements, ReadArray(bytes, type.element(), type));
  return Datum(std::move(elements));
}

/// Precondition: the slot, as wide as ElementBytes(type) says, lies within the bytes.
Result<Datum> ReadValue(std::string_view whole, std::size_t slot, const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kBoolean: return Datum(whole[slot] != 0);
    case TypeKind::kTinyInt: return Datum(std::int64_t{LoadAt<std::int8_t>(whole, slot)});
    case TypeKind::kSmallInt: return Datum(std::int64_t{LoadAt<std::int16_t>(whole, slot)});
    case TypeKind::kInt:
    case TypeKind::kDate:
    case TypeKind::kTime: return Datum(std::int64_t{LoadAt<std::int32_t>(whole, slot)});
    case TypeKind::kBigInt: return Datum(LoadAt<std::int64_t>(whole, slot));
    case TypeKind::kFloat: return Datum(LoadAt<float>(whole, slot));
    case TypeKind::kDouble: return Datum(LoadAt<double>(whole, slot));
    case TypeKind::kDecimal: return ReadDecimal(whole, slot, type);
    case TypeKind::kChar:
    case TypeKind::kVarChar:
    case TypeKind::kBinary:
    case TypeKind::kVarBinary:
    case TypeKind::kBlob: return ReadBytes(whole, slot, type);
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: return ReadTimestamp(whole, slot, type);
    case TypeKind::kVariant:
    case TypeKind::kArray:
    case TypeKind::kMultiset:
    case TypeKind::kMap:
    case TypeKind::kRow:
    case TypeKind::kVector: return ReadNested(whole, slot, type);
  }
  return Damaged(type, "cannot be read");
}

}  // namespace

bool BinaryRow::IsNull(int field) const {
  return field < 0 || field >= arity() || IsNullField(bytes(), static_cast<std::size_t>(field));
}

Result<Datum> BinaryRow::Get(int field, const DataType& type) const {
  if (field < 0 || field >= arity()) {
    return Error(ErrorCode::kCorruption, fmt::format("a stored row has {} fields; number {} is missing", arity(), field + 1));
  }
  return ReadField(bytes(), static_cast<std::size_t>(arity()), static_cast<std::size_t>(field), type);
}

Result<DatumList> BinaryRow::ToDatums(std::span<const DataType> types) const {
  if (types.size() != static_cast<std::size_t>(arity())) {
    return Error(ErrorCode::kCorruption, fmt::format("a stored row has {} fields instead of {}", arity(), types.size()));
  }
  DatumList out;
  out.reserve(types.size());
  for (std::size_t i = 0; i < types.size(); ++i) {
    BRAID_TRY_ASSIGN(Datum value, Get(static_cast<int>(i), types[i]));
    out.push_back(std::move(value));
  }
  return out;
}

}  // namespace braid
