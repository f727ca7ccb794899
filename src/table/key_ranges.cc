#include "table/key_ranges.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "io/request_pool.h"
#include "table/data_file_reader.h"
#include "table/row_tracking.h"

namespace braid {

namespace {

// The slowest part must read at most this share of the whole.
constexpr double kWorthCutting = 0.75;
// Keys at which a cut is tried: a bucket may have thousands of files, and each trial looks at all of them.
constexpr std::size_t kTrials = 64;
// Smaller files are read before their footers are of use.
constexpr std::int64_t kLargeFileBytes = std::int64_t{8} << 20;

bool CanCut(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kTinyInt:
    case TypeKind::kSmallInt:
    case TypeKind::kInt:
    case TypeKind::kBigInt:
    case TypeKind::kDate:
    case TypeKind::kTime:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz:
    case TypeKind::kDecimal:
    case TypeKind::kChar:
    case TypeKind::kVarChar: return true;
    default: return false;
  }
}

bool IsMerged(const DataSplit& split) {
  return !split.raw_convertible && !split.is_changes && split.before_files.empty() && split.files.size() > 1;
}

// Whether its files are read one after the other, and so much that a second thread is worth while.
bool IsLargeAndPlain(const DataSplit& split) {
  if (!split.raw_convertible || split.is_changes || !split.before_files.empty()) return false;
  std::int64_t bytes = 0;
  for (const DataFileMeta& file : split.files) bytes += file.file_size;
  return bytes >= 2 * kLargeFileBytes;
}

bool Less(const Datum& a, const Datum& b) {
  return CompareDatums(a, b) == std::strong_ordering::less;
}

// Rows of a file between two values of the first key column: all its rows, or a row group.
struct KeyedRows {
  Datum min;
  Datum max;
  std::int64_t bytes;
};
// By file.
using KeyedFiles = std::vector<std::vector<KeyedRows>>;

// Keys from `from` on and below `to`; an absent one is no limit.
struct KeyRange {
  std::optional<Datum> from;
  std::optional<Datum> to;

  bool Meets(const KeyedRows& rows) const { return !(from && Less(rows.max, *from)) && !(to && !Less(rows.min, *to)); }
  bool Meets(const std::vector<KeyedRows>& file) const {
    return std::ranges::any_of(file, [this](const KeyedRows& rows) { return Meets(rows); });
  }
};

std::int64_t BytesIn(const KeyRange& range, const KeyedFiles& files) {
  std::int64_t bytes = 0;
  for (const std::vector<KeyedRows>& file : files) {
    for (const KeyedRows& rows : file) bytes += range.Meets(rows) ? rows.bytes : 0;
  }
  return bytes;
}

// Row groups with bounds, ascending; the whole file where one has none.
std::vector<KeyedRows> KeysOf(const std::vector<RowGroup>& groups, KeyedRows whole) {
  std::vector<KeyedRows> keys;
  for (const RowGroup& group : groups) {
    if (group.bounds.min.is_null() || group.bounds.max.is_null()) return {std::move(whole)};
    keys.push_back({group.bounds.min, group.bounds.max, group.size_bytes});
  }
  return keys.empty() ? std::vector<KeyedRows>{std::move(whole)} : keys;
}

// Looks into the footers of large files.
Result<KeyedFiles> KeysOf(const Table& table, const DataSplit& split, const DataField& column) {
  KeyedFiles keys(split.files.size());
  DataFileReader reader(table);
  const auto read = [&](std::int64_t index) -> Status {
    const auto i = static_cast<std::size_t>(index);
    const DataFileMeta& file = split.files[i];
    const std::string reading = "while reading the keys of " + file.file_name;
    BRAID_TRY_ASSIGN(Datum min, file.min_key.Get(0, column.type).Context(reading));
    BRAID_TRY_ASSIGN(Datum max, file.max_key.Get(0, column.type).Context(reading));
    std::vector<RowGroup> groups;
    if (file.file_size >= kLargeFileBytes) {
      BRAID_TRY_ASSIGN(groups, reader.RowGroups(split.partition, split.bucket, file, column));
    }
    keys[i] = KeysOf(groups, {std::move(min), std::move(max), file.file_size});
    return Ok();
  };
  BRAID_TRY(ParallelFor(PoolFor(table.file_system()), static_cast<std::int64_t>(keys.size()), read));
  return keys;
}

// Keys where files or row groups begin, ascending, and evenly chosen if there are many.
std::vector<Datum> PlacesToCut(const KeyedFiles& files) {
  std::vector<Datum> all;
  for (const std::vector<KeyedRows>& file : files) {
    for (const KeyedRows& rows : file) all.push_back(rows.min);
  }
  std::ranges::sort(all, Less);
  if (all.size() <= kTrials) return all;
  std::vector<Datum> places;
  for (std::size_t i = 0; i < kTrials; ++i) places.push_back(all[i * all.size() / kTrials]);
  return places;
}

// The range cut where its halves weigh the same as nearly as the places allow; nullopt if no cut is worth its cost.
std::optional<std::pair<KeyRange, KeyRange>> Cut(const KeyRange& range, const std::vector<Datum>& places,
                                                 const KeyedFiles& files) {
  std::optional<std::pair<KeyRange, KeyRange>> best;
  auto least = static_cast<std::int64_t>(kWorthCutting * static_cast<double>(BytesIn(range, files)));
  for (const Datum& key : places) {
    if ((range.from && !Less(*range.from, key)) || (range.to && !Less(key, *range.to))) continue;
    const KeyRange below{range.from, key};
    const KeyRange above{key, range.to};
    const std::int64_t slower = std::max(BytesIn(below, files), BytesIn(above, files));
    if (slower > least) continue;
    least = slower;
    best = {below, above};
  }
  return best;
}

// Cuts the heaviest range until there are as many as wanted.
std::vector<KeyRange> CutInto(std::size_t wanted, const KeyedFiles& files) {
  const std::vector<Datum> places = PlacesToCut(files);
  std::vector<KeyRange> done;
  std::vector<KeyRange> open = {KeyRange{}};
  while (!open.empty() && done.size() + open.size() < wanted) {
    const auto heaviest =
        std::ranges::max_element(open, {}, [&](const KeyRange& range) { return BytesIn(range, files); });
    const KeyRange range = std::move(*heaviest);
    open.erase(heaviest);
    if (auto halves = Cut(range, places, files)) {
      open.push_back(std::move(halves->first));
      open.push_back(std::move(halves->second));
    } else {
      done.push_back(range);
    }
  }
  done.insert(done.end(), open.begin(), open.end());
  return done;
}

PredicatePtr ToPredicate(const KeyRange& range, const DataField& column) {
  using Op = Predicate::Op;
  std::vector<PredicatePtr> limits;
  if (range.from) limits.push_back(Predicate::Leaf(Op::kGreaterOrEqual, column.name, column.type, {*range.from}));
  if (range.to) limits.push_back(Predicate::Leaf(Op::kLess, column.name, column.type, {*range.to}));
  if (limits.empty()) return nullptr;
  return limits.size() == 1 ? limits[0] : Predicate::And(std::move(limits));
}

// The split with some of its files.
DataSplit WithFiles(const DataSplit& split, const std::vector<std::size_t>& kept) {
  DataSplit part = split;
  std::vector<DataFileMeta> files;
  std::vector<DeletionVectorRef> vectors;
  for (const std::size_t i : kept) {
    files.push_back(split.files[i]);
    if (!split.deletion_vectors.empty()) vectors.push_back(split.deletion_vectors[i]);
  }
  part.files = std::move(files);
  part.deletion_vectors = std::move(vectors);
  return part;
}

Result<std::vector<ReadUnit>> DivideByKeys(const Table& table, const DataSplit& split, std::size_t wanted) {
  const DataField column = table.schema().TrimmedPrimaryKeyFields().front();
  BRAID_TRY_ASSIGN(const KeyedFiles files, KeysOf(table, split, column));
  std::vector<ReadUnit> units;
  for (const KeyRange& range : CutInto(wanted, files)) {
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (range.Meets(files[i])) kept.push_back(i);
    }
    units.push_back({.split = WithFiles(split, kept), .keys = ToPredicate(range, column)});
  }
  return units;
}

