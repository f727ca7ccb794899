#include "table/line_holdings.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "meta/stores.h"
#include "table/tag_correction.h"

namespace braid {

namespace {

using Identity = std::pair<SnapshotId, std::string>;

Identity IdentityOf(const Snapshot& snapshot) {
  return {snapshot.id, SnapshotIdentity(snapshot)};
}

Error Unreadable(const Error& error) {
  return Error(ErrorCode::kIo, "nothing was deleted: a snapshot or tag that may hold files cannot be read")
      .Id("expire.root-unreadable")
      .Context(error.ToString())
      .Hint("mend or remove the file; `braid table check` shows all damage");
}

// Reads what is there of a list of names; what went since the listing holds nothing any more.
template <typename Value, typename Name, typename Read>
Result<std::vector<Value>> ReadThose(const std::vector<Name>& names, const Read& read) {
  std::vector<Value> values;
  for (const Name& name : names) {
    Result<Value> value = read(name);
    if (value) {
      values.push_back(*std::move(value));
    } else if (value.error().code() != ErrorCode::kNotFound) {
      return Unreadable(value.error());
    }
  }
  return values;
}

Result<std::vector<Tag>> ReadTags(const FileSystem& fs, const TablePaths& paths) {
  BRAID_TRY_ASSIGN(const std::vector<std::string> names, ListTags(fs, paths));
  return ReadThose<Tag>(names, [&](const std::string& name) { return ReadTag(fs, paths, name); });
}

class Collector {
 public:
  Collector(const FileSystem& fs, const TableLines& lines, const Line& line, const HoldingsRequest& request)
      : fs_(fs), lines_(lines), line_(line), request_(request), identities_(request.identities) {}

  Result<LineHoldings> Run() {
    BRAID_TRY(AddOwn());
    for (const Line& other : lines_.lines) {
      if (&other != &line_) BRAID_TRY(AddOther(other));
    }
    for (auto& [identity, root] : true_states_) holdings_.true_states.push_back(std::move(root));
    return std::move(holdings_);
  }

 private:
  bool InRange(const Snapshot& snapshot) const { return snapshot.id < request_.end; }

  void AddTrueState(const Snapshot& snapshot, std::string holder) {
    if (!InRange(snapshot)) return;
    true_states_.try_emplace(IdentityOf(snapshot), Root{.snapshot = snapshot, .holder = std::move(holder)});
  }

  // A content of another line. It counts as a state of this one only if it is known to be one: an older one would be
  // hidden behind it.
  Status AddForeign(const Snapshot& snapshot, std::string holder) {
    const Identity identity = IdentityOf(snapshot);
    if (true_states_.contains(identity)) return Ok();
    BRAID_TRY_ASSIGN(const bool is_own, IsOwn(identity));
    if (is_own) {
      AddTrueState(snapshot, std::move(holder));
    } else if (pinned_.insert(identity).second) {
      holdings_.pinned.push_back({.snapshot = snapshot, .holder = std::move(holder)});
    }
    return Ok();
  }

  // Whether this line has or had the snapshot.
  Result<bool> IsOwn(const Identity& identity) {
    if (own_tags_.contains(identity)) return true;
    auto known = identities_.find(identity.first);
    if (known == identities_.end()) {
      const Result<Snapshot> snapshot = ReadSnapshot(fs_, line_.paths, identity.first);
      if (!snapshot && snapshot.error().code() != ErrorCode::kNotFound) return Unreadable(snapshot.error());
      known = identities_.emplace(identity.first, snapshot ? SnapshotIdentity(*snapshot) : std::string()).first;
    }
    return known->second == identity.second;
  }

  Status AddOwn() {
    BRAID_TRY_ASSIGN(const std::vector<Tag> tags, ReadTags(fs_, line_.paths));
    for (const Tag& tag : tags) {
      if (request_.without_tags.contains(tag.name)) continue;
      const std::string holder = fmt::format("tag '{}' of {}", tag.name, line_.name);
      if (!IsCorrectedTag(tag.snapshot)) own_tags_.insert(IdentityOf(tag.snapshot));
      if (IsCorrectedTag(tag.snapshot)) {
        holdings_.pinned.push_back({.snapshot = tag.snapshot, .holder = holder});
      } else {
        AddTrueState(tag.snapshot, holder);
      }
    }
    BRAID_TRY(AddChangelogs(line_));
    if (!line_.record) return Ok();
    if (line_.record->base) AddTrueState(*line_.record->base, fmt::format("fork point of {}", line_.name));
    for (const ForkLink& link : line_.record->links) {
      if (link.base) BRAID_TRY(AddForeign(*link.base, fmt::format("merge base of {}", line_.name)));
    }
    return Ok();
  }

