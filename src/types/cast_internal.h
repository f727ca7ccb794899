#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "types/data_type.h"
#include "types/datum.h"

namespace braid {

/// Which of Paimon's cast executors converts one type to another.
enum class CastRule : std::uint8_t {
  kNone,
  kSame,  ///< equal but for nullability: values stay as they are
  kPrimitive,  ///< between integers, FLOAT and DOUBLE
  kPrimitiveToDecimal, kDecimalToPrimitive, kDecimalToDecimal,
  kBooleanToNumber, kIntegerToBoolean,
  kIntegerToTimestamp, kTimestampToInteger,
  kTimestampToTimestamp, kTimestampToDate, kTimestampToTime, kDateToTimestamp, kTimeToTimestamp,
  kAtomToText,  ///< BOOLEAN, numbers, DATE, TIME, timestamps
  kNestedToText, kBytesToText, kTextToText,
  kTextToBoolean, kTextToNumber, kTextToDate, kTextToTime, kTextToTimestamp, kTextToBytes,
  kBytesToBytes,
  kNested,  ///< ROW, ARRAY or MAP whose children changed
};

CastRule FindCastRule(const DataType& from, const DataType& to);

/// Equal in everything but the nullability at any depth; ids of fields count.
bool SameButNullability(const DataType& a, const DataType& b);

/// What Java's (byte), (short), (int) and (long) give for a number: the low bits, or for floating numbers the nearest value
/// that fits INT or BIGINT and its low bits then.
std::int64_t NarrowInteger(std::int64_t value, TypeKind kind);
std::int64_t NarrowFloating(double value, TypeKind kind);

/// Cuts a timestamp to a lower precision as Paimon does: toward 1970 below milliseconds' precision, and not at all if its
/// nanoseconds of the second have no more digits than the precision.
Timestamp TruncateTimestamp(const Timestamp& timestamp, int precision);
/// Days since 1970 of a timestamp: rounded down for TIMESTAMP_LTZ, toward 1970 for TIMESTAMP.
std::int64_t TimestampToDays(const Timestamp& timestamp, TypeKind kind);

/// Cuts text to the length in code points; fills it with blanks up to there if the type is CHAR.
std::string FitText(std::string_view text, const DataType& type);
/// Whether FitText would change the text.
bool TextFits(std::string_view text, const DataType& type);
/// Cuts bytes to the length; fills them with zeros up to there if the type is BINARY.
std::string FitBytes(std::string_view bytes, const DataType& type);

/// The text of a value before it is fitted into a type; NULL is "null".
void AppendDatumText(const Datum& value, const DataType& type, std::string& out);

/// The error of a value that cannot be converted.
Error CannotCast(std::string_view text, const DataType& to);

}  // namespace braid
