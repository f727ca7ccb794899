#pragma once

// What bitmap, bit-sliced and range-bitmap indexes keep of a value.

#include <optional>
#include <string>

#include "base/result.h"
#include "format/big_endian_internal.h"
#include "types/data_type.h"
#include "types/datum.h"

namespace braid {

/// Orders keys of one type as CompareDatums does.
struct IndexKeyLess {
  bool operator()(const Datum& a, const Datum& b) const { return CompareDatums(a, b) < 0; }
};

struct IndexKey {
  Datum key;
  bool is_exact = true;  ///< no other value has this key
};

/// The key of a value that is not NULL: of a timestamp its milliseconds, above precision 3 its microseconds; of a decimal
/// its unscaled number; of others the value itself. nullopt if 64 bits do not hold it.
std::optional<IndexKey> IndexKeyOf(const Datum& value, const DataType& type);

/// Whether keys of the type can be stored: not of bytes and nested types.
bool HasStoredKeys(const DataType& type);
/// Bytes of a stored key; 0 for text, whose length is stored before it.
int StoredKeyBytes(const DataType& type);
void AppendIndexKey(const Datum& key, const DataType& type, std::string& out);
/// Errors: kCorruption. Precondition: HasStoredKeys.
Result<Datum> ReadIndexKey(BigEndianReader& in, const DataType& type);

}  // namespace braid
