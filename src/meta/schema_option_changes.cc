// Options that ALTER TABLE may not change, and options that follow a renamed column (spec metadata.md §2.6, §2.8).

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "meta/schema_rules_internal.h"

namespace braid {
namespace {

// Of Paimon 1.4, which is what files are checked against.
constexpr std::array<std::string_view, 18> kFrozenOptions = {
    "bucket-key",
    "data-file.path-directory",
    "merge-engine",
    "partial-update.remove-record-on-delete",
    "partial-update.remove-record-on-sequence-group",
    "rowkind.field",
    "primary-key",
    "partition",
    "force-lookup",
    "bucket-function.type",
    "aggregation.remove-record-on-delete",
    "data-evolution.enabled",
    "index-file-in-data-file-dir",
    "row-tracking.enabled",
    "blob-descriptor-field",
    "blob-external-storage-path",
    "blob-external-storage-field",
    "pk-clustering-override",
};

Error Refused(std::string message) {
  return Error(ErrorCode::kInvalidArgument, std::move(message))
      .Hint("make a new table with the option and copy the rows");
}

Status CheckBucketChange(const Options& options, const std::string& value) {
  BRAID_TRY_ASSIGN(const std::int64_t before, options.GetInt("bucket", -1));
  Options changed;
  changed.Set("bucket", value);
  BRAID_TRY_ASSIGN(const std::int64_t after, changed.GetInt("bucket", -1));
  if (before == after) return Ok();
  if (before == -1 || after == -1) {
    return Refused(
        fmt::format("option 'bucket' cannot be changed from {} to {}, since the table holds data", before, after));
  }
  return Ok();
}

// Options whose change would make rows that are stored already mean something else.
Status CheckSwitchChange(const Options& options, const std::string& key, const std::string& value) {
  BRAID_TRY_ASSIGN(const bool before, options.GetBool(key, false));
  Options changed;
  changed.Set(key, value);
  BRAID_TRY_ASSIGN(const bool after, changed.GetBool(key, false));
  if (key == "deletion-vectors.enabled" && before != after) {
    BRAID_TRY_ASSIGN(const bool modifiable, options.GetBool("deletion-vectors.modifiable", false));
    if (modifiable) return Ok();
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("option '{}' cannot be changed, since the table holds data", key))
        .Hint(
            "set 'deletion-vectors.modifiable' to 'true', change it, then compact the table fully before it is read "
            "again");
  }
  if (before && !after)
    return Refused(fmt::format("option '{}' cannot be changed from true to false, since the table holds data", key));
  return Ok();
}

std::vector<std::string> Renamed(std::vector<std::string> names, const std::string& from, const std::string& to) {
  std::replace(names.begin(), names.end(), from, to);
  return names;
}

std::string RenamedList(const std::string& text, const std::string& from, const std::string& to) {
  return Join(Renamed(SplitNames(text), from, to), ",");
}

}  // namespace

Status CheckOptionChange(const Options& options, const std::string& key, const std::optional<std::string>& value) {
  const std::optional<std::string> before = options.Find(key);
  if (before == value) return Ok();
  if (std::find(kFrozenOptions.begin(), kFrozenOptions.end(), key) != kFrozenOptions.end()) {
    return Refused(fmt::format("option '{}' cannot be changed, since the table holds data", key));
  }
  if (key == "clustering.columns" && options.Has("pk-clustering-override")) {
    return Refused("option 'clustering.columns' cannot be changed while 'pk-clustering-override' is set");
  }
  if (key == "bucket")
    return value ? CheckBucketChange(options, *value)
                 : Refused("option 'bucket' cannot be reset, since the table holds data");
  if (value && (key == "deletion-vectors.enabled" || key == "ignore-delete" || key == "ignore-update-before")) {
    return CheckSwitchChange(options, key, *value);
  }
  return Ok();
}

Options RenameColumnInOptions(const Options& options, const std::string& from, const std::string& to) {
  constexpr std::string_view kPrefix = "fields.";
  Options renamed;
  for (const auto& [key, value] : options.values()) {
    if (key == "bucket-key" || key == "sequence.field") {
      renamed.Set(key, RenamedList(value, from, to));
      continue;
    }
    const std::size_t last_dot = key.rfind('.');
    if (!key.starts_with(kPrefix) || last_dot < kPrefix.size()) {
      renamed.Set(key, value);
      continue;
    }
    const std::string names = key.substr(kPrefix.size(), last_dot - kPrefix.size());
    const std::string what = key.substr(last_dot);
    const bool names_columns = what == ".sequence-group" || what == ".nested-key";
    const std::string new_names = names == from ? to : RenamedList(names, from, to);
    renamed.Set(fmt::format("{}{}{}", kPrefix, new_names, what), names_columns ? RenamedList(value, from, to) : value);
  }
  return renamed;
}

}  // namespace braid
