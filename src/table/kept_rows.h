#pragma once

#include <string>
#include <string_view>

#include "meta/snapshot.h"

namespace braid {

/// Property of OVERWRITE snapshots in which rows only moved to other files: who follows changes passes over them. Its
/// value is the commit's user, since rollbacks and other engines copy properties into snapshots of their own.
inline constexpr std::string_view kKeptRowsProperty = "braid.kept-rows";

inline bool KeepsRows(const Snapshot& snapshot) {
  const auto found = snapshot.properties.find(std::string(kKeptRowsProperty));
  return found != snapshot.properties.end() && found->second == snapshot.commit_user;
}

}  // namespace braid
