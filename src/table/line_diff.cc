#include "table/line_diff.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "meta/stores.h"
#include "table/branch_files_internal.h"
#include "table/branch_merge.h"
#include "table/lines.h"
#include "table/row_tracking.h"
#include "table/scan.h"
#include "table/table.h"
#include "types/row_json.h"

namespace braid {

namespace {

// One side, opened.
struct Side {
  Table table;
  Plan plan;
};

Result<Side> OpenSide(const OperationContext& context, const LineState& state) {
  Options dynamic;
  if (state.snapshot) dynamic.Set("scan.snapshot-id", fmt::format("{}", *state.snapshot));
  if (state.tag) dynamic.Set("scan.tag-name", *state.tag);
  BRAID_TRY_ASSIGN(Table table,
                   Table::Open(context.file_system, context.root, context.table_name, state.line, dynamic));
  // The line itself is compared, not what a fallback would add to it.
  for (const char* key : {"scan.fallback-branch", "scan.primary-branch"}) {
    if (!table.options().Has(key)) continue;
    BRAID_TRY_ASSIGN(table, table.With(Options(Options::Map{{key, table.paths().branch()}})));
  }
  BRAID_TRY_ASSIGN(Plan plan, PlanBatch(table, {}));
  return Side{.table = std::move(table), .plan = std::move(plan)};
}

// A data file with its deletion vector: what makes the same rows.
using FileState = std::tuple<std::string, std::string, std::int64_t>;

FileState StateOf(const DataSplit& split, std::size_t file) {
  if (split.deletion_vectors.empty()) return {split.files[file].file_name, "", 0};
  const DeletionVectorRef& vector = split.deletion_vectors[file];
  return {split.files[file].file_name, vector.path, vector.offset};
}

struct Bucket {
  std::vector<DataSplit> splits;
  std::set<FileState> files;
};
using BucketKey = std::pair<BinaryRow, BucketId>;
using Buckets = std::map<BucketKey, Bucket>;

Buckets BucketsOf(std::vector<DataSplit> splits) {
  Buckets buckets;
  for (DataSplit& split : splits) {
    Bucket& bucket = buckets[{split.partition, split.bucket}];
    for (std::size_t i = 0; i < split.files.size(); ++i) bucket.files.insert(StateOf(split, i));
    bucket.splits.push_back(std::move(split));
  }
  return buckets;
}

// The split without files that the other side has too: in tables without keys each file stands for itself.
DataSplit WithoutCommon(const DataSplit& split, const std::set<FileState>& common) {
  DataSplit rest = split;
  rest.deletion_vectors.clear();
  std::vector<DataFileMeta> files;
  for (std::size_t i = 0; i < split.files.size(); ++i) {
    if (common.contains(StateOf(split, i))) continue;
    files.push_back(split.files[i]);
    if (!split.deletion_vectors.empty()) rest.deletion_vectors.push_back(split.deletion_vectors[i]);
  }
  rest.files = std::move(files);
  return rest;
}

// The columns that both sides have, keys first.
struct SharedColumns {
  std::vector<std::string> from_names;
  std::vector<std::string> to_names;
  std::vector<DataField> from_fields;  // under the names of `to`
  std::vector<DataField> to_fields;
  std::size_t key_count = 0;  // 0: rows have no common key
};

std::vector<FieldId> KeyIds(const TableSchema& schema) {
  std::vector<FieldId> ids;
  for (const std::string& key : schema.primary_keys) ids.push_back(schema.FindColumn(key)->id);
  return ids;
}

SharedColumns SharedColumnsOf(const TableSchema& from, const TableSchema& to) {
  SharedColumns shared;
  const std::vector<FieldId> keys = KeyIds(to);
  const auto add = [&](const DataField& field) {
    const auto other = std::find_if(from.fields.begin(), from.fields.end(),
                                    [&](const DataField& candidate) { return candidate.id == field.id; });
    if (other == from.fields.end()) return;
    shared.from_names.push_back(other->name);
    shared.to_names.push_back(field.name);
    shared.from_fields.push_back(*other);
    shared.from_fields.back().name = field.name;
    shared.to_fields.push_back(field);
  };
  for (const std::string& key : to.primary_keys) add(*to.FindColumn(key));
  for (const DataField& field : to.fields) {
    if (std::find(keys.begin(), keys.end(), field.id) == keys.end()) add(field);
  }
  shared.key_count = keys == KeyIds(from) ? keys.size() : 0;
  return shared;
}

std::vector<ColumnDifference> ColumnDifferences(const TableSchema& from, const TableSchema& to) {
  std::vector<ColumnDifference> differences;
  std::map<FieldId, DataField> before;
  for (const DataField& field : from.fields) before.emplace(field.id, field);
  for (const DataField& field : to.fields) {
    const auto old = before.find(field.id);
    if (old == before.end()) {
      differences.push_back({.id = field.id, .before = {}, .after = field});
      continue;
    }
    if (old->second.name != field.name || !(old->second.type == field.type))
      differences.push_back({.id = field.id, .before = old->second, .after = field});
    before.erase(old);
  }
  for (auto& [id, field] : before) differences.push_back({.id = id, .before = field, .after = {}});
  return differences;
}

// Compares the rows of both sides, bucket by bucket.
class RowComparison {
 public:
  RowComparison(const Side& from, const Side& to)
      : from_(from), to_(to), shared_(SharedColumnsOf(from.table.schema(), to.table.schema())) {}

