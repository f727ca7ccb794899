#include "table/partition_expiry.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "base/uuid.h"
#include "mergetree/data_file_options.h"
#include "meta/stores.h"
#include "table/drop_partitions.h"
#include "table/file_scan.h"
#include "table/partition_time.h"
#include "table/partitions.h"
#include "types/cast.h"
#include "types/date_time.h"
#include "types/local_time.h"

namespace braid {

namespace {

using Values = std::vector<std::optional<std::string>>;

// As Java's LocalDateTime prints itself: "2024-05-14T10:15", with seconds and a fraction only where there are any.
std::string IsoText(const Timestamp& timestamp) {
  std::string text;
  AppendIsoDate(FloorDivide(timestamp.millis, kMillisPerDay), text);
  text += 'T';
  AppendHourMinuteSecond(FloorModulo(timestamp.millis, kMillisPerDay), text);
  const std::int32_t nanos = NanosOfSecond(timestamp);
  if (nanos == 0) return text.ends_with(":00") ? text.substr(0, text.size() - 3) : text;
  const std::string digits = fmt::format("{:09}", nanos);
  return text + "." + digits.substr(0, nanos % 1'000'000 == 0 ? 3 : nanos % 1000 == 0 ? 6 : 9);
}

// The text that Java's partition objects give: dates are their number of days.
std::optional<std::string> TextOf(const Datum& value, const DataType& type) {
  if (value.is_null()) return std::nullopt;
  if (type.is_timestamp()) return IsoText(value.as_timestamp());
  if (type.kind() == TypeKind::kDate || type.kind() == TypeKind::kTime) return std::to_string(value.as_int());
  return FormatDatum(value, type);
}

class Expiry {
 public:
  Expiry(const Table& table, const PartitionExpiry& request, const Clock& clock)
      : table_(table), request_(request), clock_(clock), types_(PartitionTypes(table.layout())) {
    for (const DataField& field : table.layout().partition_fields) columns_.push_back(field.name);
  }

  Result<ExpiredPartitions> Run() {
    BRAID_TRY(FindPartitions());
    BRAID_TRY(Choose());
    if (!request_.dry_run) BRAID_TRY(Drop());
    return std::move(result_);
  }

 private:
  // Partitions that hold files, with the creation time of the newest.
  Status FindPartitions() {
    BRAID_TRY_ASSIGN(const std::optional<Snapshot> snapshot, ReadLatestSnapshot(table_.file_system(), table_.paths()));
    if (!snapshot) return Ok();
    BRAID_TRY_ASSIGN(const auto scan, FileScan::Make(table_, ScanScope{.postponed_buckets = true}));
    BRAID_TRY_ASSIGN(const FilesByBucket files, scan->Files(*snapshot));
    for (const BucketFiles& bucket : files.buckets) {
      std::int64_t& newest = newest_ms_.try_emplace(bucket.partition, 0).first->second;
      for (const ScannedFile& file : bucket.files) newest = std::max(newest, file.meta->creation_time_ms.value_or(0));
    }
    return Ok();
  }

  Status Choose() {
    BRAID_TRY_ASSIGN(const PartitionTime time, PartitionTime::Make(request_.timestamp_pattern, request_.timestamp_formatter));
    // Both times are local: an hour that clocks skip or show twice does not count.
    const std::int64_t expires_before = ToLocalTime(clock_.NowMs()).millis - request_.expiration_time.count();
    std::multimap<std::string, std::pair<BinaryRow, Values>> chosen;
    for (const auto& [partition, newest_ms] : newest_ms_) {
      BRAID_TRY_ASSIGN(Values values, ValuesOf(partition));
      if (!request_.by_update_time) {
        const std::optional<std::int64_t> meant = time.Of(columns_, values);
        if (!meant) result_.timeless.push_back(Join(NamedTexts(values), ", "));
        if (!meant || expires_before <= *meant) continue;
      } else if (FromLocalTime({.millis = expires_before}) <= UtcOfLocalTimeMs(newest_ms)) {
        continue;
      }
      std::vector<std::string> texts;
      for (const auto& [column, text] : Named(values)) texts.push_back(text);
      chosen.emplace(Join(texts, ","), std::pair(partition, std::move(values)));
    }
    for (auto& [order, entry] : chosen) {
      if (static_cast<std::int64_t>(chosen_.size()) == request_.max_count) break;
      result_.partitions.push_back(Named(entry.second));
      chosen_.push_back(std::move(entry.first));
    }
    return Ok();
  }

  Status Drop() {
    // A commit of its own would look for partitions to expire again.
    BRAID_TRY_ASSIGN(const Table table, table_.With(Options(Options::Map{{"write-only", "true"}})));
    const std::size_t batch = request_.batch_size > 0 ? static_cast<std::size_t>(request_.batch_size) : chosen_.size();
    for (std::size_t first = 0; first < chosen_.size(); first += batch) {
      const std::size_t end = std::min(first + batch, chosen_.size());
      const std::set<BinaryRow> partitions(chosen_.begin() + static_cast<std::ptrdiff_t>(first),
                                           chosen_.begin() + static_cast<std::ptrdiff_t>(end));
      BRAID_TRY_ASSIGN(const auto snapshots, DropPartitions(table, partitions, "expire-partitions-" + RandomUuid(), {}, clock_));
      result_.snapshots += static_cast<std::int64_t>(snapshots.size());
    }
    return Ok();
  }

