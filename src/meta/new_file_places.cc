#include "meta/new_file_places.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "base/option_lists.h"
#include "base/text.h"
#include "io/file_system.h"

namespace braid {

namespace {

constexpr const char* kPaths = "data-file.external-paths";
constexpr const char* kStrategy = "data-file.external-paths.strategy";
constexpr const char* kSpecificFs = "data-file.external-paths.specific-fs";
constexpr const char* kWeights = "data-file.external-paths.weights";

// As Java's Path prints an address: "FILE:///a//b/" is "FILE:/a/b", "s3://b/p/" is "s3://b/p".
std::string PrintedPath(std::string_view scheme, std::string_view rest) {
  std::string path(scheme);
  path += ':';
  if (rest.starts_with("//")) {
    rest.remove_prefix(2);
    if (!rest.starts_with('/')) path += "//";
  }
  for (const char c : rest) {
    if (c != '/' || path.back() != '/') path += c;
  }
  while (path.ends_with('/') && !path.ends_with(":/")) path.pop_back();
  return path;
}

// The scheme of a table's own storage.
std::string SchemeOf(std::string_view root) {
  const std::size_t colon = root.find("://");
  return colon == std::string_view::npos ? "file" : ToLower(root.substr(0, colon));
}

Result<std::vector<std::string>> RootsOf(const Options& options, const std::string& strategy,
                                         const std::string& table_root) {
  const std::string only = options.Get(kSpecificFs, "");
  if (strategy == "specific-fs" && only.empty()) {
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("'{}' is 'specific-fs', but '{}' is not set", kStrategy, kSpecificFs));
  }
  std::vector<std::string> roots;
  for (const std::string& path : ParseList(options.Get(kPaths, ""))) {
    const std::size_t colon = path.find(':');
    if (colon == std::string::npos || colon == 0 || path.substr(0, colon).find('/') != std::string::npos) {
      return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' has '{}', which begins with no scheme", kPaths, path))
          .Hint("write file:/path or s3://bucket/path");
    }
    const std::string scheme = path.substr(0, colon);
    if (strategy == "specific-fs" && !EqualsIgnoreCase(scheme, only)) continue;
    if (ToLower(scheme) != SchemeOf(table_root)) {
      return Error(ErrorCode::kUnsupported,
                   fmt::format("'{}' has '{}', in another storage than the table", kPaths, path))
          .Hint(fmt::format("give paths that begin with {}:", SchemeOf(table_root)));
    }
    roots.push_back(PrintedPath(scheme, std::string_view(path).substr(colon + 1)));
  }
  if (roots.empty())
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("'{}' names no path for the strategy '{}'", kPaths, strategy));
  return roots;
}

Result<std::vector<std::int64_t>> WeightsOf(const Options& options, std::size_t roots) {
  std::vector<std::int64_t> weights;
  for (const std::string& part : ParseList(options.Get(kWeights, ""))) {
    const auto weight = ParseInt64(part);
    if (!weight || *weight < 1 || *weight > INT32_MAX)
      return Error(ErrorCode::kInvalidArgument,
                   fmt::format("'{}' has '{}', which is no number from 1 on", kWeights, part));
    weights.push_back(*weight);
  }
  if (weights.size() == roots) return weights;
  return Error(ErrorCode::kInvalidArgument,
               fmt::format("'{}' has {} numbers for {} paths", kWeights, weights.size(), roots));
}

// Murmur3 x86 32-bit with seed 0.
std::uint32_t HashName(std::string_view bytes) {
  const auto mixed = [](std::uint32_t word) { return std::rotl(word * 0xcc9e2d51U, 15) * 0x1b873593U; };
  std::uint32_t hash = 0;
  std::size_t at = 0;
  for (; at + 4 <= bytes.size(); at += 4) {
    std::uint32_t word = 0;
    for (std::size_t i = 4; i-- > 0;) word = word << 8 | static_cast<unsigned char>(bytes[at + i]);
    hash = std::rotl(hash ^ mixed(word), 13) * 5 + 0xe6546b64U;
  }
  std::uint32_t rest = 0;
  for (std::size_t i = bytes.size(); i-- > at;) rest = rest << 8 | static_cast<unsigned char>(bytes[i]);
  hash ^= mixed(rest);
  hash ^= static_cast<std::uint32_t>(bytes.size());
  hash = (hash ^ hash >> 16) * 0x85ebca6bU;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35U;
  return hash ^ hash >> 16;
}

}  // namespace

Result<std::shared_ptr<NewFilePlaces>> NewFilePlaces::Make(const Options& options, const std::string& table_root,
                                                           const std::string& bucket_path) {
  std::shared_ptr<NewFilePlaces> places(new NewFilePlaces(table_root, bucket_path));
  const std::string strategy = ToLower(options.Get(kStrategy, "none"));
  if (strategy != "none" && strategy != "specific-fs" && strategy != "round-robin" && strategy != "weight-robin" &&
      strategy != "entropy-inject") {
    return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is '{}'", kStrategy, strategy))
        .Hint("it is none, round-robin, specific-fs, weight-robin or entropy-inject");
  }
  if (strategy == "none" || Trim(options.Get(kPaths, "")).empty()) return places;
  BRAID_TRY_ASSIGN(places->roots_, RootsOf(options, strategy, table_root));
  if (strategy == "weight-robin") {
    BRAID_TRY_ASSIGN(places->weights_, WeightsOf(options, places->roots_.size()));
  }
  places->scatters_ = strategy == "entropy-inject";
  // Where writers begin is left to chance: the first files of all buckets should not lie in one place.
  places->next_ = static_cast<std::size_t>(places->random_() % places->roots_.size());
  return places;
}

NewFilePlaces::Place NewFilePlaces::Next(std::string_view file_name) {
  if (roots_.empty()) return {.path = JoinPath(JoinPath(table_root_, bucket_path_), file_name)};
  std::size_t root = 0;
  {
    const std::lock_guard lock(mutex_);
    if (weights_.empty()) {
      root = next_ = (next_ + 1) % roots_.size();
    } else {
      root = std::discrete_distribution<std::size_t>(weights_.begin(), weights_.end())(random_);
    }
  }
  std::string directory = JoinPath(roots_[root], bucket_path_);
  if (scatters_) directory = JoinPath(directory, EntropyFolders(file_name));
  Place place{.path = JoinPath(directory, file_name)};
  place.external_path = place.path;
  return place;
}

std::string EntropyFolders(std::string_view file_name) {
  constexpr int kBits = 20;
  const std::uint32_t hash = HashName(file_name);
  std::string folders;
  for (int bit = kBits - 1; bit >= 0; --bit) {
    const int position = kBits - 1 - bit;
    if (position == 4 || position == 8 || position == 12) folders += '/';
    folders += (hash >> bit & 1U) != 0 ? '1' : '0';
  }
  return folders;
}

bool IsEntropyFolder(std::string_view name) {
  return (name.size() == 4 || name.size() == 8) && name.find_first_not_of("01") == std::string_view::npos;
}

}  // namespace braid
