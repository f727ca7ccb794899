#pragma once

// What Java makes of serialized sketches and bitmaps (tests/data/unions); include only from tests.

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/byte_mutator_testing.h"
#include "base/result.h"
#include "base/text.h"

namespace braid {

inline std::string FromTestHex(std::string_view hex) {
  const std::optional<std::string> bytes = FromHex(hex);
  EXPECT_TRUE(bytes.has_value()) << hex;
  return bytes.value_or("");
}

struct JavaUnion {
  std::string accumulated;
  std::string input;
  std::string both;
};

/// The lines of one function.
inline std::vector<JavaUnion> JavaUnions(std::string_view function) {
  std::ifstream in(BRAID_SOURCE_DIR "/tests/data/unions/java_unions.tsv");
  std::vector<JavaUnion> unions;
  for (std::string line; std::getline(in, line);) {
    const std::vector<std::string> parts = Split(line, '\t');
    if (parts[0] != function) continue;
    unions.push_back({FromTestHex(parts.at(1)), FromTestHex(parts.at(2)), FromTestHex(parts.at(3))});
  }
  EXPECT_EQ(unions.size(), 70U);
  return unions;
}

using UnionFunction = Result<std::string> (*)(std::string_view, std::string_view);

inline void ExpectUnionsOfJava(std::string_view function, UnionFunction unite) {
  for (const JavaUnion& java : JavaUnions(function)) {
    SCOPED_TRACE(ToHex(java.accumulated) + " and " + ToHex(java.input));
    const Result<std::string> both = unite(java.accumulated, java.input);
    ASSERT_TRUE(both.has_value()) << both.error().message();
    EXPECT_EQ(ToHex(*both), ToHex(java.both));
  }
}

/// Unites many damaged forms of what Java wrote: each is refused as corrupt, on either side, or what comes of it can be
/// united again. Also every shorter form of some.
inline void ExpectDamageFound(std::string_view function, UnionFunction unite) {
  std::uint32_t round = 0;
  int refused = 0;
  const auto expect = [&](const std::string& damaged, const std::string& other) {
    const Result<std::string> both = unite(damaged, other);
    EXPECT_EQ(both.has_value(), unite(other, damaged).has_value()) << ToHex(damaged);
    if (both) {
      EXPECT_TRUE(unite(*both, other).has_value()) << ToHex(damaged);
    } else {
      EXPECT_EQ(both.error().code(), ErrorCode::kCorruption) << ToHex(damaged);
      ++refused;
    }
  };
  for (const JavaUnion& java : JavaUnions(function)) {
    for (int i = 0; i < 40; ++i) {
      ByteMutator mutator(round++);
      expect(mutator.Mutate(java.accumulated), java.input);
    }
    if (java.both.size() > 400) continue;
    for (std::size_t size = 0; size < java.both.size(); ++size) expect(java.both.substr(0, size), java.input);
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace braid
