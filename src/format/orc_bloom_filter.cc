#include "format/orc_bloom_filter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "format/orc_proto.h"

namespace braid {
namespace {

/// Murmur3 as Hive has it: 64 bits of which every eight bytes are mixed alike.
std::uint64_t HashBytes(std::string_view bytes) {
  constexpr std::uint64_t kSeed = 104'729;
  constexpr std::uint64_t kFactor1 = 0x87c37b91114253d5;
  constexpr std::uint64_t kFactor2 = 0x4cf5ad432745937f;
  const auto mixed = [](std::uint64_t word) { return std::rotl(word * kFactor1, 31) * kFactor2; };
  const auto word_of = [](std::string_view part) {
    std::uint64_t word = 0;
    for (std::size_t i = part.size(); i-- > 0;) word = (word << 8) | static_cast<unsigned char>(part[i]);
    return word;
  };
  std::uint64_t hash = kSeed;
  std::string_view rest = bytes;
  for (; rest.size() >= 8; rest.remove_prefix(8))
    hash = std::rotl(hash ^ mixed(word_of(rest.substr(0, 8))), 27) * 5 + 0x52dce729;
  if (!rest.empty()) hash ^= mixed(word_of(rest));
  hash ^= bytes.size();
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccd;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53;
  return hash ^ (hash >> 33);
}

/// Thomas Wang's hash of integers, whose shifts to the right keep the sign.
std::uint64_t HashInteger(std::int64_t value) {
  auto hash = static_cast<std::uint64_t>(value);
  const auto shifted = [&hash](unsigned bits) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(hash) >> bits);
  };
  hash = ~hash + (hash << 21);
  hash ^= shifted(24);
  hash = hash + (hash << 3) + (hash << 8);
  hash ^= shifted(14);
  hash = hash + (hash << 2) + (hash << 4);
  hash ^= shifted(28);
  return hash + (hash << 31);
}

}  // namespace

OrcBloomFilter::OrcBloomFilter(std::int64_t value_count, double false_positives) {
  const auto count = static_cast<double>(std::max<std::int64_t>(value_count, 1));
  const double ln2 = std::numbers::ln2;
  const auto wanted = static_cast<std::uint32_t>(std::min(-count * std::log(false_positives) / (ln2 * ln2), 1e9));
  bit_count_ = wanted + (64 - wanted % 64);
  hash_count_ =
      std::max(1U, static_cast<std::uint32_t>(std::floor(static_cast<double>(bit_count_) / count * ln2 + 0.5)));
  bits_.resize(bit_count_ / 64);
}

void OrcBloomFilter::AddHash(std::uint64_t hash) {
  const auto first = static_cast<std::uint32_t>(hash);
  const auto second = static_cast<std::uint32_t>(hash >> 32);
  for (std::uint32_t i = 1; i <= hash_count_; ++i) {
    std::uint32_t combined = first + i * second;
    if ((combined >> 31) != 0) combined = ~combined;
    const std::uint32_t bit = combined % bit_count_;
    bits_[bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
}

void OrcBloomFilter::AddInteger(std::int64_t value) {
  AddHash(HashInteger(value));
}

void OrcBloomFilter::AddDouble(double value) {
  // Java has one NaN here.
  AddInteger(std::bit_cast<std::int64_t>(std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value));
}

void OrcBloomFilter::AddBytes(std::string_view bytes) {
  AddHash(HashBytes(bytes));
}

std::string OrcBloomFilter::Take() {
  std::string bytes;
  for (const std::uint64_t word : bits_) {
    for (unsigned shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(word >> shift);
  }
  std::ranges::fill(bits_, 0);
  OrcMessageWriter message;
  message.AddNumber(1, hash_count_);
  message.AddBytes(3, bytes);
  return message.bytes();
}

}  // namespace braid