  Result<RowDifferences> Run(std::size_t limit) {
    Buckets from = BucketsOf(from_.plan.splits);
    Buckets to = BucketsOf(to_.plan.splits);
    std::set<BucketKey> keys;
    for (const auto& [key, bucket] : from) keys.insert(key);
    for (const auto& [key, bucket] : to) keys.insert(key);
    for (const BucketKey& key : keys) {
      if (from[key].files == to[key].files) continue;
      BRAID_TRY(shared_.key_count > 0 ? CompareByKey(from[key], to[key]) : CompareRows(from[key], to[key]));
    }
    return Summary(limit);
  }

 private:
  template <typename Visit>
  static Status VisitRows(const Table& table, const DataSplit& split, const std::vector<std::string>& columns,
                          const Visit& visit) {
    ReadRequest request;
    request.projection = columns;
    BRAID_TRY_ASSIGN(const auto reader, ReadSplit(table, split, request));
    for (;;) {
      BRAID_TRY_ASSIGN(const std::optional<Batch> batch, reader->Next());
      if (!batch) return Ok();
      for (std::int64_t row = 0; row < batch->row_count(); ++row) visit(*batch, row);
    }
  }

  std::string KeyText(const Batch& batch, std::int64_t row, const std::vector<DataField>& fields) const {
    std::string key;
    AppendRowJson(batch, row, std::span(fields).first(shared_.key_count), key);
    return key;
  }

  static std::string RowText(const Batch& batch, std::int64_t row, const std::vector<DataField>& fields) {
    std::string text;
    AppendRowJson(batch, row, fields, text);
    return text;
  }

  Status CompareByKey(const Bucket& from, const Bucket& to) {
    std::unordered_map<std::string, std::string> before;
    for (const DataSplit& split : from.splits) {
      BRAID_TRY(VisitRows(from_.table, split, shared_.from_names, [&](const Batch& batch, std::int64_t row) {
        before.insert_or_assign(KeyText(batch, row, shared_.from_fields), RowText(batch, row, shared_.from_fields));
      }));
    }
    for (const DataSplit& split : to.splits) {
      BRAID_TRY(VisitRows(to_.table, split, shared_.to_names, [&](const Batch& batch, std::int64_t row) {
        std::string key = KeyText(batch, row, shared_.to_fields);
        std::string after = RowText(batch, row, shared_.to_fields);
        const auto old = before.find(key);
        if (old == before.end()) {
          by_key_[std::move(key)].after = std::move(after);
          return;
        }
        if (old->second != after) by_key_[std::move(key)] = {.before = std::move(old->second), .after = std::move(after)};
        before.erase(old);
      }));
    }
    // A key may lie in another bucket on the other side, so what is over here may be found there.
    for (auto& [key, row] : before) by_key_[key].before = std::move(row);
    return Ok();
  }

  Status CompareRows(const Bucket& from, const Bucket& to) {
    std::set<FileState> common;
    BRAID_TRY_ASSIGN(const bool from_evolves, EvolvesData(from_.table));
    BRAID_TRY_ASSIGN(const bool to_evolves, EvolvesData(to_.table));
    if (!from_evolves && !to_evolves) {  // else another file may have other columns of the same rows
      std::set_intersection(from.files.begin(), from.files.end(), to.files.begin(), to.files.end(),
                            std::inserter(common, common.end()));
    }
    for (const DataSplit& split : from.splits) {
      BRAID_TRY(VisitRows(from_.table, WithoutCommon(split, common), shared_.from_names,
                          [&](const Batch& batch, std::int64_t row) {
                            --copies_[RowText(batch, row, shared_.from_fields)];
                          }));
    }
    for (const DataSplit& split : to.splits) {
      BRAID_TRY(VisitRows(to_.table, WithoutCommon(split, common), shared_.to_names,
                          [&](const Batch& batch, std::int64_t row) {
                            ++copies_[RowText(batch, row, shared_.to_fields)];
                          }));
    }
    return Ok();
  }

