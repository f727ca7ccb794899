#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "duck/java_regex_internal.h"
#include "duck/utf8_internal.h"

namespace braid {
namespace {

using Op = RegexInstruction::Op;

constexpr std::uint32_t kLastCodePoint = 0x10FFFF;
constexpr int kMaxRepeat = 1000;
constexpr std::size_t kMaxProgram = 100'000;
constexpr int kMaxDepth = 200;

bool IsDigit(std::uint32_t c) {
  return c >= '0' && c <= '9';
}
bool IsLetter(std::uint32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
std::uint32_t Lower(std::uint32_t c) {
  return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

struct Flags {
  bool no_case = false;
  bool dot_all = false;
  bool multi_line = false;
};

/// Compiles while it parses; a repeated part's code is copied.
class Compiler {
 public:
  explicit Compiler(std::string_view pattern) : pattern_(pattern) { program_.pattern = pattern; }

  Result<JavaRegex::Program> Run() {
    Emit(Op::kSave, 0);
    BRAID_TRY(Alternatives(0));
    if (!AtEnd()) return Wrong("a closing parenthesis without an opening one");
    Emit(Op::kSave, 1);
    Emit(Op::kSucceed);
    FindPrefix();
    return std::move(program_);
  }

 private:
  using Code = std::vector<RegexInstruction>;

  Error Wrong(std::string_view what) const {
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("'{}' is no regular expression: {} at position {}", pattern_, what, at_));
  }
  Error Unsupported(std::string_view what) const {
    return Error(ErrorCode::kUnsupported,
                 fmt::format("the regular expression '{}' uses {}, which is not supported", pattern_, what));
  }

  bool AtEnd() const { return at_ >= pattern_.size(); }
  bool Accept(std::string_view text) {
    if (pattern_.substr(at_, text.size()) != text) return false;
    at_ += text.size();
    return true;
  }
  std::uint32_t Take() {
    const std::uint32_t c = CodePointAt(pattern_, at_);
    at_ += CodePointSize(pattern_[at_]);
    return c;
  }

  std::uint32_t Here() const { return static_cast<std::uint32_t>(program_.code.size()); }
  std::uint32_t Emit(Op op, std::uint32_t x = 0, std::uint32_t y = 0) {
    program_.code.push_back({op, x, y});
    return Here() - 1;
  }
  /// Takes the code from `begin` on off the program.
  Code Cut(std::uint32_t begin) {
    Code code(program_.code.begin() + begin, program_.code.end());
    program_.code.resize(begin);
    return code;
  }
  /// Appends code that was at `begin` when it was cut, moving its targets.
  void Paste(const Code& code, std::uint32_t begin) {
    const std::uint32_t shift = Here() - begin;
    for (RegexInstruction instruction : code) {
      switch (instruction.op) {
        case Op::kSplit:
          instruction.x += shift;
          instruction.y += shift;
          break;
        case Op::kJump:
        case Op::kLookAhead:
        case Op::kLookBehind:
        case Op::kAtomic: instruction.x += shift; break;
        case Op::kLoopIfMoved: instruction.y += shift; break;
        default: break;
      }
      program_.code.push_back(instruction);
    }
  }

  Status Alternatives(int depth) {
    if (depth > kMaxDepth) return Unsupported("groups nested too deeply");
    const Flags outer = flags_;
    const std::uint32_t begin = Here();
    BRAID_TRY(Sequence(depth));
    while (Accept("|")) {
      // a|b|c becomes (a|b)|c: the jumps of earlier alternatives, moved with their code, lead to the jump that follows
      // it.
      const Code first = Cut(begin);
      const std::uint32_t split = Emit(Op::kSplit);
      program_.code[split].x = Here();
      Paste(first, begin);
      const std::uint32_t jump = Emit(Op::kJump);
      program_.code[split].y = Here();
      BRAID_TRY(Sequence(depth));
      program_.code[jump].x = Here();
    }
    flags_ = outer;
    return Ok();
  }

  Status Sequence(int depth) {
    while (!AtEnd() && pattern_[at_] != '|' && pattern_[at_] != ')') {
      const std::uint32_t begin = Here();
      BRAID_TRY_ASSIGN(const bool repeatable, Atom(depth));
      if (repeatable) BRAID_TRY(Quantifiers(begin));
      if (Here() > kMaxProgram) return Unsupported("too many repetitions");
    }
    return Ok();
  }

  struct Repeat {
    int least;
    int most;  // -1: no limit
  };

  Result<std::optional<Repeat>> ParseRepeat() {
    if (Accept("*")) return std::optional(Repeat{0, -1});
    if (Accept("+")) return std::optional(Repeat{1, -1});
    if (Accept("?")) return std::optional(Repeat{0, 1});
    if (!Accept("{")) return std::optional<Repeat>();
    const auto number = [this]() -> std::optional<int> {
      int value = 0;
      bool any = false;
      while (!AtEnd() && IsDigit(static_cast<unsigned char>(pattern_[at_])) && value <= kMaxRepeat) {
        value = value * 10 + (pattern_[at_++] - '0');
        any = true;
      }
      return any ? std::optional(value) : std::nullopt;
    };
    const std::optional<int> least = number();
    if (!least) return Wrong("a repetition without a number");
    Repeat repeat{*least, *least};
    if (Accept(",")) repeat.most = number().value_or(-1);
    if (!Accept("}")) return Wrong("an open repetition");
    if (repeat.least > kMaxRepeat || repeat.most > kMaxRepeat) return Unsupported("too many repetitions");
    if (repeat.most >= 0 && repeat.most < repeat.least) return Wrong("a repetition with its limits reversed");
    return std::optional(repeat);
  }

  Status Quantifiers(std::uint32_t begin) {
    BRAID_TRY_ASSIGN(const std::optional<Repeat> repeat, ParseRepeat());
    if (!repeat) return Ok();
    const bool lazy = Accept("?");
    const bool possessive = !lazy && Accept("+");
    const Code body = Cut(begin);
    std::uint32_t atomic = 0;
    if (possessive) {
      program_.simple = false;
      atomic = Emit(Op::kAtomic);
    }
    for (int i = 0; i < repeat->least; ++i) {
      Paste(body, begin);
      if (Here() > kMaxProgram) return Unsupported("too many repetitions");
    }
    if (repeat->most < 0) {
      Loop(body, begin, lazy);
    } else {
      BRAID_TRY(Optional(body, begin, repeat->most - repeat->least, lazy));
    }
    if (possessive) {
      Emit(Op::kSucceed);
      program_.code[atomic].x = Here();
    }
    return Ok();
  }

  void Loop(const Code& body, std::uint32_t begin, bool lazy) {
    const auto mark = static_cast<std::uint32_t>(program_.registers++);
    const std::uint32_t split = Emit(Op::kSplit);
    const std::uint32_t inside = Here();
    Emit(Op::kMark, mark);
    Paste(body, begin);
    Emit(Op::kLoopIfMoved, mark, split);
    program_.code[split].x = lazy ? Here() : inside;
    program_.code[split].y = lazy ? inside : Here();
  }

  Status Optional(const Code& body, std::uint32_t begin, int count, bool lazy) {
    std::vector<std::uint32_t> splits;
    for (int i = 0; i < count; ++i) {
      splits.push_back(Emit(Op::kSplit));
      Paste(body, begin);
      if (Here() > kMaxProgram) return Unsupported("too many repetitions");
    }
    for (const std::uint32_t split : splits) {
      program_.code[split].x = lazy ? Here() : split + 1;
      program_.code[split].y = lazy ? split + 1 : Here();
    }
    return Ok();
  }

  /// True if a quantifier may follow.
  Result<bool> Atom(int depth) {
    const std::uint32_t c = Take();
    switch (c) {
      case '(': return Group(depth);
      case '[': {
        BRAID_TRY_ASSIGN(RegexClass set, Class(depth));
        EmitClass(std::move(set));
        return true;
      }
      case '.': Emit(flags_.dot_all ? Op::kAny : Op::kAnyInLine); return true;
      case '^': Emit(flags_.multi_line ? Op::kLineBegin : Op::kTextBegin); return true;
      case '$': Emit(flags_.multi_line ? Op::kLineEnd : Op::kTextEndOrLastLine); return true;
      case '\\': return Escape();
      case '*':
      case '+':
      case '?': --at_; return Wrong("a quantifier without anything before it");
      case '{': return Wrong("a repetition without anything before it");
      default: EmitChar(c); return true;
    }
  }

  void EmitChar(std::uint32_t c) {
    if (flags_.no_case && IsLetter(c)) {
      Emit(Op::kCharNoCase, Lower(c));
    } else {
      Emit(Op::kChar, c);
    }
  }

  void EmitClass(RegexClass set) {
    if (flags_.no_case) {
      const auto ranges = set.ranges;
      for (const auto& [low, high] : ranges) {
        for (std::uint32_t c = std::max<std::uint32_t>(low, 'A'); c <= std::min<std::uint32_t>(high, 'z'); ++c) {
          if (IsLetter(c)) set.ranges.emplace_back(c ^ 0x20U, c ^ 0x20U);
        }
      }
    }
    program_.classes.push_back(std::move(set));
    Emit(Op::kClass, static_cast<std::uint32_t>(program_.classes.size() - 1));
  }

  Result<bool> Group(int depth) {
    if (!Accept("?")) return Capture(depth);
    if (Accept(":")) return Inside(depth);
    if (Accept("=")) return Assertion(Op::kLookAhead, false, depth);
    if (Accept("!")) return Assertion(Op::kLookAhead, true, depth);
    if (Accept("<=")) return Assertion(Op::kLookBehind, false, depth);
    if (Accept("<!")) return Assertion(Op::kLookBehind, true, depth);
    if (Accept(">")) return Assertion(Op::kAtomic, false, depth);
    if (Accept("<")) {
      const std::size_t end = pattern_.find('>', at_);
      if (end == std::string_view::npos || end == at_) return Wrong("a group name that does not end");
      names_[std::string(pattern_.substr(at_, end - at_))] = program_.groups + 1;
      at_ = end + 1;
      return Capture(depth);
    }
    return FlagGroup(depth);
  }

  Result<bool> Inside(int depth) {
    const Flags outer = flags_;
    BRAID_TRY(Alternatives(depth + 1));
    flags_ = outer;
    if (!Accept(")")) return Wrong("an open group");
    return true;
  }

  Result<bool> Capture(int depth) {
    const auto group = static_cast<std::uint32_t>(++program_.groups);
    Emit(Op::kSave, 2 * group);
    BRAID_TRY_ASSIGN(const bool repeatable, Inside(depth));
    Emit(Op::kSave, 2 * group + 1);
    return repeatable;
  }

  Result<bool> Assertion(Op op, bool negative, int depth) {
    program_.simple = false;
    const std::uint32_t start = Emit(op, 0, negative ? 1 : 0);
    BRAID_TRY_ASSIGN(const bool repeatable, Inside(depth));
    Emit(Op::kSucceed);
    program_.code[start].x = Here();
    return repeatable;
  }

  /// (?i), (?i:…), (?-i) and the like.
  Result<bool> FlagGroup(int depth) {
    Flags flags = flags_;
    bool on = true;
    while (!AtEnd()) {
      const std::uint32_t c = Take();
      switch (c) {
        case '-': on = false; break;
        case 'i': flags.no_case = on; break;
        case 's': flags.dot_all = on; break;
        case 'm': flags.multi_line = on; break;
        case ')': flags_ = flags; return false;
        case ':': {
          const Flags outer = std::exchange(flags_, flags);
          BRAID_TRY_ASSIGN(const bool repeatable, Inside(depth));
          flags_ = outer;
          return repeatable;
        }
        case 'x':
        case 'u':
        case 'd':
        case 'U': return Unsupported(fmt::format("the flag {}", static_cast<char>(c)));
        default: return Wrong("an unknown kind of group");
      }
    }
    return Wrong("an open group");
  }

  Result<bool> Escape() {
    if (AtEnd()) return Wrong("a backslash at the end");
    const char c = pattern_[at_];
    if (c >= '1' && c <= '9') return NumberedReference();
    if (Accept("k<")) return NamedReference();
    if (Accept("Q")) {
      const std::size_t end = std::min(pattern_.find("\\E", at_), pattern_.size());
      while (at_ < end) EmitChar(Take());
      Accept("\\E");
      return true;
    }
    struct Position {
      std::string_view text;
      Op op;
    };
    for (const Position& position : {Position{"b", Op::kWordBoundary},
                                     {"B", Op::kNoWordBoundary},
                                     {"A", Op::kTextBegin},
                                     {"Z", Op::kTextEndOrLastLine},
                                     {"z", Op::kTextEnd}}) {
      if (Accept(position.text)) {
        Emit(position.op);
        return true;
      }
    }
    BRAID_TRY_ASSIGN(std::optional<RegexClass> set, ClassEscape());
    if (set) {
      EmitClass(*std::move(set));
      return true;
    }
    BRAID_TRY_ASSIGN(const std::uint32_t character, CharacterEscape());
    EmitChar(character);
    return true;
  }

  Result<bool> NumberedReference() {
    std::size_t group = static_cast<std::size_t>(pattern_[at_++] - '0');
    // More digits belong to the number as long as there is such a group.
    while (!AtEnd() && IsDigit(static_cast<unsigned char>(pattern_[at_])) &&
           group * 10 + static_cast<std::size_t>(pattern_[at_] - '0') <= program_.groups) {
      group = group * 10 + static_cast<std::size_t>(pattern_[at_++] - '0');
    }
    return Reference(group);
  }

  Result<bool> NamedReference() {
    const std::size_t end = pattern_.find('>', at_);
    const auto found = names_.find(std::string(pattern_.substr(at_, end == std::string_view::npos ? end : end - at_)));
    if (end == std::string_view::npos || found == names_.end())
      return Wrong("a reference to a group that does not exist");
    at_ = end + 1;
    return Reference(found->second);
  }

  Result<bool> Reference(std::size_t group) {
    program_.simple = false;
    Emit(Op::kBackReference, static_cast<std::uint32_t>(group), flags_.no_case ? 1 : 0);
    return true;
  }

  /// \d, \w, \s, \h, \v, \R-less classes and \p{…}; nullopt if the escape is none of them.
  Result<std::optional<RegexClass>> ClassEscape() {
    const char c = pattern_[at_];
    RegexClass set;
    switch (c) {
      case 'd':
      case 'D': set.ranges = {{'0', '9'}}; break;
      case 'w':
      case 'W': set.ranges = {{'a', 'z'}, {'A', 'Z'}, {'0', '9'}, {'_', '_'}}; break;
      case 's':
      case 'S': set.ranges = {{'\t', '\r'}, {' ', ' '}}; break;
      case 'h':
      case 'H':
        set.ranges = {{' ', ' '},       {'\t', '\t'},     {0xA0, 0xA0},     {0x1680, 0x1680},
                      {0x2000, 0x200A}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}};
        break;
      case 'v':
      case 'V': set.ranges = {{'\n', '\r'}, {0x85, 0x85}, {0x2028, 0x2029}}; break;
      case 'p':
      case 'P': {
        ++at_;
        BRAID_TRY_ASSIGN(set, Property());
        set.negated = c == 'P';
        return std::optional(std::move(set));
      }
      default: return std::optional<RegexClass>();
    }
    ++at_;
    set.negated = c >= 'A' && c <= 'Z';
    return std::optional(std::move(set));
  }

  Result<RegexClass> Property() {
    std::string name;
    if (Accept("{")) {
      const std::size_t end = pattern_.find('}', at_);
      if (end == std::string_view::npos) return Wrong("an open property");
      name = pattern_.substr(at_, end - at_);
      at_ = end + 1;
    } else if (!AtEnd()) {
      name = std::string(1, pattern_[at_++]);
    }
    static const std::map<std::string, std::vector<std::pair<std::uint32_t, std::uint32_t>>, std::less<>> kProperties =
        {
            {"Lower", {{'a', 'z'}}},
            {"Upper", {{'A', 'Z'}}},
            {"ASCII", {{0, 0x7F}}},
            {"Alpha", {{'a', 'z'}, {'A', 'Z'}}},
            {"Digit", {{'0', '9'}}},
            {"Alnum", {{'a', 'z'}, {'A', 'Z'}, {'0', '9'}}},
            {"Punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}},
            {"Graph", {{'!', '~'}}},
            {"Print", {{' ', '~'}}},
            {"Blank", {{' ', ' '}, {'\t', '\t'}}},
            {"Cntrl", {{0, 0x1F}, {0x7F, 0x7F}}},
            {"XDigit", {{'0', '9'}, {'a', 'f'}, {'A', 'F'}}},
            {"Space", {{'\t', '\r'}, {' ', ' '}}},
    };
    const auto found = kProperties.find(name);
    if (found == kProperties.end()) return Unsupported(fmt::format("the property {}", name));
    return RegexClass{found->second, false};
  }

  Result<std::uint32_t> Hex(std::size_t digits) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (AtEnd()) return Wrong("too few hexadecimal digits");
      const std::uint32_t c = Lower(static_cast<unsigned char>(pattern_[at_]));
      if (!IsDigit(c) && !(c >= 'a' && c <= 'f')) return Wrong("a character that is no hexadecimal digit");
      value = value * 16 + (IsDigit(c) ? c - '0' : c - 'a' + 10);
      ++at_;
    }
    return value;
  }

