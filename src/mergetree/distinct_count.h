#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace braid {

/// Counts distinct values: exactly while there are few, else by a HyperLogLog sketch of 2^14 registers, which is off by
/// less than 2 % in 95 of 100 cases. Takes 16 KiB at most. One thread at a time.
class DistinctCount {
 public:
  DistinctCount();
  DistinctCount(DistinctCount&&) noexcept;
  ~DistinctCount();

  /// Values are the same if their bytes are.
  void Add(std::string_view value);
  void Add(std::uint64_t value);
  /// Takes in what another has counted.
  void Merge(const DistinctCount& other);
  std::int64_t Estimate() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace braid