  RowDifferences Summary(std::size_t limit) {
    RowDifferences result;
    result.by_key = shared_.key_count > 0;
    const auto show = [&](RowDifference difference) {
      if (limit == 0 || result.shown.size() < limit) result.shown.push_back(std::move(difference));
    };
    for (auto& [key, difference] : by_key_) {
      if (difference.before == difference.after) continue;
      ++(!difference.before ? result.added : !difference.after ? result.removed : result.changed);
      show(std::move(difference));
    }
    std::map<std::string, std::int64_t> copies(copies_.begin(), copies_.end());
    for (const auto& [row, count] : copies) {
      (count > 0 ? result.added : result.removed) += std::abs(count);
      for (std::int64_t i = 0; i < std::abs(count) && (limit == 0 || result.shown.size() < limit); ++i)
        show(count > 0 ? RowDifference{.before = {}, .after = row} : RowDifference{.before = row, .after = {}});
    }
    return result;
  }

  const Side& from_;
  const Side& to_;
  const SharedColumns shared_;
  std::map<std::string, RowDifference> by_key_;
  std::unordered_map<std::string, std::int64_t> copies_;  // how many more of a row `to` has
};

// What both sides have done since they parted.
Status CompareHistory(const OperationContext& context, const LineDiffRequest& request, LineDiff& diff) {
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(*context.file_system, context.root));
  BRAID_TRY_ASSIGN(const Line* from, FindLine(lines, request.from.line, context.table_name));
  BRAID_TRY_ASSIGN(const Line* to, FindLine(lines, request.to.line, context.table_name));
  if (from == to) {
    if (!diff.from.snapshot || !diff.to.snapshot) return Ok();
    const SnapshotId first = std::min(*diff.from.snapshot, *diff.to.snapshot);
    BRAID_TRY_ASSIGN(const std::vector<SnapshotId> ids, ListSnapshots(*context.file_system, from->paths));
    for (const SnapshotId id : ids) {
      if (id < first || id > std::max(*diff.from.snapshot, *diff.to.snapshot)) continue;
      BRAID_TRY_ASSIGN(Snapshot snapshot, ReadSnapshot(*context.file_system, from->paths, id));
      if (id == first) {
        diff.base = RefOf(snapshot);
      } else {
        (*diff.from.snapshot == first ? diff.to : diff.from).since_base.push_back(std::move(snapshot));
      }
    }
    return Ok();
  }
  Result<MergeReport> report = CompareBranches(context, request.to.line, request.from.line);
  if (!report && report.error().code() == ErrorCode::kConflict) {
    diff.no_base_reason = report.error().message();
    return Ok();
  }
  if (!report) return std::move(report).error();
  for (const LineDiff::Side* side : {&diff.from, &diff.to}) {
    if (!side->snapshot || *side->snapshot >= report->base.id) continue;
    diff.no_base_reason = fmt::format("{} is older than snapshot {}, at which both parted", side->name, report->base.id);
    return Ok();
  }
  diff.base = report->base;
  diff.to.since_base = std::move(report->source_snapshots);
  diff.from.since_base = std::move(report->target_snapshots);
  for (LineDiff::Side* side : {&diff.from, &diff.to}) {
    std::erase_if(side->since_base, [&](const Snapshot& snapshot) { return !side->snapshot || snapshot.id > *side->snapshot; });
  }
  return Ok();
}

}  // namespace

Result<LineState> LineState::Parse(const OperationContext& context, std::string_view text) {
  const TablePaths root(context.root, std::string(kMainBranch));
  LineState state{.line = std::string(text)};
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos) return state;
  BRAID_TRY_ASSIGN(const std::vector<std::string> branches, ListBranches(*context.file_system, root));
  if (std::find(branches.begin(), branches.end(), text) != branches.end()) return state;
  const std::string_view line = text.substr(0, at);
  const std::string_view what = text.substr(at + 1);
  if (what.empty()) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' names no snapshot", text))
        .Hint("write LINE@SNAPSHOT or LINE@TAG, or LINE alone for its latest snapshot");
  }
  state.line = line.empty() ? std::string(kMainBranch) : std::string(line);
  if (const auto id = ParseInt64(what)) {
    state.snapshot = SnapshotId(*id);
  } else {
    state.tag = std::string(what);
  }
  return state;
}

std::string LineState::ToString() const {
  if (snapshot) return fmt::format("{}@{}", line, *snapshot);
  return tag ? fmt::format("{}@{}", line, *tag) : line;
}

Result<LineDiff> DiffLines(const OperationContext& context, const LineDiffRequest& request) {
  BRAID_TRY_ASSIGN(const Side from, OpenSide(context, request.from));
  BRAID_TRY_ASSIGN(const Side to, OpenSide(context, request.to));
  LineDiff diff{.from = {.name = request.from.ToString(), .snapshot = from.plan.snapshot, .since_base = {}},
                .to = {.name = request.to.ToString(), .snapshot = to.plan.snapshot, .since_base = {}},
                .base = {},
                .no_base_reason = {},
                .columns = ColumnDifferences(from.table.schema(), to.table.schema()),
                .rows = {}};
  BRAID_TRY(CompareHistory(context, request, diff));
  if (!request.rows) return diff;
  BRAID_TRY_ASSIGN(diff.rows, RowComparison(from, to).Run(request.limit));
  return diff;
}

}  // namespace braid
