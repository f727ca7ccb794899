#include "lineage/lineage_graph.h"

#include <algorithm>
#include <set>
#include <utility>

namespace braid {

namespace {

// Columns of the views, in the order of sqlite_schema.cc.
std::string TableName(const DatumList& row, std::size_t database) { return row[database].as_string() + "." + row[database + 1].as_string(); }

std::optional<std::int64_t> Number(const Datum& value) { return value.is_null() ? std::nullopt : std::optional(value.as_int()); }

class TableWalk {
 public:
  TableWalk(const std::vector<TableLink>& links, Direction direction, int max_depth) : links_(links), direction_(direction), max_depth_(max_depth) {}

  std::vector<LineageStep> Run(const std::string& table) {
    seen_.insert(table);
    Visit(table, 1);
    return std::move(steps_);
  }

 private:
  void Visit(const std::string& table, int depth) {
    if (max_depth_ > 0 && depth > max_depth_) return;
    for (const TableLink& link : links_) {
      if ((direction_ == Direction::kUp ? link.sink : link.source) != table) continue;
      steps_.push_back({.depth = depth, .link = link, .snapshots = {}});
      const std::string& next = direction_ == Direction::kUp ? link.source : link.sink;
      if (seen_.insert(next).second) Visit(next, depth + 1);
    }
  }

  const std::vector<TableLink>& links_;
  Direction direction_;
  int max_depth_;
  std::set<std::string> seen_;
  std::vector<LineageStep> steps_;
};

class SnapshotWalk {
 public:
  SnapshotWalk(const std::vector<SnapshotLink>& links, Direction direction, int max_depth) : links_(links), direction_(direction), max_depth_(max_depth) {}

  std::vector<LineageStep> Run(const std::string& table, std::int64_t snapshot) {
    seen_.emplace(table, snapshot);
    Visit(table, snapshot, 1);
    return std::move(steps_);
  }

 private:
  bool Touches(const SnapshotLink& link, const std::string& table, std::int64_t snapshot) const {
    if (direction_ == Direction::kUp) return link.sink == table && link.first_snapshot <= snapshot && snapshot <= link.last_snapshot;
    return link.source == table && link.from_snapshot.value_or(link.to_snapshot) <= snapshot && snapshot <= link.to_snapshot;
  }

  void Visit(const std::string& table, std::int64_t snapshot, int depth) {
    if (max_depth_ > 0 && depth > max_depth_) return;
    for (const SnapshotLink& link : links_) {
      if (!Touches(link, table, snapshot)) continue;
      steps_.push_back({.depth = depth, .link = {.source = link.source, .job = link.job, .sink = link.sink}, .snapshots = link});
      const auto next = direction_ == Direction::kUp ? std::pair(link.source, link.to_snapshot) : std::pair(link.sink, link.last_snapshot);
      if (seen_.insert(next).second) Visit(next.first, next.second, depth + 1);
    }
  }

  const std::vector<SnapshotLink>& links_;
  Direction direction_;
  int max_depth_;
  std::set<std::pair<std::string, std::int64_t>> seen_;
  std::vector<LineageStep> steps_;
};

}  // namespace

Result<std::vector<TableLink>> TableLinks(Lineage& lineage) {
  BRAID_TRY(lineage.CatchUp());
  BRAID_TRY_ASSIGN(const std::vector<DatumList> sources, lineage.store().Query("source_job_lineage"));
  BRAID_TRY_ASSIGN(const std::vector<DatumList> sinks, lineage.store().Query("sink_job_lineage"));
  std::vector<TableLink> links;
  for (const DatumList& source : sources) {
    for (const DatumList& sink : sinks) {
      if (source[0] == sink[0]) links.push_back({.source = TableName(source, 1), .job = source[0].as_string(), .sink = TableName(sink, 1)});
    }
  }
  std::sort(links.begin(), links.end());
  return links;
}

Result<std::vector<SnapshotLink>> SnapshotLinks(Lineage& lineage) {
  BRAID_TRY(lineage.CatchUp());
  BRAID_TRY_ASSIGN(const std::vector<DatumList> rows, lineage.store().Query("main_snapshot_links"));
  std::vector<SnapshotLink> links;
  for (const DatumList& row : rows) {
    links.push_back({.source = row[0].as_string(), .mode = row[1].as_string(), .from_snapshot = Number(row[2]), .to_snapshot = Number(row[3]).value_or(0), .job = row[4].as_string(),
                     .barrier = row[5].as_int(), .sink = row[6].as_string(), .first_snapshot = Number(row[7]).value_or(0), .last_snapshot = Number(row[8]).value_or(0)});
  }
  return links;
}

std::vector<LineageStep> WalkTables(const std::vector<TableLink>& links, const std::string& table, Direction direction, int max_depth) {
  return TableWalk(links, direction, max_depth).Run(table);
}

std::vector<LineageStep> WalkSnapshots(const std::vector<SnapshotLink>& links, const std::string& table, std::int64_t snapshot, Direction direction, int max_depth) {
  return SnapshotWalk(links, direction, max_depth).Run(table, snapshot);
}

}  // namespace braid
