// HLL sketches. Few elements are kept as they are, as coupons: a slot in the lower 26 bits and a value from 1 to 63
// above them. Up to 7 are a list, more a hash set, and still more become an array of registers, the greatest value of
// each slot. DataSketches for C++ unites them; what it would read or write otherwise than Java is done here, and it
// gets to see nothing that was not checked:
//
// - An array comes as registers packed in 4, 6 or 8 bits. The library is given 8, and what it returns is packed in 4
//   here, as it orders the registers that do not fit into 4 bits otherwise.
// - Sets that can still be updated are hash tables as they lie in memory. The library reads those from streams alone.
// - A sketch that was made out of order has no use for the sum of its "historic inverse probability" (HIP), but Java
//   keeps adding to it. The library is not told about the order, so that it does too.
//
// The forms, all little-endian. Byte 0: length of the preamble in units of 4 bytes; 1: version, 1; 2: family, 7; 3:
// binary logarithm of the number of registers; 4: that of a hash table's length; 5: flags; 6: number of coupons of a
// list, or the least value of all registers; 7: mode in the lower 2 bits, packing in the next 2. A list's coupons
// follow. A set has 4 bytes for their number before them. An array has three doubles, the HIP sum and the sum of the
// inverse powers of 2 of registers up to 31 and of greater ones; 4 bytes, the number of registers with the least
// value; 4 bytes, the number of exceptions; the registers; and the exceptions, registers at least 15 above the least,
// as coupons.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <exception>
#include <sstream>
#include <utility>
#include <vector>

#include <hll.hpp>

#include "base/little_endian.h"
#include "mergetree/sketch_unions_internal.h"

namespace braid {
namespace {

enum Mode : std::uint8_t { kList, kSet, kArray };
enum Packing : std::uint8_t { kIn4Bits, kIn6Bits, kIn8Bits };

constexpr std::uint8_t kVersion = 1;
constexpr std::uint8_t kFamily = 7;
constexpr std::uint8_t kLeastLogK = 4;
constexpr std::uint8_t kMostLogK = 21;
constexpr std::uint8_t kLeastLogKOfSets = 8;
constexpr std::uint8_t kLeastLogTable = 5;  // of a set's table
constexpr std::uint8_t kEmpty = 4;
constexpr std::uint8_t kCompact = 8;
constexpr std::uint8_t kOutOfOrder = 16;
constexpr std::uint8_t kRebuild = 32;  // counts and sums are out of date
constexpr std::size_t kMostListed = 7;
constexpr std::size_t kListTable = 3;  // logarithm of a list's length
constexpr unsigned kSlotBits = 26;
constexpr std::uint32_t kSlotMask = (1U << kSlotBits) - 1;
constexpr std::uint8_t kMostValue = 63;
constexpr std::uint8_t kException = 15;  // in 4 bits
constexpr std::array<std::uint8_t, 3> kPreambleLength = {2, 3, 10};

Error Damaged() { return Error(ErrorCode::kCorruption, "bytes that should be an HLL sketch are not one"); }

bool IsCoupon(std::uint32_t pair) { return pair >> kSlotBits != 0; }

/// Whether a hash table of that length may hold so many. Above three quarters it becomes longer, or an array.
bool Fits(std::size_t count, std::size_t length) { return 4 * count <= 3 * length; }

struct Preamble {
  std::uint8_t length = 0;
  std::uint8_t log_k = 0;
  std::uint8_t log_table = 0;
  std::uint8_t flags = 0;
  std::uint8_t byte_6 = 0;
  std::uint8_t mode = 0;
  std::uint8_t packing = 0;

  bool has(std::uint8_t flag) const { return (flags & flag) != 0; }
  std::size_t k() const { return std::size_t{1} << log_k; }

  void AppendTo(std::string& out) const {
    for (const std::uint8_t byte : {length, kVersion, kFamily, log_k, log_table, flags, byte_6,
                                    static_cast<std::uint8_t>(mode | packing << 2)}) {
      out += static_cast<char>(byte);
    }
  }
};

/// The values of all slots, and what an array keeps beside them.
struct Registers {
  std::vector<std::uint8_t> values;
  double hip = 0;
  // Sums of the inverse powers of 2 of the values up to 31, and of greater ones.
  double low_sum = 0;
  double high_sum = 0;