  Result<std::uint32_t> CharacterEscape() {
    const std::uint32_t c = Take();
    switch (c) {
      case 't': return std::uint32_t{'\t'};
      case 'n': return std::uint32_t{'\n'};
      case 'r': return std::uint32_t{'\r'};
      case 'f': return std::uint32_t{'\f'};
      case 'a': return std::uint32_t{7};
      case 'e': return std::uint32_t{27};
      case 'x': return Hex(2);
      case 'u': return Hex(4);
      case '0': {
        std::uint32_t value = 0;
        for (int i = 0; i < 3 && !AtEnd() && pattern_[at_] >= '0' && pattern_[at_] <= '7'; ++i) {
          value = value * 8 + static_cast<std::uint32_t>(pattern_[at_++] - '0');
        }
        return value;
      }
      default: break;
    }
    if (IsLetter(c)) return Wrong("an unknown escape");
    return c;
  }

  static void Add(RegexClass& to, const RegexClass& set) {
    if (!set.negated) {
      to.ranges.insert(to.ranges.end(), set.ranges.begin(), set.ranges.end());
      return;
    }
    auto ranges = set.ranges;
    std::sort(ranges.begin(), ranges.end());
    std::uint32_t next = 0;
    for (const auto& [low, high] : ranges) {
      if (low > next) to.ranges.emplace_back(next, low - 1);
      next = std::max(next, high + 1);
    }
    if (next <= kLastCodePoint) to.ranges.emplace_back(next, kLastCodePoint);
  }