// Parts of consecutive files that weigh about the same.
std::vector<ReadUnit> DivideByFiles(const DataSplit& split, std::size_t wanted) {
  std::int64_t bytes = 0;
  for (const DataFileMeta& file : split.files) bytes += file.file_size;
  std::vector<ReadUnit> units;
  std::vector<std::size_t> part;
  std::int64_t taken = 0;
  for (std::size_t i = 0; i < split.files.size(); ++i) {
    part.push_back(i);
    taken += split.files[i].file_size;
    const auto due = static_cast<std::int64_t>(units.size() + 1) * bytes / static_cast<std::int64_t>(wanted);
    if (taken < due && i + 1 < split.files.size()) continue;
    units.push_back({.split = WithFiles(split, std::exchange(part, {})), .keys = nullptr});
  }
  return units;
}

}  // namespace

Result<std::vector<ReadUnit>> DivideAmongReaders(const Table& table, const std::vector<DataSplit>& splits,
                                                 std::size_t readers) {
  const std::vector<DataField> keys = table.schema().TrimmedPrimaryKeyFields();
  const bool by_keys = !keys.empty() && CanCut(keys.front().type);
  // Files of one split may hold columns of the same rows there.
  BRAID_TRY_ASSIGN(const bool evolves, EvolvesData(table));
  // Each split gets its share of the readers, and so of the parts.
  const std::size_t wanted = splits.empty() ? 1 : (readers + splits.size() - 1) / splits.size();
  std::vector<ReadUnit> units;
  for (const DataSplit& split : splits) {
    std::vector<ReadUnit> parts;
    if (wanted > 1 && by_keys && IsMerged(split)) {
      BRAID_TRY_ASSIGN(parts, DivideByKeys(table, split, wanted));
    } else if (wanted > 1 && !evolves && IsLargeAndPlain(split)) {
      parts = DivideByFiles(split, wanted);
    } else {
      parts.push_back({.split = split, .keys = nullptr});
    }
    units.insert(units.end(), std::make_move_iterator(parts.begin()), std::make_move_iterator(parts.end()));
  }
  return units;
}

}  // namespace braid
