#include "io/request_pool.h"

#include <array>
#include <string>

#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "io/memory_file_system.h"
#include "io/round_trips_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;

std::array<std::function<Status()>, 3> Looks(const FileSystem& files, std::vector<std::string>& asked) {
  const auto look = [&](std::string name, bool fails) {
    return [&files, &asked, name = std::move(name), fails]() -> Status {
      BRAID_TRY(files.Exists("/" + name));
      asked.push_back(name);
      return fails ? Status(Error(ErrorCode::kIo, name)) : Ok();
    };
  };
  return {look("a", false), look("b", true), look("c", true)};
}

TEST(RequestPoolTest, CallsLocalFilesOneAfterTheOtherUpToTheFirstError) {
  const MemoryFileSystem files;
  std::vector<std::string> asked;
  EXPECT_THAT(CallTogether(files, Looks(files, asked)), HasMessage("b"));
  EXPECT_THAT(asked, ElementsAre("a", "b"));
}

TEST(RequestPoolTest, AsksAFarStorageAllAtOnce) {
  RoundTripFileSystem files;
  files.Count(true);
  std::array<bool, 3> found = {true, true, true};
  std::vector<std::function<Status()>> calls;
  for (bool& one : found) {
    calls.emplace_back([&]() -> Status {
      BRAID_TRY_ASSIGN(one, files.Exists("/a"));
      return &one == &found[0] ? Ok() : Status(Error(ErrorCode::kIo, &one == &found[1] ? "b" : "c"));
    });
  }
  EXPECT_THAT(CallTogether(files, calls), HasMessage("b")) << "the first in their order";
  EXPECT_THAT(found, ElementsAre(false, false, false)) << "each was asked";
  EXPECT_EQ(files.Take().size(), 1u);
}

}  // namespace
}  // namespace braid