  Result<RegexClass> Class(int depth) {
    if (depth > kMaxDepth) return Unsupported("classes nested too deeply");
    RegexClass set;
    set.negated = Accept("^");
    bool first = true;
    while (true) {
      if (AtEnd()) return Wrong("an open class");
      if (!first && Accept("]")) return set;
      if (Accept("&&")) return Unsupported("an intersection of classes");
      first = false;
      if (Accept("[")) {
        BRAID_TRY_ASSIGN(const RegexClass inner, Class(depth + 1));
        Add(set, inner);
        continue;
      }
      BRAID_TRY(ClassItem(set));
    }
  }

  Status ClassItem(RegexClass& set) {
    std::uint32_t low = 0;
    if (Accept("\\")) {
      if (AtEnd()) return Wrong("a backslash at the end");
      BRAID_TRY_ASSIGN(const std::optional<RegexClass> inner, ClassEscape());
      if (inner) {
        Add(set, *inner);
        return Ok();
      }
      BRAID_TRY_ASSIGN(low, CharacterEscape());
    } else {
      low = Take();
    }
    std::uint32_t high = low;
    if (pattern_.substr(at_, 1) == "-" && pattern_.substr(at_, 2) != "-]" && pattern_.substr(at_, 2) != "-[") {
      ++at_;
      if (AtEnd()) return Wrong("an open class");
      if (Accept("\\")) {
        if (AtEnd()) return Wrong("a backslash at the end");
        BRAID_TRY_ASSIGN(high, CharacterEscape());
      } else {
        high = Take();
      }
      if (high < low) return Wrong("a range with its ends reversed");
    }
    set.ranges.emplace_back(low, high);
    return Ok();
  }

  void FindPrefix() {
    for (std::size_t i = 1; i < program_.code.size() && program_.code[i].op == Op::kChar; ++i) {
      AppendCodePoint(program_.code[i].x, program_.literal_prefix);
    }
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  Flags flags_;
  JavaRegex::Program program_;
  std::map<std::string, std::size_t> names_;
};

}  // namespace

Result<JavaRegex::Program> CompileRegex(std::string_view pattern) {
  return Compiler(pattern).Run();
}

}  // namespace braid
