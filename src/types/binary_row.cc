#include "types/binary_row.h"

#include <atomic>
#include <bit>
#include <cstring>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "types/binary_row_layout_internal.h"

namespace braid {

namespace {

// The row without fields.
constexpr std::string_view kNoFields("\0\0\0\0\0\0\0\0", 8);
static_assert(kNoFields.size() == RowFixedBytes(0));

}  // namespace

// Lies at the start of an allocation that the bytes follow in.
struct BinaryRow::Shared {
  std::atomic<std::uint32_t> owners;
  std::int32_t arity;
  std::size_t size;

  char* bytes() { return reinterpret_cast<char*>(this + 1); }
};

BinaryRow::BinaryRow(std::int32_t arity, std::string_view bytes) {
  if (arity == 0 && bytes == kNoFields) return;
  void* memory = ::operator new(sizeof(Shared) + bytes.size());
  shared_ = new (memory) Shared{.owners = 1, .arity = arity, .size = bytes.size()};
  std::memcpy(shared_->bytes(), bytes.data(), bytes.size());
}

BinaryRow::BinaryRow(const BinaryRow& other) noexcept : shared_(other.shared_) {
  if (shared_ != nullptr) shared_->owners.fetch_add(1, std::memory_order_relaxed);
}

BinaryRow& BinaryRow::operator=(const BinaryRow& other) noexcept {
  if (shared_ != other.shared_) *this = BinaryRow(other);
  return *this;
}

BinaryRow& BinaryRow::operator=(BinaryRow&& other) noexcept {
  std::swap(shared_, other.shared_);
  return *this;
}

void BinaryRow::Release() noexcept {
  if (shared_ == nullptr || shared_->owners.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  shared_->~Shared();
  ::operator delete(shared_);
}

std::int32_t BinaryRow::arity() const {
  return shared_ == nullptr ? 0 : shared_->arity;
}

std::string_view BinaryRow::bytes() const {
  return shared_ == nullptr ? kNoFields : std::string_view(shared_->bytes(), shared_->size);
}

std::strong_ordering operator<=>(const BinaryRow& a, const BinaryRow& b) {
  if (a.shared_ == b.shared_) return std::strong_ordering::equal;
  if (a.arity() != b.arity()) return a.arity() <=> b.arity();
  return a.bytes() <=> b.bytes();
}

BinaryRow BinaryRow::Make(std::span<const DataType> types, std::span<const Datum> values) {
  std::string bytes;
  AppendBinaryRow(bytes, types, values);
  return BinaryRow(static_cast<std::int32_t>(types.size()), bytes);
}

Result<BinaryRow> BinaryRow::Deserialize(std::string_view bytes) {
  if (bytes.size() < 4) return Error(ErrorCode::kCorruption, fmt::format("a binary row of {} bytes", bytes.size()));
  const auto arity = static_cast<std::int32_t>(__builtin_bswap32(LoadAt<std::uint32_t>(bytes, 0)));
  bytes.remove_prefix(4);
  // Hashing goes by whole words, and all fixed slots must be there.
  if (arity < 0 || bytes.size() % kWord != 0 || bytes.size() < RowFixedBytes(static_cast<std::size_t>(arity))) {
    return Error(ErrorCode::kCorruption,
                 fmt::format("{} bytes cannot be a binary row of {} fields", bytes.size(), arity));
  }
  return BinaryRow(arity, bytes);
}

std::string BinaryRow::Serialize() const {
  std::string out(4, '\0');
  StoreAt(out, 0, __builtin_bswap32(static_cast<std::uint32_t>(arity())));
  return out.append(bytes());
}

std::int32_t BinaryRow::Hash() const {
  return HashBytesByWords(bytes());
}

std::int32_t HashBytesByWords(std::string_view bytes) {
  std::uint32_t hash = 42;
  for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
    const std::uint32_t word = std::rotl(LoadAt<std::uint32_t>(bytes, at) * 0xcc9e2d51U, 15) * 0x1b873593U;
    hash = std::rotl(hash ^ word, 13) * 5 + 0xe6546b64U;
  }
  hash ^= static_cast<std::uint32_t>(bytes.size());
  hash = (hash ^ (hash >> 16)) * 0x85ebca6bU;
  hash = (hash ^ (hash >> 13)) * 0xc2b2ae35U;
  return static_cast<std::int32_t>(hash ^ (hash >> 16));
}

}  // namespace braid
