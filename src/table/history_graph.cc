#include "table/history_graph.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "meta/fork_record.h"
#include "meta/stores.h"
#include "table/lines.h"

namespace braid {

namespace {

using Identity = std::pair<SnapshotId, std::string>;

Identity IdentityOf(const Snapshot& snapshot) {
  return {snapshot.id, SnapshotIdentity(snapshot)};
}

// A line with what was made on it.
struct DrawnLine {
  std::string name;
  const Line* line = nullptr;
  std::vector<Snapshot> own;            // ascending; those that no line before it has
  std::optional<Identity> head;         // its latest snapshot, whoever made it
  std::optional<std::size_t> parent;    // the line that has its fork point
  std::optional<Identity> fork;         // there
  bool is_drawn = false;                // it has a column

  bool is_done() const { return own.empty(); }
};

class History {
 public:
  History(const FileSystem& fs, const TableLines& lines) : fs_(fs), all_(lines) {}

  Result<std::vector<HistoryRow>> Draw(std::size_t limit) {
    BRAID_TRY(ReadLines());
    FindForks();
    for (std::size_t shown = 0; limit == 0 || shown < limit; ++shown) {
      const std::optional<std::size_t> next = NextLine();
      if (!next) break;
      DrawSnapshot(*next);
    }
    return std::move(rows_);
  }

 private:
  Status ReadLines() {
    std::vector<const Line*> order = {&all_.main()};
    for (const Line& line : all_.lines) {
      if ((line.kind == LineKind::kRoot || line.kind == LineKind::kBranch) && &line != order.front()) order.push_back(&line);
    }
    for (const Line* line : order) BRAID_TRY(ReadLine(*line));
    return Ok();
  }

  Status ReadLine(const Line& line) {
    DrawnLine drawn{.name = line.is_main ? std::string(kMainBranch) : line.name, .line = &line, .own = {}, .head = {}, .parent = {}, .fork = {}};
    BRAID_TRY_ASSIGN(const std::vector<SnapshotId> ids, ListSnapshots(fs_, line.paths));
    for (const SnapshotId id : ids) {
      Result<Snapshot> snapshot = ReadSnapshot(fs_, line.paths, id);
      if (!snapshot && snapshot.error().code() == ErrorCode::kNotFound) continue;
      if (!snapshot) return std::move(snapshot).error();
      const Identity identity = IdentityOf(*snapshot);
      drawn.head = identity;
      if (owners_.try_emplace(identity, lines_.size()).second) drawn.own.push_back(*std::move(snapshot));
    }
    if (drawn.head) heads_[*drawn.head].push_back(drawn.name);
    BRAID_TRY(ReadTags(drawn));
    lines_.push_back(std::move(drawn));
    return Ok();
  }

  Status ReadTags(const DrawnLine& line) {
    BRAID_TRY_ASSIGN(const std::vector<std::string> names, ListTags(fs_, line.line->paths));
    for (const std::string& name : names) {
      if (IsGuardTag(name)) continue;
      const Result<Tag> tag = ReadTag(fs_, line.line->paths, name);
      if (!tag && tag.error().code() == ErrorCode::kNotFound) continue;
      if (!tag) return tag.error();
      std::vector<std::string>& tags = tags_[IdentityOf(tag->snapshot)];
      // A branch has a copy of the tag that it was made from.
      if (line.line->is_main) {
        tags.push_back(name);
      } else if (std::find(tags.begin(), tags.end(), name) == tags.end()) {
        tags.push_back(fmt::format("{}:{}", line.name, name));
      }
    }
    return Ok();
  }

  void FindForks() {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      DrawnLine& line = lines_[i];
      if (!line.line->record || !line.line->record->anchor) continue;
      const SnapshotRef& anchor = line.line->record->anchor->snapshot;
      const auto owner = owners_.find({anchor.id, anchor.identity});
      // Its own by now, where the parent has expired it.
      if (owner == owners_.end() || owner->second == i) continue;
      line.parent = owner->second;
      line.fork = owner->first;
    }
  }

  // The line whose newest snapshot comes next: the youngest one on which nothing is built that is not drawn yet.
  std::optional<std::size_t> NextLine() const {
    std::set<std::size_t> held;
    for (const DrawnLine& line : lines_) {
      if (line.parent && !line.is_done() && !lines_[*line.parent].is_done() &&
          IdentityOf(lines_[*line.parent].own.back()) == *line.fork) {
        held.insert(*line.parent);
      }
    }
    std::optional<std::size_t> next;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (lines_[i].is_done() || held.contains(i)) continue;
      if (!next || lines_[i].own.back().time_millis > lines_[*next].own.back().time_millis) next = i;
    }
    return next;
  }

