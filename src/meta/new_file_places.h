#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.h"
#include "base/result.h"

namespace braid {

/// Where the new files of one bucket go (spec metadata.md §1.5): into the bucket's folder, or by
/// `data-file.external-paths` and its strategy below other roots, a file here, the next there. Thread-safe.
class NewFilePlaces {
 public:
  struct Place {
    std::string path;
    /// What the metadata say: the same path, or nullopt in the bucket's folder.
    std::optional<std::string> external_path = std::nullopt;
  };

  /// `bucket_path`: of the bucket's folder below `table_root`. Errors: kInvalidArgument for roots without a scheme, an
  /// unknown strategy, weights that do not fit; kUnsupported for a root in another storage than the table.
  static Result<std::shared_ptr<NewFilePlaces>> Make(const Options& options, const std::string& table_root,
                                                     const std::string& bucket_path);

  /// The place of the next file, which gets this name.
  Place Next(std::string_view file_name);
  /// Whether all files lie in the bucket's folder.
  bool are_inside() const { return roots_.empty(); }

 private:
  NewFilePlaces(std::string table_root, std::string bucket_path)
      : table_root_(std::move(table_root)), bucket_path_(std::move(bucket_path)), random_(std::random_device{}()) {}

  std::string table_root_;
  std::string bucket_path_;
  std::vector<std::string> roots_;
  std::vector<std::int64_t> weights_;  // one a root; empty: in turns
  bool scatters_ = false;              // into folders named by the hash of the file's name

  std::mutex mutex_;  // guards what follows
  std::mt19937_64 random_;
  std::size_t next_ = 0;
};

/// The folders that strategy `entropy-inject` puts a file into, of four levels: "1001/0110/1100/01010110".
std::string EntropyFolders(std::string_view file_name);
/// Whether a folder's name is one of these.
bool IsEntropyFolder(std::string_view name);

}  // namespace braid
