#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace braid {

/// A pattern of SQL's LIKE, ready to match: '%' stands for any text, '_' for one character (code point), and '\' takes the
/// meaning from either or itself. An immutable value.
class LikePattern {
 public:
  /// nullopt if a '\' stands at the end or before any other character, which Java refuses.
  static std::optional<LikePattern> Parse(std::string_view pattern);

  bool Matches(std::string_view text) const;

  /// What simpler test says the same, and with which text.
  enum class Form { kEquals, kStartsWith, kEndsWith, kContains, kGeneral };
  Form form() const { return form_; }
  /// The text of the simpler test; empty for kGeneral.
  const std::string& text() const { return text_; }

  /// A pattern that matches exactly this text.
  static std::string Quote(std::string_view text);

 private:
  enum class Kind { kText, kOne, kAny };
  struct Part {
    Kind kind;
    std::string text;  // of kText
  };

  bool MatchesParts(std::string_view text) const;

  std::vector<Part> parts_;
  Form form_ = Form::kGeneral;
  std::string text_;
};

}  // namespace braid
