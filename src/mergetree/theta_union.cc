// Theta sketches: hashes of a set's elements that lie below a limit, theta. Those of a union lie below the least
// theta of its parts; if they are more than 4096, the 4097th becomes theta.
//
// DataSketches for C++ is not used here: it reads neither sketches that can still be updated nor compressed ones, and
// the release at hand keeps hashes above the theta of a part that comes after them.
//
// The forms, all little-endian. Byte 0 (its lower 6 bits): length of the preamble in units of 8 bytes; byte 1:
// version; byte 2: family, 3 for compact sketches, 1 and 2 for hash tables; byte 5: flags; bytes 6 and 7: hash of the
// seed. Then, in versions 1 to 3, if the preamble is longer: 4 bytes for the number of hashes, 4 for a float that
// says what was sampled, 8 for theta; then the hashes, or a table of them, 2 to the power of byte 4 long. A preamble
// of one unit is that of an empty sketch or, by its flags, of one with a single hash. Version 4: byte 3, bits of an
// entry; byte 4, bytes of the number of entries; theta if the preamble is longer; that number; the differences
// between hashes, most significant bit first.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "base/little_endian.h"
#include "mergetree/sketch_unions_internal.h"

namespace braid {
namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::int64_t>::max();  // theta of a sketch that holds every hash
constexpr std::size_t kMostHashes = 4096;
constexpr std::uint16_t kSeedHash = 0x93CC;  // of seed 9001, which Paimon takes as it is the default

constexpr std::uint8_t kPreambleMask = 0x3F;
constexpr std::uint8_t kCompactFamily = 3;
constexpr std::uint8_t kReadOnly = 2;
constexpr std::uint8_t kEmpty = 4;
constexpr std::uint8_t kCompact = 8;
constexpr std::uint8_t kOrdered = 16;
constexpr std::uint8_t kSingle = 32;
constexpr std::uint8_t kAllButSingle = 31;

struct ThetaSketch {
  std::uint64_t theta = kNoLimit;
  std::vector<std::uint64_t> hashes;  // ascending, each once, from 1 to below theta
};

Error Damaged() {
  return Error(ErrorCode::kCorruption,
               "bytes that should be a theta sketch are not one, or it was made with a seed of its own");
}

/// What every form begins with.
struct Preamble {
  std::uint8_t length = 0;
  std::uint8_t version = 0;
  std::uint8_t family = 0;
  std::uint8_t byte_3 = 0;
  std::uint8_t byte_4 = 0;
  std::uint8_t flags = 0;
  std::uint16_t seed_hash = 0;
};

/// Whether hashes are what a sketch holds.
bool Valid(const ThetaSketch& sketch) {
  if (sketch.theta == 0 || sketch.theta > kNoLimit) return false;
  if (sketch.hashes.empty()) return true;
  const auto not_above = [](std::uint64_t a, std::uint64_t b) { return a >= b; };
  return sketch.hashes.front() > 0 && sketch.hashes.back() < sketch.theta &&
         std::adjacent_find(sketch.hashes.begin(), sketch.hashes.end(), not_above) == sketch.hashes.end();
}

Result<ThetaSketch> Checked(ThetaSketch sketch) {
  if (!Valid(sketch)) return Damaged();
  return sketch;
}

/// Versions 1 to 3 behind the first 8 bytes.
Result<ThetaSketch> ReadHashes(const Preamble& preamble, LittleEndianReader& in) {
  ThetaSketch sketch;
  const auto count = in.Read<std::uint32_t>();
  in.Read<float>();
  if (preamble.length == 3) sketch.theta = in.Read<std::uint64_t>();
  if (in.failed() || sketch.theta > kNoLimit) return Damaged();
  const bool old = preamble.version < 3;  // always compact and ordered
  const bool ordered = old || (preamble.flags & kOrdered) != 0;
  const bool table = !ordered && (preamble.flags & kCompact) == 0;
  if (table && preamble.byte_4 > 31) return Damaged();
  const std::size_t length = table ? std::size_t{1} << preamble.byte_4 : count;
  if (length > in.rest().size() / sizeof(std::uint64_t)) return Damaged();
  for (std::size_t i = 0; i < length; ++i) {
    const auto hash = in.Read<std::uint64_t>();
    // Tables have gaps, and those of family 1 hashes that are no longer part of the sketch.
    if (!table || (hash != 0 && hash < sketch.theta)) sketch.hashes.push_back(hash);
  }
  if (!ordered) {
    std::sort(sketch.hashes.begin(), sketch.hashes.end());
    sketch.hashes.erase(std::unique(sketch.hashes.begin(), sketch.hashes.end()), sketch.hashes.end());
  }
  return Checked(std::move(sketch));
}

/// Version 4 behind the first 8 bytes.
Result<ThetaSketch> ReadCompressed(const Preamble& preamble, LittleEndianReader& in) {
  ThetaSketch sketch;
  const unsigned bits = preamble.byte_3;
  if (preamble.family != kCompactFamily || preamble.length > 2 || bits == 0 || bits > 63 || preamble.byte_4 > 4) {
    return Damaged();
  }
  if (preamble.length == 2) sketch.theta = in.Read<std::uint64_t>();
  std::uint64_t count = 0;
  for (unsigned i = 0; i < preamble.byte_4; ++i) count |= std::uint64_t{in.Read<std::uint8_t>()} << 8 * i;
  const std::string_view packed = in.Take((count * bits + 7) / 8);
  if (in.failed()) return Damaged();
  std::uint64_t hash = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t difference = 0;
    for (std::uint64_t bit = i * bits; bit < (i + 1) * bits; ++bit) {
      difference = difference << 1 | (static_cast<std::uint8_t>(packed[bit / 8]) >> (7 - bit % 8) & 1U);
    }
    hash += difference;
    sketch.hashes.push_back(hash);
  }
  return Checked(std::move(sketch));
}

