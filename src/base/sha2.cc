#include "base/sha2.h"

#include <array>
#include <bit>
#include <cstdint>

#include "base/text.h"

namespace braid {
namespace {

// Fractional parts of the cube roots of the first 80 primes; SHA-256 uses the upper halves of the first 64.
constexpr std::array<std::uint64_t, 80> kRounds = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc, 0x3956c25bf348b538,
    0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118, 0xd807aa98a3030242, 0x12835b0145706fbe,
    0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2, 0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235,
    0xc19bf174cf692694, 0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5, 0x983e5152ee66dfab,
    0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4, 0xc6e00bf33da88fc2, 0xd5a79147930aa725,
    0x06ca6351e003826f, 0x142929670a0e6e70, 0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed,
    0x53380d139d95b3df, 0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30, 0xd192e819d6ef5218,
    0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8, 0x19a4c116b8d2d0c8, 0x1e376c085141ab53,
    0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8, 0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373,
    0x682e6ff3d6b2b8a3, 0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b, 0xca273eceea26619c,
    0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178, 0x06f067aa72176fba, 0x0a637dc5a2c898a6,
    0x113f9804bef90dae, 0x1b710b35131c471b, 0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc,
    0x431d67c49c100d4c, 0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817};

/// What differs between the functions on 32-bit and on 64-bit words.
template <typename Word>
struct Variant;

template <>
struct Variant<std::uint64_t> {
  static constexpr std::size_t kRoundCount = 80;
  static constexpr std::size_t kLengthBytes = 16;
  static constexpr std::array<int, 12> kShifts = {1, 8, 7, 19, 61, 6, 28, 34, 39, 14, 18, 41};
  static std::uint64_t Round(std::size_t i) { return kRounds[i]; }
};

template <>
struct Variant<std::uint32_t> {
  static constexpr std::size_t kRoundCount = 64;
  static constexpr std::size_t kLengthBytes = 8;
  static constexpr std::array<int, 12> kShifts = {7, 18, 3, 17, 19, 10, 2, 13, 22, 6, 11, 25};
  static std::uint32_t Round(std::size_t i) { return static_cast<std::uint32_t>(kRounds[i] >> 32); }
};

template <typename Word>
using State = std::array<Word, 8>;

template <typename Word>
void Block(State<Word>& state, const char* bytes) {
  using V = Variant<Word>;
  constexpr auto& s = V::kShifts;
  std::array<Word, V::kRoundCount> w{};
  for (std::size_t i = 0; i < 16; ++i) {
    for (std::size_t b = 0; b < sizeof(Word); ++b)
      w[i] = (w[i] << 8) | static_cast<unsigned char>(bytes[i * sizeof(Word) + b]);
  }
  for (std::size_t i = 16; i < V::kRoundCount; ++i) {
    const Word a = std::rotr(w[i - 15], s[0]) ^ std::rotr(w[i - 15], s[1]) ^ (w[i - 15] >> s[2]);
    const Word b = std::rotr(w[i - 2], s[3]) ^ std::rotr(w[i - 2], s[4]) ^ (w[i - 2] >> s[5]);
    w[i] = w[i - 16] + a + w[i - 7] + b;
  }
  State<Word> v = state;
  for (std::size_t i = 0; i < V::kRoundCount; ++i) {
    const Word e = std::rotr(v[4], s[9]) ^ std::rotr(v[4], s[10]) ^ std::rotr(v[4], s[11]);
    const Word first = v[7] + e + ((v[4] & v[5]) ^ (~v[4] & v[6])) + V::Round(i) + w[i];
    const Word a = std::rotr(v[0], s[6]) ^ std::rotr(v[0], s[7]) ^ std::rotr(v[0], s[8]);
    const Word second = a + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
    v = {first + second, v[0], v[1], v[2], v[3] + first, v[4], v[5], v[6]};
  }
  for (std::size_t i = 0; i < 8; ++i) state[i] += v[i];
}

template <typename Word>
std::string Digest(std::string_view bytes, State<Word> state, std::size_t digest_bytes) {
  constexpr std::size_t kBlock = 16 * sizeof(Word);
  std::size_t at = 0;
  for (; at + kBlock <= bytes.size(); at += kBlock) Block<Word>(state, bytes.data() + at);
  std::string tail(bytes.substr(at));
  tail += static_cast<char>(0x80);
  while (tail.size() % kBlock != kBlock - Variant<Word>::kLengthBytes) tail += '\0';
  tail.append(Variant<Word>::kLengthBytes - 8, '\0');
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (int shift = 56; shift >= 0; shift -= 8) tail += static_cast<char>(bits >> shift);
  for (std::size_t i = 0; i < tail.size(); i += kBlock) Block<Word>(state, tail.data() + i);
  std::string digest;
  for (const Word word : state) {
    for (int shift = 8 * (static_cast<int>(sizeof(Word)) - 1); shift >= 0; shift -= 8)
      digest += static_cast<char>(word >> shift);
  }
  return ToHex(std::string_view(digest).substr(0, digest_bytes));
}

// Fractional parts of the square roots of the first sixteen primes.
constexpr State<std::uint64_t> kStart512 = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                                            0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
                                            0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
constexpr State<std::uint64_t> kStart384 = {0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17,
                                            0x152fecd8f70e5939, 0x67332667ffc00b31, 0x8eb44a8768581511,
                                            0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4};
constexpr State<std::uint32_t> kStart256 = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
constexpr State<std::uint32_t> kStart224 = {0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939,
                                            0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4};

}  // namespace

std::string Sha2Hex(std::string_view bytes, int bits) {
  switch (bits) {
    case 224: return Digest<std::uint32_t>(bytes, kStart224, 28);
    case 256: return Digest<std::uint32_t>(bytes, kStart256, 32);
    case 384: return Digest<std::uint64_t>(bytes, kStart384, 48);
    default: return Digest<std::uint64_t>(bytes, kStart512, 64);
  }
}

}  // namespace braid
