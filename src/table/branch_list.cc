#include "table/branch_list.h"

#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "meta/stores.h"

namespace braid {

namespace {

using LinesById = std::unordered_map<std::string_view, const Line*>;

LinesById ById(const TableLines& lines) {
  LinesById by_id;
  for (const Line& line : lines.lines) {
    // While a branch becomes the root both have its id, and the branch is the one to use.
    if (line.kind == LineKind::kBranch) by_id[line.id] = &line;
    if (line.kind == LineKind::kRoot) by_id.try_emplace(line.id, &line);
  }
  return by_id;
}

Result<std::optional<BranchSummary>> Summarize(const FileSystem& fs, const LinesById& lines, const Line& line) {
  BranchSummary summary{.line = line, .created_ms = 0, .parent = {}, .latest = {}};
  if (line.record) {
    summary.created_ms = line.record->created_ms;
    if (const auto parent = lines.find(line.record->parent_line_id); parent != lines.end()) {
      summary.parent = parent->second->is_main ? std::string(kMainBranch) : parent->second->name;
    }
  } else {
    const Result<FileStatus> folder = fs.Stat(line.paths.BranchDirectory());
    if (!folder && folder.error().code() == ErrorCode::kNotFound) return std::optional<BranchSummary>();
    if (!folder) return folder.error();
    summary.created_ms = folder->modified_ms;
  }
  BRAID_TRY_ASSIGN(summary.latest, FindLatestSnapshot(fs, line.paths));
  return std::optional(std::move(summary));
}

class BranchTree {
 public:
  BranchTree(const FileSystem& fs, const TableLines& lines) : fs_(fs), lines_(lines) {}

  Result<std::vector<std::string>> Draw() {
    BRAID_TRY_ASSIGN(const std::vector<SnapshotId> ids, ListSnapshots(fs_, lines_.main().paths));
    drawn_.push_back(ids.empty() ? std::string("main  no snapshot")
                                 : fmt::format("main  snapshots {} to {}", ids.front(), ids.back()));
    BRAID_TRY(DrawBelow(lines_.main(), ""));
    for (const Line& line : lines_.lines) {
      // Not reached from main: nothing is known of where it comes from.
      if (!IsShown(line) || shown_.contains(line.id)) continue;
      BRAID_TRY(DrawLine(line, "", ""));
    }
    return std::move(drawn_);
  }

 private:
  bool IsShown(const Line& line) const { return line.kind == LineKind::kBranch && !line.is_main && !line.is_retired(); }

  Status DrawBelow(const Line& parent, const std::string& indent) {
    std::vector<const Line*> children;
    for (const Line& line : lines_.lines) {
      if (IsShown(line) && line.record && line.record->parent_line_id == parent.id && !shown_.contains(line.id)) children.push_back(&line);
    }
    for (const Line* child : children) {
      const bool is_last = child == children.back();
      BRAID_TRY(DrawLine(*child, indent + (is_last ? "└─ " : "├─ "), indent + (is_last ? "   " : "│  ")));
    }
    return Ok();
  }

  Status DrawLine(const Line& line, const std::string& prefix, const std::string& indent) {
    shown_.insert(line.id);
    BRAID_TRY_ASSIGN(const std::vector<SnapshotId> ids, ListSnapshots(fs_, line.paths));
    std::string text = prefix + line.name;
    if (line.record && line.record->anchor) {
      text += fmt::format("  from snapshot {}", line.record->anchor->snapshot.id);
      if (line.record->tag) text += fmt::format(" (tag {})", *line.record->tag);
    }
    text += ids.empty() ? std::string("  no snapshot") : fmt::format("  head {}", ids.back());
    if (line.inferred) text += "  inferred";
    if (line.damage) text += "  damaged";
    drawn_.push_back(std::move(text));
    return DrawBelow(line, indent);
  }

  const FileSystem& fs_;
  const TableLines& lines_;
  std::set<std::string> shown_;  // lineIds
  std::vector<std::string> drawn_;
};

}  // namespace

std::string BranchSummary::origin() const {
  return line.inferred || (line.record && line.record->inferred) ? "inferred" : "recorded";
}

const std::optional<std::string>& BranchSummary::tag() const {
  static const std::optional<std::string> kNone;
  return line.record ? line.record->tag : kNone;
}

std::optional<SnapshotId> BranchSummary::fork_snapshot() const {
  if (!line.record || !line.record->anchor) return std::nullopt;
  return line.record->anchor->snapshot.id;
}

Result<std::vector<BranchSummary>> SummarizeBranches(const FileSystem& fs, const std::string& root, bool with_retired) {
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(fs, root));
  const LinesById by_id = ById(lines);
  std::vector<std::optional<BranchSummary>> summaries(lines.lines.size());
  BRAID_TRY(ForEachLine(summaries.size(), [&](std::size_t i) -> Status {
    const Line& line = lines.lines[i];
    if (line.kind != LineKind::kBranch || (line.is_retired() && !with_retired)) return Ok();
    BRAID_TRY_ASSIGN(summaries[i], Summarize(fs, by_id, line));
    return Ok();
  }));
  std::vector<BranchSummary> branches;
  for (std::optional<BranchSummary>& summary : summaries) {
    if (summary) branches.push_back(*std::move(summary));
  }
  return branches;
}

Result<std::vector<std::string>> DrawBranches(const FileSystem& fs, const std::string& root) {
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(fs, root));
  return BranchTree(fs, lines).Draw();
}

}  // namespace braid