  void DrawSnapshot(std::size_t index) {
    DrawnLine& line = lines_[index];
    Snapshot snapshot = std::move(line.own.back());
    line.own.pop_back();
    const Identity identity = IdentityOf(snapshot);
    if (!line.is_drawn) {
      line.is_drawn = true;
      Enter(index);
    }
    JoinBranches(index, identity);
    HistoryRow row{.graph = Columns(index), .snapshot = std::move(snapshot), .line = line.name, .heads = {}, .tags = {}, .note = {}};
    if (const auto heads = heads_.find(identity); heads != heads_.end()) row.heads = heads->second;
    if (const auto tags = tags_.find(identity); tags != tags_.end()) row.tags = tags->second;
    if (line.is_done() && !line.parent) row.note = CutOff(line, identity);
    rows_.push_back(std::move(row));
    if (line.is_done() && !line.parent) Leave(index);
  }

  // Takes the first free column; the very first one is main's.
  void Enter(std::size_t index) {
    if (columns_.empty()) columns_.emplace_back();
    auto free = columns_.begin();
    if (index != 0) free = std::find(columns_.begin() + 1, columns_.end(), std::nullopt);
    if (free == columns_.end()) free = columns_.emplace(columns_.end());
    *free = index;
  }

  // Columns of the branches that were made from this snapshot end above it.
  void JoinBranches(std::size_t parent, const Identity& fork) {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (lines_[i].parent != parent || lines_[i].fork != fork || !lines_[i].is_drawn) continue;
      const std::size_t a = ColumnOf(parent);
      const std::size_t b = ColumnOf(i);
      std::string text = Columns(std::nullopt);
      const auto [left, right] = std::minmax(a, b);
      text.resize(2 * columns_.size(), ' ');
      text[2 * left] = '|';
      text[2 * right] = ' ';
      for (std::size_t at = 2 * left + 1; at < 2 * right - 1; ++at) {
        if (text[at] == ' ') text[at] = '_';
      }
      text[2 * right - 1] = '/';
      text.erase(text.find_last_not_of(' ') + 1);
      rows_.push_back({.graph = std::move(text), .snapshot = {}});
      Leave(i);
      columns_[right].reset();
      columns_[left] = parent;
    }
  }

  void Leave(std::size_t index) {
    lines_[index].is_drawn = false;
    columns_[ColumnOf(index)].reset();
  }

  std::size_t ColumnOf(std::size_t index) const {
    return static_cast<std::size_t>(std::find(columns_.begin(), columns_.end(), std::optional(index)) - columns_.begin());
  }

  std::string Columns(std::optional<std::size_t> at) const {
    std::string text;
    for (const std::optional<std::size_t>& index : columns_) text += !index ? "  " : index == at ? "* " : "| ";
    return text.substr(0, text.find_last_not_of(' ') + 2);
  }

  // Where a line comes from whose parent has not got its fork point any more: it ends there itself, or above it.
  std::string CutOff(const DrawnLine& line, const Identity& oldest) const {
    if (!line.line->record || !line.line->record->anchor) return {};
    const ForkRecord& record = *line.line->record;
    const Identity fork = {record.anchor->snapshot.id, record.anchor->snapshot.identity};
    if (oldest != fork && owners_.contains(fork)) return {};
    return fmt::format("made from snapshot {} of {}", record.anchor->snapshot.id,
                       record.parent_name.empty() ? "a line that is gone" : record.parent_name);
  }

  const FileSystem& fs_;
  const TableLines& all_;
  std::vector<DrawnLine> lines_;  // main first
  std::map<Identity, std::size_t> owners_;
  std::map<Identity, std::vector<std::string>> heads_;
  std::map<Identity, std::vector<std::string>> tags_;
  std::vector<std::optional<std::size_t>> columns_;  // lines, from left to right; nullopt: free
  std::vector<HistoryRow> rows_;
};

}  // namespace

Result<std::vector<HistoryRow>> DrawHistory(const FileSystem& fs, const std::string& root, std::size_t limit) {
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(fs, root));
  return History(fs, lines).Draw(limit);
}

}  // namespace braid
