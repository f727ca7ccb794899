#include "format/orc_dictionary.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/long_text.h"

namespace braid {
namespace {

constexpr std::size_t kFirstSlots = 1024;  // a power of two, as all later ones

}  // namespace

std::uint32_t OrcDictionary::Add(std::string_view text) {
  if (entries_.size() * 2 >= slots_.size()) Grow();
  const std::size_t hash = std::hash<std::string_view>()(text);
  std::size_t slot = hash & (slots_.size() - 1);
  for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
    const std::uint32_t number = slots_[slot] - 1;
    if (entries_[number].hash == hash && this->text(number) == text) return number;
  }
  const auto number = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back({bytes_.size(), text.size(), hash});
  bytes_ += text;
  slots_[slot] = number + 1;
  return number;
}

void OrcDictionary::Grow() {
  slots_.assign(std::max(slots_.size() * 2, kFirstSlots), 0);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    std::size_t slot = entries_[i].hash & (slots_.size() - 1);
    while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = static_cast<std::uint32_t>(i + 1);
  }
}

std::size_t OrcDictionary::memory_bytes() const {
  return bytes_.capacity() + entries_.capacity() * sizeof(Entry) + slots_.capacity() * sizeof(std::uint32_t);
}

std::vector<std::uint32_t> OrcDictionary::Sorted() const {
  std::vector<std::uint32_t> numbers(entries_.size());
  std::iota(numbers.begin(), numbers.end(), 0U);
  std::ranges::sort(numbers, {}, [this](std::uint32_t number) { return text(number); });
  return numbers;
}

void OrcDictionary::Clear() {
  Release(bytes_);
  decltype(entries_)().swap(entries_);
  decltype(slots_)().swap(slots_);
}

}  // namespace braid