  /// Sums up in Java's order, as doubles round.
  void SumUp() {
    low_sum = static_cast<double>(values.size());
    high_sum = 0;
    for (const std::uint8_t value : values) {
      if (value == 0) continue;
      low_sum -= 1;
      (value < 32 ? low_sum : high_sum) += std::ldexp(1.0, -value);
    }
  }
};

/// A sketch in a form that the library reads as Java does.
struct Readable {
  std::string bytes;
  std::uint8_t log_k = 0;
  bool out_of_order = false;
};

Result<Preamble> ReadPreamble(LittleEndianReader& in) {
  Preamble preamble;
  preamble.length = in.Read<std::uint8_t>();
  const auto version = in.Read<std::uint8_t>();
  const auto family = in.Read<std::uint8_t>();
  preamble.log_k = in.Read<std::uint8_t>();
  preamble.log_table = in.Read<std::uint8_t>();
  preamble.flags = in.Read<std::uint8_t>();
  preamble.byte_6 = in.Read<std::uint8_t>();
  const auto last = in.Read<std::uint8_t>();
  preamble.mode = last & 3;
  preamble.packing = last >> 2 & 3;
  if (in.failed() || version != kVersion || family != kFamily || preamble.mode > kArray ||
      preamble.packing > kIn8Bits || preamble.length != kPreambleLength[preamble.mode] ||
      preamble.log_k < kLeastLogK || preamble.log_k > kMostLogK) {
    return Damaged();
  }
  return preamble;
}

Result<Readable> ReadList(Preamble preamble, LittleEndianReader& in) {
  const std::size_t count = preamble.byte_6;
  if (count > kMostListed) return Damaged();
  Readable list{.bytes = {}, .log_k = preamble.log_k};
  preamble.log_table = kListTable;
  preamble.flags = static_cast<std::uint8_t>(kCompact | (count == 0 ? kEmpty : 0));
  preamble.AppendTo(list.bytes);
  for (std::size_t i = 0; i < count; ++i) {
    const auto coupon = in.Read<std::uint32_t>();
    if (!IsCoupon(coupon)) return Damaged();
    AppendLittleEndian(coupon, list.bytes);
  }
  return list;
}

Result<Readable> ReadSet(Preamble preamble, LittleEndianReader& in) {
  const std::size_t count = in.Read<std::uint32_t>();
  if (in.failed() || preamble.log_k < kLeastLogKOfSets || !Fits(count, preamble.k() / 8)) return Damaged();
  std::size_t length = count;
  if (!preamble.has(kCompact)) {
    if (preamble.log_table < kLeastLogTable || preamble.log_table > preamble.log_k - 3) return Damaged();
    length = std::size_t{1} << preamble.log_table;
    if (!Fits(count, length)) return Damaged();
  }
  Readable set{.bytes = {}, .log_k = preamble.log_k};
  preamble.flags &= kCompact;
  preamble.byte_6 = 0;
  preamble.AppendTo(set.bytes);
  AppendLittleEndian(static_cast<std::uint32_t>(count), set.bytes);
  const std::string_view table = in.Take(sizeof(std::uint32_t) * length);
  if (in.failed()) return Damaged();
  std::size_t coupons = 0;
  for (std::size_t at = 0; at < table.size(); at += sizeof(std::uint32_t)) {
    const auto coupon = LittleEndianAt<std::uint32_t>(table, at);
    if (coupon == 0 && !preamble.has(kCompact)) continue;
    if (!IsCoupon(coupon)) return Damaged();
    ++coupons;
  }
  if (coupons != count) return Damaged();
  set.bytes += table;
  return set;
}

/// Values of registers of 4 bits. Those that do not fit stand behind them as pairs of slot and value.
Result<std::vector<std::uint8_t>> Unpack4Bits(const Preamble& preamble, std::uint32_t exception_count,
                                              LittleEndianReader& in) {
  const std::string_view packed = in.Take(preamble.k() / 2);
  const bool is_table = exception_count > 0 && !preamble.has(kCompact);
  if (is_table && preamble.log_table > preamble.log_k) return Damaged();
  const std::size_t pairs = is_table ? std::size_t{1} << preamble.log_table : exception_count;
  const std::string_view exceptions = in.Take(sizeof(std::uint32_t) * pairs);
  if (in.failed() || preamble.byte_6 > kMostValue) return Damaged();

  std::vector<std::uint8_t> values(preamble.k());
  std::vector<bool> missing(preamble.k());
  std::size_t missing_count = 0;
  for (std::size_t slot = 0; slot < values.size(); ++slot) {
    const auto stored = static_cast<std::uint8_t>(static_cast<std::uint8_t>(packed[slot / 2]) >> slot % 2 * 4 & 15);
    missing[slot] = stored == kException;
    missing_count += missing[slot] ? 1 : 0;
    values[slot] = static_cast<std::uint8_t>(stored + preamble.byte_6);
  }
  if (missing_count != exception_count) return Damaged();
  for (std::size_t at = 0; at < exceptions.size(); at += sizeof(std::uint32_t)) {
    const auto pair = LittleEndianAt<std::uint32_t>(exceptions, at);
    if (pair == 0 && is_table) continue;
    const std::size_t slot = pair & kSlotMask & (preamble.k() - 1);
    const auto value = static_cast<std::uint8_t>(pair >> kSlotBits);
    if (!missing[slot] || value < preamble.byte_6 + kException) return Damaged();
    missing[slot] = false;
    --missing_count;
    values[slot] = value;
  }
  if (missing_count != 0) return Damaged();
  return values;
}

Result<std::vector<std::uint8_t>> Unpack6Bits(const Preamble& preamble, LittleEndianReader& in) {
  const std::string_view packed = in.Take(preamble.k() * 3 / 4 + 1);
  if (in.failed()) return Damaged();
  std::vector<std::uint8_t> values(preamble.k());
  for (std::size_t slot = 0; slot < values.size(); ++slot) {
    const auto two_bytes = LittleEndianAt<std::uint16_t>(packed, slot * 6 / 8);
    values[slot] = static_cast<std::uint8_t>(two_bytes >> slot * 6 % 8 & kMostValue);
  }
  return values;
}

/// `keeps_hip`: whether the HIP sum outlives the union.
Result<Readable> ReadArray(Preamble preamble, bool keeps_hip, LittleEndianReader& in) {
  Registers registers;
  registers.hip = in.Read<double>();
  const auto low_sum = in.Read<double>();
  const auto high_sum = in.Read<double>();
  const auto least_count = in.Read<std::uint32_t>();
  const auto exception_count = in.Read<std::uint32_t>();
  if (preamble.packing == kIn4Bits) {
    BRAID_TRY_ASSIGN(registers.values, Unpack4Bits(preamble, exception_count, in));
  } else if (preamble.packing == kIn6Bits) {
    BRAID_TRY_ASSIGN(registers.values, Unpack6Bits(preamble, in));
  } else {
    const std::string_view values = in.Take(preamble.k());
    registers.values.assign(values.begin(), values.end());
  }
  const auto above = [](std::uint8_t value) { return value > kMostValue; };
  if (in.failed() || std::any_of(registers.values.begin(), registers.values.end(), above)) return Damaged();
  const auto zeros = static_cast<std::uint32_t>(std::count(registers.values.begin(), registers.values.end(), 0));
  const bool rebuild = preamble.has(kRebuild);
  if (!rebuild && preamble.byte_6 == 0 && least_count != zeros) return Damaged();

  registers.SumUp();
  if (preamble.packing == kIn8Bits && !rebuild) {
    registers.low_sum = low_sum;
    registers.high_sum = high_sum;
  }
  Readable array{.bytes = {}, .log_k = preamble.log_k};
  array.out_of_order = preamble.has(kOutOfOrder) && zeros < preamble.k();
  preamble.packing = kIn8Bits;
  preamble.flags = kCompact;
  preamble.log_table = 0;
  preamble.byte_6 = 0;
  preamble.AppendTo(array.bytes);
  AppendLittleEndian(array.out_of_order && !keeps_hip ? 0.0 : registers.hip, array.bytes);
  AppendLittleEndian(registers.low_sum, array.bytes);
  AppendLittleEndian(registers.high_sum, array.bytes);
  AppendLittleEndian(zeros, array.bytes);
  AppendLittleEndian(std::uint32_t{0}, array.bytes);
  array.bytes.append(registers.values.begin(), registers.values.end());
  return array;
}

/// `most_log_k`: if the sketch is larger, it is going to be made smaller, where Java drops what is of no use.
Result<Readable> ReadSketch(std::string_view bytes, std::uint8_t most_log_k) {
  LittleEndianReader in(bytes);
  BRAID_TRY_ASSIGN(const Preamble preamble, ReadPreamble(in));
  Result<Readable> sketch = preamble.mode == kList  ? ReadList(preamble, in)
                            : preamble.mode == kSet ? ReadSet(preamble, in)
                                                    : ReadArray(preamble, preamble.log_k <= most_log_k, in);
  if (in.failed()) return Damaged();
  return sketch;
}

/// Registers that do not fit into 4 bits: a hash table by slot, whose order is that of the bytes.
class Exceptions {
 public:
  explicit Exceptions(std::uint8_t log_k) : log_table_(datasketches::hll_constants::LG_AUX_ARR_INTS[log_k]) {}

