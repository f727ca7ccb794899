#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "types/data_type.h"
#include "types/datum.h"

namespace braid {

// Building blocks of rows, arrays and maps in Paimon's binary layout (spec metadata.md §5). Writers append to one string;
// `base` is where the row or array that owns a slot starts in it, since offsets count from there.

static_assert(std::endian::native == std::endian::little, "the layout is little-endian and values are copied as they are");

constexpr std::size_t kWord = 8;
constexpr std::size_t AlignToWord(std::size_t size) { return (size + kWord - 1) / kWord * kWord; }
/// Bytes before the slots of a row: its kind and one bit a field.
constexpr std::size_t RowHeaderBytes(std::size_t arity) { return (arity + 63 + 8) / 64 * kWord; }
constexpr std::size_t RowFixedBytes(std::size_t arity) { return RowHeaderBytes(arity) + kWord * arity; }
/// Bytes before the elements of an array: its size and one bit an element.
constexpr std::size_t ArrayHeaderBytes(std::size_t size) { return 4 + (size + 31) / 32 * 4; }
/// Bytes that an element takes in the fixed part of an array or vector.
std::size_t ElementBytes(const DataType& type);

inline bool IsWideDecimal(const DataType& type) { return type.kind() == TypeKind::kDecimal && type.precision() > 18; }
inline bool IsWideTimestamp(const DataType& type) { return type.is_timestamp() && type.precision() > 3; }

template <typename T>
T LoadAt(std::string_view bytes, std::size_t position) {
  T value;
  std::memcpy(&value, bytes.data() + position, sizeof(T));
  return value;
}

template <typename T>
void StoreAt(std::string& out, std::size_t position, T value) {
  std::memcpy(out.data() + position, &value, sizeof(T));
}

/// Writes the low half and, as the high half, where the variable part that comes next will start.
inline void StoreReference(std::string& out, std::size_t base, std::size_t slot, std::size_t low) {
  StoreAt(out, slot, static_cast<std::uint32_t>(low));
  StoreAt(out, slot + 4, static_cast<std::uint32_t>(out.size() - base));
}

inline void PadToWord(std::string& out, std::size_t base) { out.resize(base + AlignToWord(out.size() - base)); }

inline void SetNullBit(std::string& out, std::size_t base, std::size_t field) {
  char& byte = out[base + (field + 8) / 8];
  byte = static_cast<char>(byte | (1 << ((field + 8) % 8)));
}

/// Text or bytes: up to seven of them lie in the slot itself.
void PutBytes(std::string& out, std::size_t base, std::size_t slot, std::string_view bytes);
/// A decimal of more than 18 digits.
void PutWideDecimal(std::string& out, std::size_t base, std::size_t slot, Int128 unscaled);
/// A timestamp of more than three fractional digits.
void PutWideTimestamp(std::string& out, std::size_t base, std::size_t slot, Timestamp value);
/// NULL in a row, which keeps the room of wide decimals and timestamps.
void PutNullField(std::string& out, std::size_t base, std::size_t slot, std::size_t field, const DataType& type);
/// Any value but NULL.
void PutValue(std::string& out, std::size_t base, std::size_t slot, const Datum& value, const DataType& type);
/// Appends a whole row.
void AppendBinaryRow(std::string& out, std::span<const DataType> types, std::span<const Datum> values);

}  // namespace braid
