#include "duck/java_regex.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "duck/java_regex_internal.h"
#include "duck/utf8_internal.h"

namespace braid {
namespace {

using Op = RegexInstruction::Op;

constexpr std::size_t kNowhere = std::string_view::npos;
constexpr std::int64_t kMaxSteps = 50'000'000;
// Above this many bits the visited states are not remembered.
constexpr std::size_t kMaxVisited = std::size_t{1} << 26;

bool IsWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool IsLineTerminator(std::uint32_t c) {
  return c == '\n' || c == '\r' || c == 0x85 || c == 0x2028 || c == 0x2029;
}

/// One search in one text: a backtracking run over the program, which remembers failed states once a run grows long.
class Matcher {
 public:
  Matcher(const JavaRegex::Program& program, std::string_view text)
      : program_(program),
        text_(text),
        slots_(2 * (program.groups + 1), kNowhere),
        marks_(program.registers, kNowhere) {}

  /// Whether a match begins at this byte, ending at the text's end if `whole`. Errors: too many steps.
  Result<bool> MatchAt(std::size_t start, bool whole) {
    std::fill(slots_.begin(), slots_.end(), kNowhere);
    stack_.clear();
    end_wanted_ = whole ? text_.size() : kNowhere;
    const bool matched = Run(0, start);
    if (steps_ > kMaxSteps) {
      return Error(ErrorCode::kInvalidArgument,
                   fmt::format("the regular expression '{}' takes too many steps on a text of {} bytes",
                               program_.pattern, text_.size()))
          .Hint("avoid repetitions inside repetitions");
    }
    return matched;
  }

  JavaRegex::Match match() const {
    JavaRegex::Match match;
    for (std::size_t group = 0; group <= program_.groups; ++group) {
      const bool whole = slots_[2 * group] != kNowhere && slots_[2 * group + 1] != kNowhere;
      match.begin.push_back(whole ? slots_[2 * group] : kNowhere);
      match.end.push_back(whole ? slots_[2 * group + 1] : kNowhere);
    }
    return match;
  }

 private:
  /// Either a state to try, or a slot or mark to put back.
  struct Entry {
    enum class Kind : std::uint8_t { kTry, kSlot, kMark } kind;
    std::uint32_t index;
    std::size_t position;
  };

  /// Runs from a state until kSucceed; leaves the position reached in end_.
  bool Run(std::uint32_t pc, std::size_t position) {
    const std::size_t base = stack_.size();
    stack_.push_back({Entry::Kind::kTry, pc, position});
    while (stack_.size() > base) {
      const Entry entry = stack_.back();
      stack_.pop_back();
      if (entry.kind == Entry::Kind::kSlot) {
        slots_[entry.index] = entry.position;
      } else if (entry.kind == Entry::Kind::kMark) {
        marks_[entry.index] = entry.position;
      } else if (Follow(entry.index, entry.position)) {
        stack_.resize(base);
        return true;
      }
      if (steps_ > kMaxSteps) return false;
    }
    return false;
  }

  bool FirstVisit(std::uint32_t pc, std::size_t position) {
    if (!program_.simple) return true;
    if (visited_.empty()) {
      const std::size_t states = program_.code.size() * (text_.size() + 1);
      if (steps_ < 1000 || states > kMaxVisited) return true;
      visited_.assign(states, false);
    }
    const std::size_t state = pc * (text_.size() + 1) + position;
    if (visited_[state]) return false;
    visited_[state] = true;
    return true;
  }

  /// Follows one path; false when it ends.
  bool Follow(std::uint32_t pc, std::size_t position) {
    while (true) {
      ++steps_;
      const RegexInstruction& instruction = program_.code[pc];
      switch (instruction.op) {
        case Op::kSplit:
          if (!FirstVisit(pc, position)) return false;
          stack_.push_back({Entry::Kind::kTry, instruction.y, position});
          pc = instruction.x;
          continue;
        case Op::kJump: pc = instruction.x; continue;
        case Op::kSave:
          stack_.push_back({Entry::Kind::kSlot, instruction.x, slots_[instruction.x]});
          slots_[instruction.x] = position;
          break;
        case Op::kMark:
          stack_.push_back({Entry::Kind::kMark, instruction.x, marks_[instruction.x]});
          marks_[instruction.x] = position;
          break;
        case Op::kLoopIfMoved:
          if (marks_[instruction.x] != position) {
            pc = instruction.y;
            continue;
          }
          break;
        case Op::kSucceed:
          if (end_wanted_ != kNowhere && position != end_wanted_) return false;
          end_ = position;
          return true;
        case Op::kLookAhead:
        case Op::kLookBehind:
        case Op::kAtomic:
          if (!Part(instruction, pc + 1, position)) return false;
          pc = instruction.x;
          continue;
        default:
          if (!Consume(instruction, position)) return false;
          break;
      }
      ++pc;
    }
  }

  /// Matches a part by itself; moves the position past an atomic group.
  bool Part(const RegexInstruction& instruction, std::uint32_t pc, std::size_t& position) {
    const std::size_t outer_end = end_wanted_;
    const std::vector<std::size_t> slots = slots_;
    bool matched = false;
    if (instruction.op == Op::kLookBehind) {
      end_wanted_ = position;
      for (std::size_t start = position + 1; start-- > 0 && !matched;) {
        if (start < text_.size() && IsContinuation(text_[start])) continue;
        matched = Run(pc, start);
      }
    } else {
      end_wanted_ = kNowhere;
      matched = Run(pc, position);
    }
    end_wanted_ = outer_end;
    const bool negative = instruction.op != Op::kAtomic && instruction.y == 1;
    if (matched && instruction.op == Op::kAtomic) position = end_;
    if (!matched || negative) slots_ = slots;
    if (matched == negative) return false;
    // What the part captured is undone when the path behind it fails.
    for (std::uint32_t i = 0; i < slots.size(); ++i) {
      if (slots[i] != slots_[i]) stack_.push_back({Entry::Kind::kSlot, i, slots[i]});
    }
    return true;
  }

