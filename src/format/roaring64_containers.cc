#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "format/roaring64_containers_internal.h"

namespace braid {
namespace {

using Form = Roaring64Container::Form;
using Bits = std::array<std::uint64_t, 1024>;

constexpr std::uint32_t kAll = 1U << 16;
constexpr std::uint32_t kMostNumbers = 4096;  // of a container of that form
constexpr std::size_t kBitsetBytes = sizeof(Bits);
constexpr std::int8_t kWholeArray = -2;
constexpr std::uint8_t kHole = 0;
constexpr std::uint8_t kContainer = 1;

Error Damaged() {
  return Error(ErrorCode::kCorruption, "bytes that should be the containers of a 64-bit Roaring bitmap are not");
}

std::size_t RunBytes(std::uint32_t runs) { return 2 + std::size_t{4} * runs; }

void SetRange(Bits& bits, std::uint32_t first, std::uint32_t last) {
  for (std::uint32_t word = first / 64; word <= last / 64; ++word) {
    std::uint64_t mask = ~std::uint64_t{0};
    if (word == first / 64) mask &= ~std::uint64_t{0} << first % 64;
    if (word == last / 64) mask &= ~std::uint64_t{0} >> (63 - last % 64);
    bits[word] |= mask;
  }
}

/// Calls `visit` with first and last number of each run.
template <typename Visit>
void ForEachRun(const Roaring64Container& container, Visit visit) {
  for (std::size_t at = 2; at < container.body.size(); at += 4) {
    const std::uint32_t first = LittleEndianAt<std::uint16_t>(container.body, at);
    visit(first, first + LittleEndianAt<std::uint16_t>(container.body, at + 2));
  }
}

void AddTo(Bits& bits, const Roaring64Container& container) {
  switch (container.form) {
    case Form::kRuns:
      ForEachRun(container, [&](std::uint32_t first, std::uint32_t last) { SetRange(bits, first, last); });
      break;
    case Form::kBitset:
      for (std::size_t word = 0; word < bits.size(); ++word) {
        bits[word] |= LittleEndianAt<std::uint64_t>(container.body, 8 * word);
      }
      break;
    case Form::kNumbers:
      for (std::size_t at = 0; at < container.body.size(); at += 2) {
        const std::uint32_t number = LittleEndianAt<std::uint16_t>(container.body, at);
        bits[number / 64] |= std::uint64_t{1} << number % 64;
      }
      break;
  }
}

std::uint32_t CountOf(const Bits& bits) {
  int count = 0;
  for (const std::uint64_t word : bits) count += std::popcount(word);
  return static_cast<std::uint32_t>(count);
}

std::uint32_t RunsOf(const Bits& bits) {
  int runs = 0;
  std::uint64_t before = 0;
  for (const std::uint64_t word : bits) {
    runs += std::popcount(word & ~(word << 1 | before >> 63));
    before = word;
  }
  return static_cast<std::uint32_t>(runs);
}

/// The first number at or after `from` that is there, or that is not; kAll: none.
std::uint32_t Next(const Bits& bits, std::uint32_t from, bool there) {
  while (from < kAll) {
    const std::uint64_t word = (there ? bits[from / 64] : ~bits[from / 64]) >> from % 64;
    if (word != 0) return from + static_cast<std::uint32_t>(std::countr_zero(word));
    from = (from / 64 + 1) * 64;
  }
  return kAll;
}

Roaring64Container Encode(const Bits& bits, std::uint32_t count, Form form) {
  Roaring64Container container{.form = form, .count = count, .body = {}};
  std::string& body = container.body;
  if (form == Form::kBitset) {
    for (const std::uint64_t word : bits) AppendLittleEndian(word, body);
    return container;
  }
  if (form == Form::kRuns) AppendLittleEndian(static_cast<std::uint16_t>(RunsOf(bits)), body);
  for (std::uint32_t first = Next(bits, 0, true); first < kAll;) {
    const std::uint32_t end = Next(bits, first, false);
    if (form == Form::kRuns) {
      AppendLittleEndian(static_cast<std::uint16_t>(first), body);
      AppendLittleEndian(static_cast<std::uint16_t>(end - first - 1), body);
    } else {
      for (std::uint32_t number = first; number < end; ++number) {
        AppendLittleEndian(static_cast<std::uint16_t>(number), body);
      }
    }
    first = Next(bits, end, true);
  }
  return container;
}

Form FormOfUnion(Form a, Form b, std::uint32_t count, const Bits& bits) {
  if (count == kAll) return Form::kRuns;
  if (a == Form::kBitset || b == Form::kBitset) return Form::kBitset;
  const Form without_runs = count > kMostNumbers ? Form::kBitset : Form::kNumbers;
  if (a != Form::kRuns && b != Form::kRuns) return without_runs;
  // Here Java weighs the numbers with 2 bytes more than they take.
  const std::size_t bytes = std::min<std::size_t>(kBitsetBytes, std::size_t{2} * count + 2);
  return RunBytes(RunsOf(bits)) <= bytes ? Form::kRuns : without_runs;
}

bool NumbersAscend(std::string_view body) {
  for (std::size_t at = 2; at < body.size(); at += 2) {
    if (LittleEndianAt<std::uint16_t>(body, at) <= LittleEndianAt<std::uint16_t>(body, at - 2)) return false;
  }
  return true;
}

/// How many numbers runs hold that ascend and do not overlap; nullopt: these do not.
std::optional<std::uint32_t> CountRuns(const Roaring64Container& container) {
  std::uint32_t count = 0;
  std::uint32_t least = 0;
  bool good = true;
  ForEachRun(container, [&](std::uint32_t first, std::uint32_t last) {
    good = good && first >= least && last < kAll;
    least = last + 1;
    count += last - first + 1;
  });
  return good ? std::optional(count) : std::nullopt;
}

Result<Roaring64Container> ReadContainer(LittleEndianReader& in) {
  Roaring64Container container;
  const auto form = in.Read<std::uint8_t>();
  container.form = static_cast<Form>(form);
  container.count = in.Read<std::uint32_t>();
  if (container.form == Form::kRuns) {
    const auto runs = in.Read<std::uint16_t>();
    AppendLittleEndian(runs, container.body);
    container.body += in.Take(std::size_t{4} * runs);
    const std::optional<std::uint32_t> count = CountRuns(container);
    if (in.failed() || !count) return Damaged();
    container.count = *count;  // Java does not believe the number that it wrote either
  } else if (container.form == Form::kBitset) {
    container.body = in.Take(kBitsetBytes);
    if (in.failed()) return Damaged();
    Bits bits{};
    AddTo(bits, container);
    if (CountOf(bits) != container.count) return Damaged();
  } else {
    if (container.form != Form::kNumbers || container.count > kMostNumbers) return Damaged();
    container.body = in.Take(std::size_t{2} * container.count);
    if (in.failed() || !NumbersAscend(container.body)) return Damaged();
  }
  return container;
}

}  // namespace

Roaring64Container UnionOf(const Roaring64Container& a, const Roaring64Container& b) {
  Bits bits{};
  AddTo(bits, a);
  AddTo(bits, b);
  const std::uint32_t count = CountOf(bits);
  return Encode(bits, count, FormOfUnion(a.form, b.form, count, bits));
}

Result<Roaring64Containers> Roaring64Containers::Read(LittleEndianReader& in) {
  Roaring64Containers containers;
  const auto arrays = in.Read<std::uint32_t>();
  const auto mark = in.Read<std::int8_t>();
  const std::size_t length = in.Read<std::uint32_t>();
  if (arrays != 1 || mark != kWholeArray || length > in.rest().size()) return Damaged();
  containers.places_.resize(length);
  std::size_t used = 0;  // behind the last container
  for (std::size_t i = 0; i < length; ++i) {
    const auto what = in.Read<std::uint8_t>();
    if (what == kHole && !in.failed()) continue;
    if (what != kContainer) return Damaged();
    BRAID_TRY_ASSIGN(containers.places_[i], ReadContainer(in));
    used = i + 1;
  }
  const auto size = in.Read<std::uint64_t>();
  const auto array = in.Read<std::uint32_t>();
  const std::size_t last = in.Read<std::uint32_t>();
  if (in.failed() || size != containers.size() || array != 0 || last >= length || last + 1 < used) return Damaged();
  containers.end_ = last + 1;
  return containers;
}

void Roaring64Containers::AppendTo(std::string& out) const {
  AppendLittleEndian(std::uint32_t{1}, out);
  AppendLittleEndian(kWholeArray, out);
  AppendLittleEndian(static_cast<std::uint32_t>(places_.size()), out);
  for (const std::optional<Roaring64Container>& container : places_) {
    AppendLittleEndian(container ? kContainer : kHole, out);
    if (!container) continue;
    AppendLittleEndian(container->form, out);
    AppendLittleEndian(container->count, out);
    out += container->body;
  }
  AppendLittleEndian(std::uint64_t{size()}, out);
  AppendLittleEndian(std::uint32_t{0}, out);
  AppendLittleEndian(static_cast<std::uint32_t>(end_ - 1), out);
}

Roaring64Container* Roaring64Containers::At(std::uint64_t number) {
  return number < places_.size() && places_[number] ? &*places_[number] : nullptr;
}

std::uint64_t Roaring64Containers::Add(Roaring64Container container) {
  // The array's length is written, so it grows as Java's.
  if (end_ == places_.size()) places_.resize(std::max(places_.size() + 1, places_.size() + places_.size() / 2));
  places_[end_] = std::move(container);
  return end_++;
}

void Roaring64Containers::MakeRuns() {
  for (std::optional<Roaring64Container>& container : places_) {
    if (!container || container->form == Form::kRuns) continue;
    Bits bits{};
    AddTo(bits, *container);
    if (container->body.size() > RunBytes(RunsOf(bits))) container = Encode(bits, container->count, Form::kRuns);
  }
}

std::size_t Roaring64Containers::size() const {
  return static_cast<std::size_t>(
      std::count_if(places_.begin(), places_.end(), [](const auto& place) { return place.has_value(); }));
}

}  // namespace braid
