#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "io/file_system.h"
#include "meta/fork_record.h"

namespace braid {

/// `formatVersion` of every JSON document of Braid's own.
inline constexpr std::int64_t kBraidFormatVersion = 1;

/// Errors: kCorruption; kUnsupported for a newer format version.
Result<Json> ParseBraidDocument(std::string_view text);
/// nullopt if the file is missing. Errors name the file.
Result<std::optional<Json>> ReadBraidDocument(const FileSystem& fs, const std::string& path);
/// Replaces the file and syncs it.
Status WriteBraidDocument(FileSystem& fs, const std::string& path, const Json& document);

/// Members of an object whose keys are not among these.
Json::Object UnknownMembers(const Json& json, std::span<const std::string_view> known);

/// `{"snapshotId": …, "identity": …}`, among other members.
Result<SnapshotRef> SnapshotRefFromJson(const Json& json);
Json SnapshotRefToJson(const SnapshotRef& snapshot);

}  // namespace braid
