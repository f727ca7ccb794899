#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace braid {

/// The text that the demo tells its story on, cut into pages that arrive one after the other. A word is a run of the
/// letters A to Z, in lower case.
struct DemoText {
  static constexpr std::size_t kPages = 8;

  std::vector<std::string> pages;  ///< kPages, none without a word; no word is cut; together the whole text
  std::string word;                ///< a frequent word of page `kMisspeltPage`
  std::string misspelling;         ///< that occurs nowhere in the text
  std::string misspelt_page;       ///< the page with every `word` misspelt
  std::size_t word_count = 0;      ///< of all pages

  static constexpr std::size_t kMisspeltPage = 5;  ///< index
};

/// Reads text files as one text; of a long one only the beginning, so that the story stays quick. What is no UTF-8 is
/// repaired. Errors: kNotFound if a file cannot be read; kInvalidArgument if there are too few words.
Result<DemoText> ReadDemoText(const std::vector<std::string>& paths);

std::vector<std::string> WordsOf(const std::string& text);

}  // namespace braid