Result<ThetaSketch> ReadSketch(std::string_view bytes) {
  LittleEndianReader in(bytes);
  Preamble preamble;
  preamble.length = in.Read<std::uint8_t>() & kPreambleMask;
  preamble.version = in.Read<std::uint8_t>();
  preamble.family = in.Read<std::uint8_t>();
  preamble.byte_3 = in.Read<std::uint8_t>();
  preamble.byte_4 = in.Read<std::uint8_t>();
  preamble.flags = in.Read<std::uint8_t>();
  preamble.seed_hash = in.Read<std::uint16_t>();
  const int most_families = preamble.version == 2 ? 4 : 3;
  if (in.failed() || preamble.version < 1 || preamble.version > 4 || preamble.family < 1 ||
      preamble.family > most_families || preamble.length < 1 || preamble.length > 3) {
    return Damaged();
  }
  const bool empty_by_length = preamble.length == 1 && preamble.version != 4 && preamble.version != 1;
  if (empty_by_length) {
    // Java looks at these flags alone, and not at the seed.
    const bool single = preamble.version == 3 && preamble.family == kCompactFamily &&
                        (preamble.flags & kAllButSingle) == (kReadOnly | kCompact | kOrdered);
    if (!single) return ThetaSketch();
    const auto hash = in.Read<std::uint64_t>();
    if (in.failed()) return Damaged();
    return Checked({.theta = kNoLimit, .hashes = {hash}});
  }
  if (preamble.version == 1) {
    if (preamble.length != 3) return Damaged();
    if (bytes.size() == 24) return ThetaSketch();
  } else if (preamble.seed_hash != kSeedHash) {
    return Damaged();
  }
  return preamble.version == 4 ? ReadCompressed(preamble, in) : ReadHashes(preamble, in);
}

std::string Encode(const ThetaSketch& sketch) {
  const std::vector<std::uint64_t>& hashes = sketch.hashes;
  const bool whole = sketch.theta == kNoLimit;
  const bool empty = whole && hashes.empty();
  const bool single = whole && hashes.size() == 1;
  const int length = !whole ? 3 : empty || single ? 1 : 2;
  const int flags = kReadOnly | kCompact | kOrdered | (empty ? kEmpty : 0) | (single ? kSingle : 0);
  std::string bytes = {static_cast<char>(length), 3, kCompactFamily, 0, 0, static_cast<char>(flags)};
  AppendLittleEndian(empty ? std::uint16_t{0} : kSeedHash, bytes);
  if (length > 1) {
    AppendLittleEndian(static_cast<std::uint32_t>(hashes.size()), bytes);
    AppendLittleEndian(1.0F, bytes);
  }
  if (length > 2) AppendLittleEndian(sketch.theta, bytes);
  for (const std::uint64_t hash : hashes) AppendLittleEndian(hash, bytes);
  return bytes;
}

}  // namespace

Result<std::string> UnionThetaSketches(std::string_view a, std::string_view b) {
  BRAID_TRY_ASSIGN(const ThetaSketch first, ReadSketch(a));
  BRAID_TRY_ASSIGN(const ThetaSketch second, ReadSketch(b));
  ThetaSketch both;
  both.theta = std::min(first.theta, second.theta);
  std::set_union(first.hashes.begin(), first.hashes.end(), second.hashes.begin(), second.hashes.end(),
                 std::back_inserter(both.hashes));
  both.hashes.erase(std::lower_bound(both.hashes.begin(), both.hashes.end(), both.theta), both.hashes.end());
  if (both.hashes.size() > kMostHashes) {
    both.theta = both.hashes[kMostHashes];
    both.hashes.resize(kMostHashes);
  }
  return Encode(both);
}

}  // namespace braid
