#pragma once

#include <cstdint>

namespace braid {

/// The numbers that files have for kinds of types.
enum class OrcTypeKind : std::uint8_t {
  kBoolean = 0,
  kByte = 1,
  kShort = 2,
  kInt = 3,
  kLong = 4,
  kFloat = 5,
  kDouble = 6,
  kString = 7,
  kBinary = 8,
  kTimestamp = 9,
  kList = 10,
  kMap = 11,
  kStruct = 12,
  kUnion = 13,
  kDecimal = 14,
  kDate = 15,
  kVarChar = 16,
  kChar = 17,
  kTimestampInstant = 18,
  kUnknown = 255,  ///< of a later version
};

/// The numbers that files have for kinds of streams.
enum class OrcStreamKind : std::uint8_t {
  kPresent = 0,
  kData = 1,
  kLength = 2,
  kDictionaryData = 3,
  kSecondary = 5,
  kRowIndex = 6,
  kBloomFilter = 8,
};

/// The numbers that files have for how a column is encoded.
enum class OrcEncoding : std::uint8_t { kDirect = 0, kDictionary = 1, kDirectV2 = 2, kDictionaryV2 = 3 };

}  // namespace braid
