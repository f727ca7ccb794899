#include "io/request_pool.h"

#include <array>
#include <latch>
#include <string>
#include <vector>

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

// Each call waits for the others to be made.
TEST(RequestPoolTest, AsksAFarStorageAllAtOnce) {
  const RoundTripFileSystem files;
  std::latch made(3);
  const auto call = [&](const char* failure) {
    return [&made, failure]() -> Status {
      made.arrive_and_wait();
      return failure == nullptr ? Ok() : Status(Error(ErrorCode::kIo, failure));
    };
  };
  const std::array<std::function<Status()>, 3> calls = {call(nullptr), call("b"), call("c")};
  EXPECT_THAT(CallTogether(files, calls), HasMessage("b")) << "the first in their order";
}

}  // namespace
}  // namespace braid