  void Add(std::uint32_t slot, std::uint8_t value) {
    if (table_.empty()) table_.resize(std::size_t{1} << log_table_);
    Put(std::uint32_t{value} << kSlotBits | slot);
    if (Fits(++count_, table_.size())) return;
    ++log_table_;
    const std::vector<std::uint32_t> old = std::exchange(table_, std::vector<std::uint32_t>(2 * table_.size()));
    for (const std::uint32_t pair : old) {
      if (pair != 0) Put(pair);
    }
  }

  std::uint32_t count() const { return count_; }
  /// 0 if there are none.
  std::uint8_t log_table() const { return count_ == 0 ? 0 : log_table_; }

  void AppendTo(std::string& out) const {
    for (const std::uint32_t pair : table_) {
      if (pair != 0) AppendLittleEndian(pair, out);
    }
  }

 private:
  void Put(std::uint32_t pair) {
    const std::size_t slot = pair & kSlotMask;
    const std::size_t mask = table_.size() - 1;
    std::size_t at = slot & mask;
    while (table_[at] != 0) at = (at + (slot >> log_table_ | 1)) & mask;
    table_[at] = pair;
  }

  std::uint8_t log_table_;
  std::uint32_t count_ = 0;
  std::vector<std::uint32_t> table_;
};

std::string PackIn4Bits(Registers registers, std::uint8_t log_k, bool out_of_order) {
  registers.SumUp();
  const std::vector<std::uint8_t>& values = registers.values;
  const std::uint8_t least = *std::min_element(values.begin(), values.end());
  Exceptions exceptions(log_k);
  std::string packed(values.size() / 2, '\0');
  for (std::size_t slot = 0; slot < values.size(); ++slot) {
    auto stored = static_cast<unsigned>(values[slot] - least);
    if (stored >= kException) {
      exceptions.Add(static_cast<std::uint32_t>(slot), values[slot]);
      stored = kException;
    }
    packed[slot / 2] = static_cast<char>(static_cast<std::uint8_t>(packed[slot / 2]) | stored << slot % 2 * 4);
  }
  std::string bytes;
  Preamble{.length = kPreambleLength[kArray],
           .log_k = log_k,
           .log_table = exceptions.log_table(),
           .flags = static_cast<std::uint8_t>(kCompact | (out_of_order ? kOutOfOrder : 0)),
           .byte_6 = least,
           .mode = kArray,
           .packing = kIn4Bits}
      .AppendTo(bytes);
  AppendLittleEndian(registers.hip, bytes);
  AppendLittleEndian(registers.low_sum, bytes);
  AppendLittleEndian(registers.high_sum, bytes);
  AppendLittleEndian(static_cast<std::uint32_t>(std::count(values.begin(), values.end(), least)), bytes);
  AppendLittleEndian(exceptions.count(), bytes);
  bytes += packed;
  exceptions.AppendTo(bytes);
  return bytes;
}

datasketches::hll_sketch InLibrary(const Readable& sketch) {
  std::istringstream in(sketch.bytes);
  return datasketches::hll_sketch::deserialize(in);
}

std::string BytesOf(const datasketches::hll_union& both, datasketches::target_hll_type type) {
  const auto bytes = both.get_result(type).serialize_compact();
  return std::string(bytes.begin(), bytes.end());
}

}  // namespace

Result<std::string> UnionHllSketches(std::string_view accumulated, std::string_view input) {
  // As in Java the input is what is added to, so that its size limits the result's.
  BRAID_TRY_ASSIGN(const Readable target, ReadSketch(input, kMostLogK));
  BRAID_TRY_ASSIGN(const Readable source, ReadSketch(accumulated, target.log_k));
  try {
    datasketches::hll_union both(target.log_k);
    both.update(InLibrary(target));
    both.update(InLibrary(source));
    const std::string bytes = BytesOf(both, datasketches::HLL_8);
    LittleEndianReader in(bytes);
    BRAID_TRY_ASSIGN(const Preamble preamble, ReadPreamble(in));
    if (preamble.mode != kArray) return BytesOf(both, datasketches::HLL_4);
    Registers registers;
    registers.hip = in.Read<double>();
    in.Take(2 * sizeof(double) + 2 * sizeof(std::uint32_t));
    registers.values.assign(in.rest().begin(), in.rest().end());
    const bool out_of_order = preamble.has(kOutOfOrder) || target.out_of_order || source.out_of_order;
    return PackIn4Bits(std::move(registers), preamble.log_k, out_of_order);
  } catch (const std::exception&) {
    return Damaged();
  }
}

}  // namespace braid
