#include "io/storage_traits.h"

namespace braid {

namespace {

const StorageTraits* TraitsOf(const FileSystem& file_system) { return dynamic_cast<const StorageTraits*>(&file_system); }

}  // namespace

bool CanRename(const FileSystem& file_system) {
  const StorageTraits* traits = TraitsOf(file_system);
  return traits == nullptr || traits->CanRename();
}

int ParallelCalls(const FileSystem& file_system) {
  const StorageTraits* traits = TraitsOf(file_system);
  return traits == nullptr ? 1 : traits->ParallelCalls();
}

void Expect(const FileSystem& file_system, std::span<const std::string> paths) {
  if (const StorageTraits* traits = TraitsOf(file_system)) traits->Expect(paths);
}

}  // namespace braid
