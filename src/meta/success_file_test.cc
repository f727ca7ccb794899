#include "meta/success_file.h"

#include <gmock/gmock.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

// Written by Java Paimon: the golden case partition_mark_done.
constexpr std::string_view kJavas = "{\n  \"creationTime\" : 1795966952407,\n  \"modificationTime\" : 1795966952410\n}";

TEST(SuccessFileTest, ReadsAndWritesWhatJavaDoes) {
  const SuccessFile file{.creation_ms = 1'795'966'952'407, .modification_ms = 1'795'966'952'410};
  EXPECT_THAT(ParseSuccessFile(kJavas), HasValue(file));
  EXPECT_EQ(PrintSuccessFile(file), kJavas);
}

TEST(SuccessFileTest, RefusesWhatIsNone) {
  for (const char* text : {"", "{}", "{\"creationTime\" : 1}", "[1]"}) {
    EXPECT_THAT(ParseSuccessFile(text), IsError(ErrorCode::kCorruption)) << text;
  }
}

}  // namespace
}  // namespace braid