  Result<Values> ValuesOf(const BinaryRow& partition) const {
    BRAID_TRY_ASSIGN(const DatumList datums, partition.ToDatums(types_));
    Values values;
    for (std::size_t i = 0; i < datums.size(); ++i) values.push_back(TextOf(datums[i], types_[i]));
    return values;
  }

  std::vector<std::pair<std::string, std::string>> Named(const Values& values) const {
    std::vector<std::pair<std::string, std::string>> named;
    for (std::size_t i = 0; i < values.size(); ++i) {
      named.emplace_back(columns_[i], values[i].value_or(table_.layout().default_partition_name));
    }
    return named;
  }

  std::vector<std::string> NamedTexts(const Values& values) const {
    std::vector<std::string> texts;
    for (const auto& [column, text] : Named(values)) texts.push_back(column + "=" + text);
    return texts;
  }

  const Table& table_;
  const PartitionExpiry& request_;
  const Clock& clock_;
  std::vector<DataType> types_;
  std::vector<std::string> columns_;
  std::map<BinaryRow, std::int64_t> newest_ms_;  // local, as if UTC
  std::vector<BinaryRow> chosen_;
  ExpiredPartitions result_;
};

// When the process looked at a line for expired partitions. Thread-safe.
class LastChecks {
 public:
  /// Whether the interval has passed since then; if so, or the first time, it counts as looked at now.
  bool IsDue(const std::string& line, std::int64_t now_ms, std::int64_t interval_ms) {
    const std::lock_guard lock(mutex_);
    const auto [it, is_first] = checked_ms_.try_emplace(line, now_ms);
    if (is_first || now_ms <= it->second + interval_ms) return false;
    it->second = now_ms;
    return true;
  }

 private:
  std::mutex mutex_;  // guards checked_ms_
  std::map<std::string, std::int64_t> checked_ms_;
};

LastChecks& ProcessLastChecks() {
  static LastChecks checks;
  return checks;
}

}  // namespace

Result<std::optional<PartitionExpiry>> PartitionExpiry::FromOptions(const Options& options) {
  if (!options.Has("partition.expiration-time")) return std::optional<PartitionExpiry>();
  PartitionExpiry expiry;
  BRAID_TRY_ASSIGN(expiry.expiration_time, options.GetDuration("partition.expiration-time", {}));
  const std::string strategy = ToLower(options.Get("partition.expiration-strategy", "values-time"));
  if (strategy != "values-time" && strategy != "update-time") {
    return Error(ErrorCode::kInvalidArgument, fmt::format("partition.expiration-strategy '{}' does not exist", strategy))
        .Hint("one of: values-time, update-time");
  }
  expiry.by_update_time = strategy == "update-time";
  expiry.timestamp_pattern = options.Find("partition.timestamp-pattern");
  expiry.timestamp_formatter = options.Find("partition.timestamp-formatter");
  BRAID_TRY_ASSIGN(expiry.max_count, options.GetInt("partition.expiration-max-num", expiry.max_count));
  BRAID_TRY_ASSIGN(expiry.batch_size, options.GetInt("partition.expiration-batch-size", expiry.batch_size));
  return std::optional(std::move(expiry));
}

Result<ExpiredPartitions> ExpirePartitions(const Table& table, const PartitionExpiry& expiry, const Clock& clock) {
  if (!table.schema().is_partitioned()) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("{} is not partitioned, so no partition of it expires", table.name()));
  }
  return Expiry(table, expiry, clock).Run();
}

Status ExpirePartitionsIfDue(const Table& table, bool is_batch, const Clock& clock) {
  if (!table.schema().is_partitioned()) return Ok();
  BRAID_TRY_ASSIGN(const auto expiry, PartitionExpiry::FromOptions(table.options()));
  if (!expiry) return Ok();
  BRAID_TRY_ASSIGN(const auto interval, table.options().GetDuration("partition.expiration-check-interval", std::chrono::hours(1)));
  BRAID_TRY_ASSIGN(const bool at_end, table.options().GetBool("end-input.check-partition-expire", false));
  const bool passed = ProcessLastChecks().IsDue(table.paths().BranchDirectory(), clock.NowMs(), interval.count());
  if (interval.count() != 0 && !(at_end && is_batch) && !passed) return Ok();
  BRAID_TRY_ASSIGN(const ExpiredPartitions expired, ExpirePartitions(table, *expiry, clock));
  if (!expired.partitions.empty()) {
    Log(LogLevel::kInfo, "partitions expired", fmt::format("table={} count={}", table.name(), expired.partitions.size()));
  }
  if (!expired.timeless.empty()) {
    Log(LogLevel::kWarning, "partitions never expire, since their values mean no time",
        fmt::format("table={} count={} first={}", table.name(), expired.timeless.size(), expired.timeless.front()));
  }
  return Ok();
}

}  // namespace braid
