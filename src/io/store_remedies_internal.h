#pragma once

#include <string_view>

namespace braid {

// What can be tried where a store refuses or fails. Two clients ask it, ours and Arrow's, and which of them meets a
// fault first depends on what is asked; so both say the same.
inline constexpr std::string_view kMakeBucket = "create the bucket first, or check the address and the region";
inline constexpr std::string_view kCheckKeys =
    "check access key, secret key and region, and what they permit on this bucket";
inline constexpr std::string_view kGiveRegion = "give the bucket's own region, 's3.region', or its endpoint";
inline constexpr std::string_view kCheckNetwork = "check the endpoint and the network, then repeat";
inline constexpr std::string_view kRepeatLater = "repeat in a while";

}  // namespace braid