  Status AddChangelogs(const Line& line) {
    BRAID_TRY_ASSIGN(const std::vector<SnapshotId> ids, ListChangelogs(fs_, line.paths));
    BRAID_TRY_ASSIGN(const auto changelogs,
                     ReadThose<Snapshot>(ids, [&](SnapshotId id) { return ReadChangelog(fs_, line.paths, id); }));
    for (const Snapshot& changelog : changelogs) {
      if (&line != &line_) holdings_.shared_snapshots.insert(IdentityOf(changelog));
      if (changelog.changelog_manifest_list) continue;
      if (&line == &line_ && changelog.id < request_.first_changelog) continue;
      holdings_.changelogs.push_back({.snapshot = changelog,
                                      .holder = fmt::format("changelog {} of {}", changelog.id, line.name),
                                      .is_changelog = true});
    }
    return Ok();
  }

  // Lines that were made at one snapshot all hold it, whatever else they have to do with each other.
  Status AddSharedForkPoint(const Line& other, const Snapshot& base) {
    const auto own = request_.identities.find(base.id);
    if (own == request_.identities.end() || own->second != SnapshotIdentity(base)) return Ok();
    BRAID_TRY_ASSIGN(const bool holds, fs_.Exists(other.paths.SnapshotFile(base.id)));
    if (holds) holdings_.shared_snapshots.insert(IdentityOf(base));
    return Ok();
  }

  // Whether it is recorded where the line comes from and the fork points on the way are still kept.
  bool IsRecorded(const Line& line) const {
    const Line* at = &line;
    for (std::size_t steps = 0; steps <= lines_.lines.size(); ++steps) {
      if (at->damage || at->inferred) return false;
      if (!at->record) return at->kind == LineKind::kRoot;
      if (at->record->kind == ForkKind::kEmpty) return true;
      if (!at->record->base || at->record->inferred) return false;
      const Line* parent = lines_.FindById(at->record->parent_line_id);
      // Without its parent nobody keeps the fork points further up.
      if (parent == nullptr) return false;
      at = parent;
    }
    return false;
  }

  Status AddOther(const Line& other) {
    const std::string holder = fmt::format("line {}", other.name);
    if (other.record) {
      const ForkRecord& record = *other.record;
      if (record.base) BRAID_TRY(AddSharedForkPoint(other, *record.base));
      if (record.base && record.parent_line_id == line_.id)
        BRAID_TRY(AddForeign(*record.base, "fork point of " + holder));
      for (const ForkLink& link : record.links) {
        if (link.base && link.line_id == line_.id) BRAID_TRY(AddForeign(*link.base, "merge base of " + holder));
      }
    }
    BRAID_TRY(AddChangelogs(other));
    if (other.kind == LineKind::kNew) return AddAll(other);
    if (!IsRecorded(other) || !IsRecorded(line_)) return AddAll(other);
    const std::optional<SnapshotId> end = CommonEnd(other);
    BRAID_TRY_ASSIGN(const bool more, SharesMoreThan(end, other));
    if (more) return AddAll(other);
    if (end && request_.first <= *end) return AddShared(other, *end);
    return Ok();
  }

  // Another engine's fast-forward gives a line the snapshots of a branch without a record of it. What two lines share is
  // the beginning of both, so the first one behind the recorded end tells.
  Result<bool> SharesMoreThan(const std::optional<SnapshotId>& end, const Line& other) {
    const SnapshotId from = end ? std::max(end->next(), request_.first) : request_.first;
    BRAID_TRY_ASSIGN(const std::vector<SnapshotId> ids, ListSnapshots(fs_, other.paths));
    const auto first = std::lower_bound(ids.begin(), ids.end(), from);
    if (first == ids.end() || *first >= request_.end) return false;
    const Result<Snapshot> snapshot = ReadSnapshot(fs_, other.paths, *first);
    if (!snapshot && snapshot.error().code() == ErrorCode::kNotFound) return false;  // expired meanwhile
    if (!snapshot) return Unreadable(snapshot.error());
    return IsOwn(IdentityOf(*snapshot));
  }

