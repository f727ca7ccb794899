#pragma once

// Reading many manifests on the CPU pool, several blocks a task.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/thread_pool.h"
#include "io/request_pool.h"
#include "meta/manifest_scan.h"
#include "table/table.h"

namespace braid {

/// Some consecutive blocks of a manifest, for one task to decode.
struct ManifestPart {
  const ManifestScanner& scanner;
  std::size_t first_block;
  std::size_t last_block;  ///< behind the last one

  /// How many entries it has, about.
  std::size_t EntryCount() const { return scanner.EntryCount(first_block, last_block); }
  Status Visit(const ManifestFilter& filter, const std::function<void(ManifestEntry&)>& visit) const {
    return scanner.VisitBlocks(first_block, last_block, filter, visit);
  }
};

/// Calls `read` once for each part of the manifests, from several threads; returns what it returned, by manifest and in
/// the order of the blocks. Not more than some manifests are in memory at once. Not to be called from the CPU pool.
template <typename Outcome>
Result<std::vector<std::vector<Outcome>>> ReadManifestParts(
    const Table& table, std::span<const ManifestFileMeta> manifests,
    const std::function<Result<Outcome>(const ManifestPart&)>& read) {
  constexpr std::int64_t kBytesAtOnce = std::int64_t{17} << 20;  // two of Paimon's usual 8 MiB
  constexpr std::size_t kBlocksOfAPart = 8;                      // about half a megabyte decoded

  struct OpenManifest {
    std::optional<ManifestScanner> scanner;
    std::atomic<std::size_t> parts_left = 0;
  };
  struct Task {
    std::size_t manifest;
    std::size_t part;
    std::size_t first_block;
  };
  std::vector<std::vector<Outcome>> outcomes(manifests.size());
  for (std::size_t first = 0; first < manifests.size();) {
    std::size_t last = first;
    for (std::int64_t bytes = 0; last < manifests.size(); ++last) {
      bytes += manifests[last].file_size;
      if (last > first && bytes > kBytesAtOnce) break;
    }
    std::vector<OpenManifest> open(last - first);
    BRAID_TRY(ParallelFor(PoolFor(table.file_system()), static_cast<std::int64_t>(open.size()), [&](std::int64_t index) -> Status {
      const auto i = static_cast<std::size_t>(index);
      BRAID_TRY_ASSIGN(open[i].scanner,
                       ManifestScanner::Open(table.file_system(), table.paths(), manifests[first + i].file_name));
      return Ok();
    }));
    std::vector<Task> tasks;
    for (std::size_t i = 0; i < open.size(); ++i) {
      const std::size_t blocks = open[i].scanner->block_count();
      for (std::size_t block = 0; block < blocks; block += kBlocksOfAPart) {
        tasks.push_back({.manifest = i, .part = open[i].parts_left++, .first_block = block});
      }
      outcomes[first + i].resize(open[i].parts_left);
    }
    BRAID_TRY(ParallelFor(CpuPool(), static_cast<std::int64_t>(tasks.size()), [&](std::int64_t index) -> Status {
      const Task& task = tasks[static_cast<std::size_t>(index)];
      OpenManifest& manifest = open[task.manifest];
      const std::size_t end = std::min(task.first_block + kBlocksOfAPart, manifest.scanner->block_count());
      const ManifestPart part{.scanner = *manifest.scanner, .first_block = task.first_block, .last_block = end};
      BRAID_TRY_ASSIGN(outcomes[first + task.manifest][task.part], read(part));
      if (--manifest.parts_left == 0) manifest.scanner.reset();
      return Ok();
    }));
    first = last;
  }
  return outcomes;
}

}  // namespace braid
