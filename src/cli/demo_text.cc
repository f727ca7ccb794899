#include "cli/demo_text.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "types/utf8.h"

namespace braid {

namespace {

constexpr std::size_t kMaxWords = 24'000;  // enough to be real, little enough to be quick
constexpr std::size_t kFewestWords = 10 * DemoText::kPages;
constexpr std::size_t kFewestLetters = 3;  // of the word that is misspelt

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
char LowerCase(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Calls `see(begin, end)` with the place of each word.
void EachWord(const std::string& text, const std::function<void(std::size_t, std::size_t)>& see) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    while (at < text.size() && IsLetter(text[at])) ++at;
    if (at > begin) {
      see(begin, at);
    } else {
      ++at;
    }
  }
}

std::string WordAt(const std::string& text, std::size_t begin, std::size_t end) {
  std::string word = text.substr(begin, end - begin);
  std::transform(word.begin(), word.end(), word.begin(), LowerCase);
  return word;
}

Result<std::string> ReadTexts(const std::vector<std::string>& paths) {
  std::ostringstream text;
  for (const std::string& path : paths) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return Error(ErrorCode::kNotFound, "cannot read " + path).Hint("give text files with --text");
    if (file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
    text << '\n';
  }
  return RepairUtf8(text.str());
}

// Each page ends behind a word, and has as many words as the others.
std::vector<std::string> CutIntoPages(const std::string& text, const std::vector<std::size_t>& word_ends) {
  std::vector<std::string> pages;
  std::size_t begin = 0;
  for (std::size_t page = 1; page <= DemoText::kPages; ++page) {
    const std::size_t end = word_ends[word_ends.size() * page / DemoText::kPages - 1];
    pages.push_back(text.substr(begin, end - begin) + "\n");
    begin = end;
  }
  return pages;
}

// "the" as "teh": a misspelling that people make.
std::string Swapped(std::string word) {
  std::swap(word[1], word[2]);
  return word;
}

void ChooseMisspelling(DemoText& text, const std::set<std::string>& known) {
  std::map<std::string, std::int64_t> counts;
  for (std::string& word : WordsOf(text.pages[DemoText::kMisspeltPage])) ++counts[std::move(word)];
  std::vector<std::pair<std::int64_t, std::string>> by_count;
  for (const auto& [word, count] : counts) by_count.emplace_back(-count, word);
  std::sort(by_count.begin(), by_count.end());
  for (const auto& [count, word] : by_count) {
    if (word.size() < kFewestLetters || known.contains(Swapped(word))) continue;
    text.word = word;
    text.misspelling = Swapped(word);
    return;
  }
  text.word = by_count.front().second;
  text.misspelling = text.word;
  while (known.contains(text.misspelling)) text.misspelling += 'q';
}

std::string Misspelt(const std::string& page, const std::string& word, const std::string& misspelling) {
  std::string misspelt;
  std::size_t copied = 0;
  EachWord(page, [&](std::size_t begin, std::size_t end) {
    if (WordAt(page, begin, end) != word) return;
    misspelt += page.substr(copied, begin - copied) + misspelling;
    copied = end;
  });
  return misspelt + page.substr(copied);
}

}  // namespace

std::vector<std::string> WordsOf(const std::string& text) {
  std::vector<std::string> words;
  EachWord(text, [&](std::size_t begin, std::size_t end) { words.push_back(WordAt(text, begin, end)); });
  return words;
}

Result<DemoText> ReadDemoText(const std::vector<std::string>& paths) {
  BRAID_TRY_ASSIGN(const std::string whole, ReadTexts(paths));
  std::vector<std::size_t> word_ends;
  std::set<std::string> known;
  EachWord(whole, [&](std::size_t begin, std::size_t end) {
    if (word_ends.size() == kMaxWords) return;
    word_ends.push_back(end);
    known.insert(WordAt(whole, begin, end));
  });
  if (word_ends.size() < kFewestWords) {
    return Error(ErrorCode::kInvalidArgument, "the text has too few words for the story")
        .Hint("give longer files with --text");
  }
  DemoText text;
  text.pages = CutIntoPages(whole, word_ends);
  text.word_count = word_ends.size();
  ChooseMisspelling(text, known);
  text.misspelt_page = Misspelt(text.pages[DemoText::kMisspeltPage], text.word, text.misspelling);
  return text;
}

}  // namespace braid
