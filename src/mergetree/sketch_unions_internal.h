#pragma once

// Unions of serialized sketches of Apache DataSketches, byte for byte as Java Paimon's with datasketches-java 4.2.0.

#include <string>
#include <string_view>

#include "base/result.h"

namespace braid {

/// The union of two theta sketches in any form that Java writes, kept to 4096 hashes: a compact, ordered sketch.
/// Errors: kCorruption for bytes that are no theta sketch, or one made with a seed of its own.
Result<std::string> UnionThetaSketches(std::string_view a, std::string_view b);

/// The union of two HLL sketches in any form that Java writes: a compact sketch of type HLL_4, no larger than `input`
/// allows. Which is which shows in the order of what it holds. Errors: kCorruption for bytes that are no HLL sketch.
Result<std::string> UnionHllSketches(std::string_view accumulated, std::string_view input);

}  // namespace braid
