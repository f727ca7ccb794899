#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "types/datum.h"
#include "types/variant_reader.h"

namespace braid {

/// Puts the two binary parts of one VARIANT together, with the bytes that Paimon's GenericVariantBuilder makes of the
/// same calls: numbers in the fewest bytes, names in the order in which they first came, members of objects by name.
///
/// An object or array begins at position(); then come its values, and FinishObject or FinishArray puts its head in
/// front of them. Positions in their lists are relative to that beginning.
class VariantBuilder {
 public:
  struct Member {
    std::uint64_t name_id;
    std::uint64_t offset;
  };

  void AppendNull() { AppendPrimitive(VariantPrimitive::kNull, {}); }
  void AppendBoolean(bool value) { AppendPrimitive(value ? VariantPrimitive::kTrue : VariantPrimitive::kFalse, {}); }
  void AppendInteger(std::int64_t value);
  void AppendFloat(float value);
  void AppendDouble(double value);
  /// Precondition: 0 ≤ scale ≤ 38, and the digits fit 38.
  void AppendDecimal(Int128 unscaled, int scale);
  void AppendText(std::string_view value);
  void AppendBinary(std::string_view value);
  void AppendUuid(std::string_view value) { AppendPrimitive(VariantPrimitive::kUuid, value); }
  void AppendDate(std::int32_t days);
  void AppendTimestamp(std::int64_t micros, bool is_local);
  /// A value of another VARIANT with all that is in it. Errors: kCorruption.
  Status AppendVariant(VariantReader& reader, std::size_t position, int depth);

  std::size_t position() const { return value_.size(); }
  std::uint64_t NameId(std::string_view name);
  void FinishArray(std::size_t begin, const std::vector<std::uint64_t>& offsets);
  /// Errors: kCorruption if a name is there twice.
  Status FinishObject(std::size_t begin, std::vector<Member> members);

  /// The value part.
  const std::string& value() const { return value_; }
  std::string Metadata() const;
  /// Begins another VARIANT.
  void Clear();

 private:
  void AppendPrimitive(VariantPrimitive type, std::string_view payload);
  void AppendSized(VariantPrimitive type, std::string_view payload);

  std::string value_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint64_t> ids_;
};

}  // namespace braid
