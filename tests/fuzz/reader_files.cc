// What commands on branches and readers leave for each other below `.braid`: leases of readers (table/read_lease.h) and aliases
// of branches (table/lines.h).

#include "fuzz/fuzz_target.h"
#include "io/memory_file_system.h"
#include "table/lines.h"
#include "table/read_lease.h"

using namespace braid;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::int64_t kNow = 1'715'681'730'000;
  fuzz::Input input(data, size);
  const TablePaths root("/t", std::string(kMainBranch));
  MemoryFileSystem fs;
  if (input.Choose(2) == 0) {
    const std::string path = JoinPath(root.LeaseDirectory(), "a.json");
    fuzz::Require(fs.Replace(path, input.rest()).has_value(), "memory refuses a file");
    const auto leases = LiveLeases(fs, root, kNow);
    // What cannot be read may claim anything, so it stays; what is dead goes.
    const bool stays = fs.Exists(path).value();
    if (fuzz::IsRead(leases)) {
      fuzz::Require(leases->size() == (stays ? 1U : 0U), "a lease that lives is gone, or one that is dead stays");
      fuzz::IsRead(LiveReadersOf(fs, root, "root", kNow));
    } else {
      fuzz::Require(stays, "a lease that cannot be read is gone");
    }
    return 0;
  }
  fuzz::Require(fs.Replace(root.AliasFile("b"), input.rest()).has_value(), "memory refuses a file");
  const auto alias = ReadAlias(fs, root, "b", kNow);
  if (fuzz::IsRead(alias) && *alias) fuzz::Require(!(*alias)->line_id.empty() || input.rest().find("lineId") != std::string_view::npos, "an alias of nothing");
  return 0;
}