  bool Consume(const RegexInstruction& instruction, std::size_t& position) const {
    switch (instruction.op) {
      case Op::kLineBegin:
        return position == 0 ||
               (position < text_.size() && IsLineTerminator(static_cast<unsigned char>(text_[position - 1])));
      case Op::kLineEnd: return position == text_.size() || IsLineTerminator(CodePointAt(text_, position));
      case Op::kTextBegin: return position == 0;
      case Op::kTextEnd: return position == text_.size();
      case Op::kTextEndOrLastLine: return AtLastLineEnd(position);
      case Op::kWordBoundary: return AtWordBoundary(position);
      case Op::kNoWordBoundary: return !AtWordBoundary(position);
      case Op::kBackReference: return Repeat(instruction, position);
      default: return ConsumeOne(instruction, position);
    }
  }

  bool ConsumeOne(const RegexInstruction& instruction, std::size_t& position) const {
    if (position >= text_.size()) return false;
    const std::uint32_t c = CodePointAt(text_, position);
    bool matches = false;
    switch (instruction.op) {
      case Op::kChar: matches = c == instruction.x; break;
      case Op::kCharNoCase: matches = (c >= 'A' && c <= 'Z' ? c + 32 : c) == instruction.x; break;
      case Op::kClass: matches = program_.classes[instruction.x].Holds(c); break;
      case Op::kAny: matches = true; break;
      case Op::kAnyInLine: matches = !IsLineTerminator(c); break;
      default: break;
    }
    if (matches) position += CodePointSize(text_[position]);
    return matches;
  }

  bool AtLastLineEnd(std::size_t position) const {
    const std::string_view rest = text_.substr(position);
    if (rest.empty() || rest == "\r\n") return true;
    if (rest == "\n") return position == 0 || text_[position - 1] != '\r';
    return CodePointSize(rest.front()) == rest.size() && IsLineTerminator(CodePointAt(rest, 0));
  }

  bool AtWordBoundary(std::size_t position) const {
    const bool before = position > 0 && IsWordByte(text_[position - 1]);
    const bool after = position < text_.size() && IsWordByte(text_[position]);
    return before != after;
  }

  bool Repeat(const RegexInstruction& instruction, std::size_t& position) const {
    if (instruction.x > program_.groups) return false;
    const std::size_t begin = slots_[2 * instruction.x];
    const std::size_t end = slots_[2 * instruction.x + 1];
    if (begin == kNowhere || end == kNowhere) return false;
    const std::string_view captured = text_.substr(begin, end - begin);
    const std::string_view here = text_.substr(position, captured.size());
    const auto same = [&](char a, char b) {
      if (instruction.y == 0) return a == b;
      const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
      return lower(a) == lower(b);
    };
    if (!std::equal(captured.begin(), captured.end(), here.begin(), here.end(), same)) return false;
    position += captured.size();
    return true;
  }

  const JavaRegex::Program& program_;
  std::string_view text_;
  std::vector<std::size_t> slots_;
  std::vector<std::size_t> marks_;
  std::vector<Entry> stack_;
  std::vector<bool> visited_;  // splits already tried, all of which failed; empty until a run grows long
  std::size_t end_wanted_ = kNowhere;
  std::size_t end_ = 0;
  std::int64_t steps_ = 0;
};

Result<std::optional<JavaRegex::Match>> FindFrom(const JavaRegex::Program& program, Matcher& matcher,
                                                 std::string_view text, std::size_t from) {
  for (std::size_t start = from; start <= text.size();) {
    if (!program.literal_prefix.empty()) {
      start = text.find(program.literal_prefix, start);
      if (start == kNowhere) break;
    }
    BRAID_TRY_ASSIGN(const bool matched, matcher.MatchAt(start, false));
    if (matched) return std::optional(matcher.match());
    start += start < text.size() ? CodePointSize(text[start]) : 1;
  }
  return std::optional<JavaRegex::Match>();
}

}  // namespace

Result<JavaRegex> JavaRegex::Compile(std::string_view pattern) {
  BRAID_TRY_ASSIGN(Program program, CompileRegex(pattern));
  return JavaRegex(std::make_shared<const Program>(std::move(program)));
}

std::size_t JavaRegex::group_count() const {
  return program_->groups;
}

Result<std::optional<JavaRegex::Match>> JavaRegex::Find(std::string_view text, std::size_t from) const {
  Matcher matcher(*program_, text);
  return FindFrom(*program_, matcher, text, from);
}

Result<bool> JavaRegex::Matches(std::string_view text) const {
  return Matcher(*program_, text).MatchAt(0, true);
}

Result<std::vector<JavaRegex::Match>> JavaRegex::FindAll(std::string_view text) const {
  std::vector<Match> matches;
  std::size_t from = 0;
  while (from <= text.size()) {
    // A new matcher each time: remembered states failed only for what came before a match.
    BRAID_TRY_ASSIGN(std::optional<Match> match, Find(text, from));
    if (!match) break;
    const std::size_t end = match->end[0];
    from = end > match->begin[0] ? end : end + (end < text.size() ? CodePointSize(text[end]) : 1);
    matches.push_back(*std::move(match));
  }
  return matches;
}

}  // namespace braid