  // The last id that both lines hold or held, if it is recorded that they share any.
  std::optional<SnapshotId> CommonEnd(const Line& other) const {
    std::optional<SnapshotId> end;
    const auto extend = [&](SnapshotId id) { end = end ? std::max(*end, id) : id; };
    const auto look = [&](const Line& child, const Line& parent) {
      if (!child.record) return;
      if (child.record->parent_line_id == parent.id && child.record->anchor) extend(child.record->anchor->snapshot.id);
      for (const ForkLink& link : child.record->links) {
        if (link.line_id == parent.id && link.segment) extend(link.segment->second);
      }
    };
    look(other, line_);
    look(line_, other);
    return end;
  }

  Status AddSnapshots(const Line& other, const std::vector<SnapshotId>& ids) {
    BRAID_TRY_ASSIGN(const auto snapshots,
                     ReadThose<Snapshot>(ids, [&](SnapshotId id) { return ReadSnapshot(fs_, other.paths, id); }));
    for (const Snapshot& snapshot : snapshots) {
      holdings_.shared_snapshots.insert(IdentityOf(snapshot));
      BRAID_TRY(AddForeign(snapshot, fmt::format("snapshot {} of {}", snapshot.id, other.name)));
    }
    return Ok();
  }

  Status AddShared(const Line& other, SnapshotId end) {
    BRAID_TRY_ASSIGN(std::vector<SnapshotId> ids, ListSnapshots(fs_, other.paths));
    std::erase_if(ids, [&](SnapshotId id) { return id > end || id >= request_.end; });
    BRAID_TRY(AddSnapshots(other, ids));
    BRAID_TRY_ASSIGN(const std::vector<Tag> tags, ReadTags(fs_, other.paths));
    for (const Tag& tag : tags) {
      if (tag.snapshot.id <= end || IsCorrectedTag(tag.snapshot)) {
        BRAID_TRY(AddForeign(tag.snapshot, fmt::format("tag '{}' of {}", tag.name, other.name)));
      }
    }
    return Ok();
  }

  Status AddAll(const Line& other) {
    BRAID_TRY_ASSIGN(const std::vector<SnapshotId> ids, ListSnapshots(fs_, other.paths));
    BRAID_TRY(AddSnapshots(other, ids));
    BRAID_TRY_ASSIGN(const std::vector<Tag> tags, ReadTags(fs_, other.paths));
    for (const Tag& tag : tags)
      BRAID_TRY(AddForeign(tag.snapshot, fmt::format("tag '{}' of {}", tag.name, other.name)));
    if (!other.record) return Ok();
    if (other.record->base) BRAID_TRY(AddForeign(*other.record->base, fmt::format("fork point of {}", other.name)));
    for (const ForkLink& link : other.record->links) {
      if (link.base) BRAID_TRY(AddForeign(*link.base, fmt::format("merge base of {}", other.name)));
    }
    return Ok();
  }

  const FileSystem& fs_;
  const TableLines& lines_;
  const Line& line_;
  const HoldingsRequest& request_;
  LineHoldings holdings_;
  std::map<Identity, Root> true_states_;
  std::set<Identity> pinned_;
  std::set<Identity> own_tags_;
  std::map<SnapshotId, std::string> identities_;  // of this line's snapshots; empty: it has none of that id
};

}  // namespace

Result<LineHoldings> CollectHoldings(const FileSystem& fs, const TableLines& lines, const Line& line,
                                     const HoldingsRequest& request) {
  return Collector(fs, lines, line, request).Run();
}

Result<const Line*> LineAt(const TableLines& lines, const TablePaths& paths) {
  for (const Line& line : lines.lines) {
    if (line.paths.SnapshotDirectory() == paths.SnapshotDirectory()) return &line;
  }
  return Error(ErrorCode::kNotFound, fmt::format("{} does not exist any more", paths.DisplayName()));
}

}  // namespace braid
