#include "table/key_ranges.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace braid {

namespace {

// The slowest part must read at most this share of the whole.
constexpr double kWorthCutting = 0.75;
// Keys at which a cut is tried: a bucket may have thousands of files, and each trial looks at all of them.
constexpr std::size_t kTrials = 64;

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

bool Less(const Datum& a, const Datum& b) { return CompareDatums(a, b) == std::strong_ordering::less; }

// A file with the first column of its least and greatest key.
struct FileKeys {
  Datum min;
  Datum max;
  std::int64_t bytes;
};

// Keys from `from` on and below `to`; an absent one is no limit.
struct KeyRange {
  std::optional<Datum> from;
  std::optional<Datum> to;

  bool Meets(const FileKeys& file) const { return !(from && Less(file.max, *from)) && !(to && !Less(file.min, *to)); }
};

std::int64_t BytesIn(const KeyRange& range, const std::vector<FileKeys>& files) {
  std::int64_t bytes = 0;
  for (const FileKeys& file : files) bytes += range.Meets(file) ? file.bytes : 0;
  return bytes;
}

Result<std::vector<FileKeys>> KeysOf(const DataSplit& split, const DataType& type) {
  std::vector<FileKeys> keys;
  keys.reserve(split.files.size());
  for (const DataFileMeta& file : split.files) {
    BRAID_TRY_ASSIGN(Datum min, file.min_key.Get(0, type).Context("while reading the keys of " + file.file_name));
    BRAID_TRY_ASSIGN(Datum max, file.max_key.Get(0, type).Context("while reading the keys of " + file.file_name));
    keys.push_back({std::move(min), std::move(max), file.file_size});
  }
  return keys;
}

// Keys where files begin, ascending, and evenly chosen if there are many.
std::vector<Datum> PlacesToCut(const std::vector<FileKeys>& files) {
  std::vector<Datum> all;
  for (const FileKeys& file : files) all.push_back(file.min);
  std::ranges::sort(all, Less);
  if (all.size() <= kTrials) return all;
  std::vector<Datum> places;
  for (std::size_t i = 0; i < kTrials; ++i) places.push_back(all[i * all.size() / kTrials]);
  return places;
}

// The range cut where its halves weigh the same as nearly as the places allow; nullopt if no cut is worth its cost.
std::optional<std::pair<KeyRange, KeyRange>> Cut(const KeyRange& range, const std::vector<Datum>& places,
                                                 const std::vector<FileKeys>& files) {
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
std::vector<KeyRange> CutInto(std::size_t wanted, const std::vector<FileKeys>& files) {
  const std::vector<Datum> places = PlacesToCut(files);
  std::vector<KeyRange> done;
  std::vector<KeyRange> open = {KeyRange{}};
  while (!open.empty() && done.size() + open.size() < wanted) {
    const auto heaviest = std::ranges::max_element(open, {}, [&](const KeyRange& range) { return BytesIn(range, files); });
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

ReadUnit UnitOf(const DataSplit& split, const KeyRange& range, const std::vector<FileKeys>& keys, const DataField& column) {
  ReadUnit unit{.split = split, .keys = ToPredicate(range, column)};
  std::vector<DataFileMeta> files;
  std::vector<DeletionVectorRef> vectors;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!range.Meets(keys[i])) continue;
    files.push_back(split.files[i]);
    if (!split.deletion_vectors.empty()) vectors.push_back(split.deletion_vectors[i]);
  }
  unit.split.files = std::move(files);
  unit.split.deletion_vectors = std::move(vectors);
  return unit;
}

}  // namespace

Result<std::vector<ReadUnit>> DivideAmongReaders(const Table& table, const std::vector<DataSplit>& splits,
                                                 std::size_t readers) {
  const std::vector<DataField> keys = table.schema().TrimmedPrimaryKeyFields();
  const bool cut = splits.size() < readers && !keys.empty() && CanCut(keys.front().type);
  // Each split gets its share of the readers, and so of the parts.
  const std::size_t wanted = cut && !splits.empty() ? (readers + splits.size() - 1) / splits.size() : 1;
  std::vector<ReadUnit> units;
  for (const DataSplit& split : splits) {
    if (!cut || !IsMerged(split)) {
      units.push_back({.split = split, .keys = nullptr});
      continue;
    }
    BRAID_TRY_ASSIGN(const std::vector<FileKeys> files, KeysOf(split, keys.front().type));
    for (const KeyRange& range : CutInto(wanted, files)) units.push_back(UnitOf(split, range, files, keys.front()));
  }
  return units;
}

}  // namespace braid
