#include "types/like_pattern.h"

namespace braid {

namespace {

/// Bytes of the text's first code point.
std::size_t FirstCharacter(std::string_view text) {
  std::size_t length = 1;
  while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) ++length;
  return length;
}

}  // namespace

std::optional<LikePattern> LikePattern::Parse(std::string_view pattern) {
  LikePattern result;
  std::vector<Part>& parts = result.parts_;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    char c = pattern[i];
    if (c == '%') {
      if (parts.empty() || parts.back().kind != Kind::kAny) parts.push_back({Kind::kAny, {}});
      continue;
    }
    if (c == '_') {
      parts.push_back({Kind::kOne, {}});
      continue;
    }
    if (c == '\\') {
      if (++i == pattern.size()) return std::nullopt;
      c = pattern[i];
      if (c != '%' && c != '_' && c != '\\') return std::nullopt;
    }
    if (parts.empty() || parts.back().kind != Kind::kText) parts.push_back({Kind::kText, {}});
    parts.back().text += c;
  }
  const auto is = [&parts](std::size_t i, Kind kind) { return i < parts.size() && parts[i].kind == kind; };
  if (parts.empty() || (parts.size() == 1 && is(0, Kind::kText))) {
    result.form_ = Form::kEquals;
    if (!parts.empty()) result.text_ = parts[0].text;
  } else if (parts.size() == 2 && is(0, Kind::kText) && is(1, Kind::kAny)) {
    result.form_ = Form::kStartsWith;
    result.text_ = parts[0].text;
  } else if (parts.size() == 2 && is(0, Kind::kAny) && is(1, Kind::kText)) {
    result.form_ = Form::kEndsWith;
    result.text_ = parts[1].text;
  } else if (parts.size() == 3 && is(0, Kind::kAny) && is(1, Kind::kText) && is(2, Kind::kAny)) {
    result.form_ = Form::kContains;
    result.text_ = parts[1].text;
  }
  return result;
}

bool LikePattern::Matches(std::string_view text) const {
  switch (form_) {
    case Form::kEquals: return text == text_;
    case Form::kStartsWith: return text.starts_with(text_);
    case Form::kEndsWith: return text.ends_with(text_);
    case Form::kContains: return text.find(text_) != std::string_view::npos;
    case Form::kGeneral: return MatchesParts(text);
  }
  return false;
}

bool LikePattern::MatchesParts(std::string_view text) const {
  // Only the last '%' seen ever needs to take more: what stands before it has matched as early as possible.
  std::size_t part = 0;
  std::size_t retry_part = parts_.size() + 1;
  std::string_view retry_text;
  while (true) {
    bool matched = false;
    if (part == parts_.size()) {
      if (text.empty()) return true;
    } else if (parts_[part].kind == Kind::kAny) {
      if (part + 1 == parts_.size()) return true;
      retry_part = ++part;
      retry_text = text;
      continue;
    } else if (parts_[part].kind == Kind::kOne) {
      matched = !text.empty();
      if (matched) text.remove_prefix(FirstCharacter(text));
    } else {
      matched = text.starts_with(parts_[part].text);
      if (matched) text.remove_prefix(parts_[part].text.size());
    }
    if (matched) {
      ++part;
      continue;
    }
    if (retry_part > parts_.size() || retry_text.empty()) return false;
    retry_text.remove_prefix(FirstCharacter(retry_text));
    part = retry_part;
    text = retry_text;
  }
}

std::string LikePattern::Quote(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '%' || c == '_' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace braid
