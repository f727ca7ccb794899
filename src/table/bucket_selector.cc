#include "table/bucket_selector.h"

#include <utility>

#include "table/file_scan.h"

namespace braid {

namespace {

// More candidate keys than this are not worth hashing: nearly every bucket would be among them.
constexpr std::size_t kMaxKeys = 1000;

// The values that the conjunct allows for the column, if it pins it.
const std::vector<Datum>* PinnedValues(const Predicate& conjunct, const std::string& column) {
  const bool pins = conjunct.op() == Predicate::Op::kEqual || conjunct.op() == Predicate::Op::kIn;
  return pins && conjunct.column() == column ? &conjunct.literals() : nullptr;
}

// Every combination of one value a column; empty if some column is not pinned or there are too many.
std::vector<DatumList> CandidateKeys(const std::vector<DataField>& fields, const std::vector<PredicatePtr>& conjuncts) {
  std::vector<DatumList> keys = {{}};
  for (const DataField& field : fields) {
    const std::vector<Datum>* values = nullptr;
    for (const PredicatePtr& conjunct : conjuncts) {
      if (values == nullptr) values = PinnedValues(*conjunct, field.name);
    }
    if (values == nullptr || keys.size() * values->size() > kMaxKeys) return {};
    std::vector<DatumList> longer;
    for (const DatumList& key : keys) {
      for (const Datum& value : *values) {
        if (value.is_null()) continue;  // equals nothing
        longer.push_back(key);
        longer.back().push_back(value);
      }
    }
    keys = std::move(longer);
  }
  return keys;
}

}  // namespace

BucketSelector::BucketSelector(BucketFunction function, std::vector<DataType> types, std::vector<DatumList> keys)
    : function_(function), types_(std::move(types)), keys_(std::move(keys)) {}

Result<std::unique_ptr<BucketSelector>> BucketSelector::Make(const TableSchema& schema, const Options& options,
                                                             const PredicatePtr& filter) {
  BRAID_TRY_ASSIGN(const std::int64_t bucket, options.GetInt("bucket", -1));
  const std::vector<std::string> columns = schema.BucketKeys();
  if (bucket <= 0 || columns.empty() || filter == nullptr) return nullptr;
  BRAID_TRY_ASSIGN(const BucketFunction function, ParseBucketFunction(options.Get("bucket-function.type", "default")));
  const std::vector<DataField> fields = schema.Project(columns);
  std::vector<DatumList> keys = CandidateKeys(fields, Conjuncts(filter));
  if (keys.empty()) return nullptr;
  std::vector<DataType> types;
  for (const DataField& field : fields) types.push_back(field.type);
  return std::unique_ptr<BucketSelector>(new BucketSelector(function, std::move(types), std::move(keys)));
}

Result<const std::set<std::int32_t>*> BucketSelector::Buckets(std::int32_t total_buckets) {
  if (total_buckets <= 0) return nullptr;
  const std::lock_guard lock(mutex_);
  auto it = buckets_.find(total_buckets);
  if (it == buckets_.end()) {
    std::set<std::int32_t> selected;
    for (const DatumList& key : keys_) {
      BRAID_TRY_ASSIGN(const std::int32_t selected_bucket, BucketOf(function_, types_, key, total_buckets));
      selected.insert(selected_bucket);
    }
    it = buckets_.emplace(total_buckets, std::move(selected)).first;
  }
  return &it->second;
}

}  // namespace braid
