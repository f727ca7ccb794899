#pragma once

#include <span>
#include <string>
#include <string_view>

#include "io/file_system.h"

namespace braid {

/// What a storage can say about itself beside being a FileSystem; one that says nothing is like local files.
class StorageTraits {
 public:
  virtual ~StorageTraits() = default;
  virtual bool CanRename() const = 0;
  virtual int ParallelCalls() const = 0;
  virtual void Expect(std::span<const std::string> paths) const = 0;
  /// What FileSystem::Exists tells, in the time of one request.
  virtual Result<bool> Has(std::string_view path) const = 0;
};

/// Whether FileSystem::Rename works. Object stores have no folders to move, only names that begin alike.
bool CanRename(const FileSystem& file_system);
/// How many calls keep the storage busy: 1 where a call is no wait, many where it is a request over a network.
int ParallelCalls(const FileSystem& file_system);
/// Says that these files will soon be opened for reading, in this order: a far storage starts to read them now.
void Expect(const FileSystem& file_system, std::span<const std::string> paths);

}  // namespace braid
