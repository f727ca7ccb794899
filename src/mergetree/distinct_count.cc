#include "mergetree/distinct_count.h"

#include <cmath>

#include <hll.hpp>

namespace braid {

namespace {
constexpr std::uint8_t kLogRegisters = 14;
}

struct DistinctCount::State {
  // Of one byte a register; takes sketches in without becoming another kind.
  datasketches::hll_union values{kLogRegisters};
};

DistinctCount::DistinctCount() : state_(std::make_unique<State>()) {}
DistinctCount::DistinctCount(DistinctCount&&) noexcept = default;
DistinctCount::~DistinctCount() = default;

void DistinctCount::Add(std::string_view value) {
  // The library leaves out empty values.
  if (value.empty()) return Add(std::uint64_t{0x9E3779B97F4A7C15});
  state_->values.update(value.data(), value.size());
}

void DistinctCount::Add(std::uint64_t value) {
  state_->values.update(value);
}

void DistinctCount::Merge(const DistinctCount& other) {
  state_->values.update(other.state_->values.get_result(datasketches::HLL_8));
}

std::int64_t DistinctCount::Estimate() const {
  return std::llround(state_->values.get_estimate());
}

}  // namespace braid
