#include "format/parquet_runs.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include <arrow/util/bit_util.h>
#include <arrow/util/bitmap_ops.h>

namespace braid {
namespace {

constexpr std::int64_t kPackedGroup = 8;  // numbers
constexpr std::size_t kWordBytes = sizeof(std::uint64_t);

std::optional<std::uint32_t> TakeVarint(std::string_view& bytes) {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 35 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<std::uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    number |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) {
      if (number > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
      return static_cast<std::uint32_t>(number);
    }
  }
  return std::nullopt;
}

std::uint64_t WordAt(std::string_view bytes, std::size_t at) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data() + at, std::min(kWordBytes, bytes.size() - at));
  return word;
}

}  // namespace

bool ParquetRunReader::StartRun() {
  const std::optional<std::uint32_t> header = TakeVarint(rest_);
  if (!header) return false;
  repeats_ = (*header & 1U) == 0;
  if (repeats_) {
    left_in_run_ = *header >> 1U;
    const std::size_t bytes = (bits_ + 7) / 8;
    if (bytes > rest_.size()) return false;
    repeated_ = 0;
    std::memcpy(&repeated_, rest_.data(), bytes);
    rest_.remove_prefix(bytes);
    return true;
  }
  const std::uint64_t groups = *header >> 1U;
  const std::uint64_t bytes = std::min<std::uint64_t>(groups * bits_, rest_.size());
  packed_ = rest_.substr(0, static_cast<std::size_t>(bytes));
  rest_.remove_prefix(packed_.size());
  // The last run of some writers ends with its last number, not with its group.
  left_in_run_ = bits_ == 0 ? static_cast<std::int64_t>(groups) * kPackedGroup
                            : static_cast<std::int64_t>(packed_.size() * 8 / bits_);
  next_in_packed_ = 0;
  return true;
}

void ParquetRunReader::Unpack(std::uint32_t* numbers, std::int64_t count) {
  if (bits_ == 0) {
    std::fill_n(numbers, count, 0);
    return;
  }
  const std::uint64_t mask = (std::uint64_t{1} << bits_) - 1;
  std::uint64_t bit = static_cast<std::uint64_t>(next_in_packed_) * bits_;
  const std::uint64_t end = bit + static_cast<std::uint64_t>(count) * bits_;
  // As far as whole words lie within the bytes.
  const std::uint64_t whole_words_end = packed_.size() < kWordBytes ? 0 : (packed_.size() - kWordBytes + 1) * 8;
  for (; bit < std::min(end, whole_words_end); bit += bits_) {
    std::uint64_t word;
    std::memcpy(&word, packed_.data() + bit / 8, kWordBytes);
    *numbers++ = static_cast<std::uint32_t>((word >> (bit % 8)) & mask);
  }
  for (; bit < end; bit += bits_) {
    *numbers++ = static_cast<std::uint32_t>((WordAt(packed_, static_cast<std::size_t>(bit / 8)) >> (bit % 8)) & mask);
  }
}

bool ParquetRunReader::Read(std::span<std::uint32_t> numbers) {
  while (!numbers.empty()) {
    if (left_in_run_ == 0) {
      if (!StartRun()) return false;
      continue;
    }
    const std::int64_t count = std::min(left_in_run_, static_cast<std::int64_t>(numbers.size()));
    if (repeats_) {
      std::fill_n(numbers.data(), count, repeated_);
    } else {
      Unpack(numbers.data(), count);
      next_in_packed_ += count;
    }
    left_in_run_ -= count;
    numbers = numbers.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

bool ParquetRunReader::Skip(std::int64_t count) {
  while (count > 0) {
    if (left_in_run_ == 0) {
      if (!StartRun()) return false;
      continue;
    }
    const std::int64_t passed = std::min(left_in_run_, count);
    next_in_packed_ += passed;
    left_in_run_ -= passed;
    count -= passed;
  }
  return true;
}

bool ParquetRunReader::ReadBits(std::uint8_t* bitmap, std::int64_t first, std::int64_t count) {
  while (count > 0) {
    if (left_in_run_ == 0) {
      if (!StartRun()) return false;
      continue;
    }
    const std::int64_t taken = std::min(left_in_run_, count);
    if (repeats_) {
      arrow::bit_util::SetBitsTo(bitmap, first, taken, (repeated_ & 1U) != 0);
    } else {
      arrow::internal::CopyBitmap(reinterpret_cast<const std::uint8_t*>(packed_.data()), next_in_packed_, taken, bitmap,
                                  first);
      next_in_packed_ += taken;
    }
    left_in_run_ -= taken;
    first += taken;
    count -= taken;
  }
  return true;
}

}  // namespace braid
