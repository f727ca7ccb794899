#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace braid {

/// Tells of a row group whether it may have a value, as ORC files have it (streams of kind BLOOM_FILTER_UTF8).
class OrcBloomFilter {
 public:
  /// For so many values, of which others are taken for one of them with this probability: above 0 and below 1.
  OrcBloomFilter(std::int64_t value_count, double false_positives);

  void AddInteger(std::int64_t value);
  void AddDouble(double value);
  void AddBytes(std::string_view bytes);
  /// The message BloomFilter; the filter is empty afterwards.
  std::string Take();

 private:
  void AddHash(std::uint64_t hash);

  std::uint32_t bit_count_;
  std::uint32_t hash_count_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace braid
