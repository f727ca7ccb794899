#include "cli/demo_text.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

std::string WriteText(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::string Repeated(const std::string& text, int times) {
  std::string repeated;
  for (int i = 0; i < times; ++i) repeated += text;
  return repeated;
}

TEST(DemoTextTest, FindsRunsOfLettersInLowerCase) {
  EXPECT_THAT(WordsOf("The naïve, it's 2nd!"), ElementsAre("the", "na", "ve", "it", "s", "nd"));
}

TEST(DemoTextTest, CutsTextsIntoPagesOfAsManyWordsWithoutLosingOne) {
  const std::string first = WriteText("demo_text_first", Repeated("one fine day\n", 40));
  const std::string second = WriteText("demo_text_second", Repeated("größer als — zwei ", 41));
  const Result<DemoText> text = ReadDemoText({first, second});
  ASSERT_THAT(text, IsOk());
  ASSERT_THAT(text->pages, SizeIs(DemoText::kPages));
  // 3 · 40 and 4 · 41 words: "größer" is "gr" and "er".
  EXPECT_EQ(text->word_count, 284U);
  std::vector<std::string> words;
  for (const std::string& page : text->pages) {
    const std::vector<std::string> of_page = WordsOf(page);
    EXPECT_TRUE(of_page.size() == 35 || of_page.size() == 36) << of_page.size();
    words.insert(words.end(), of_page.begin(), of_page.end());
  }
  EXPECT_EQ(words, WordsOf(Repeated("one fine day\n", 40) + Repeated("größer als — zwei ", 41)));
}

TEST(DemoTextTest, MisspellsAFrequentWordOfOnePage) {
  const std::string path =
      WriteText("demo_text_misspelt", Repeated("The cat and the dog, then the teh-less end.\n", 30));
  const Result<DemoText> text = ReadDemoText({path});
  ASSERT_THAT(text, IsOk());
  // "the" is more frequent, but "teh" is a word of the text already.
  EXPECT_EQ(text->word, "and");
  EXPECT_EQ(text->misspelling, "adn");
  std::vector<std::string> words = WordsOf(text->pages[DemoText::kMisspeltPage]);
  std::replace(words.begin(), words.end(), text->word, text->misspelling);
  EXPECT_EQ(WordsOf(text->misspelt_page), words);
}

TEST(DemoTextTest, RefusesWhatItCannotTellAStoryOn) {
  EXPECT_THAT(ReadDemoText({testing::TempDir() + "no_such_text"}), IsError(ErrorCode::kNotFound));
  const std::string path = WriteText("demo_text_short", Repeated("word ", 79));
  EXPECT_THAT(ReadDemoText({path}), IsError(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace braid
