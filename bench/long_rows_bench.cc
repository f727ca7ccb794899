// What a few very long rows take in memory: B10. Writes them several times into one bucket of a new key table, merges
// the files and reads them, and tells the largest resident size of each step, and the largest memory of its own,
// without pages of files.

#include <algorithm>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "catalog/catalog.h"
#include "measurement.h"
#include "memory_watch.h"
#include "table/commit.h"
#include "table/scan.h"
#include "table/write.h"

namespace braid {
namespace {

constexpr std::int64_t kBatchBytes = 1 << 20;
constexpr std::int64_t kVersions = 3;

struct LongRowsSettings {
  std::string file_format;
  std::int64_t rows = 0;
  std::int64_t row_bytes = 0;
};

Result<Table> CreateTable(const std::string& warehouse, const LongRowsSettings& settings) {
  BRAID_TRY_ASSIGN(const auto catalog, MakeFileSystemCatalog("paimon", Options({{"warehouse", warehouse}})));
  const Identifier identifier{.database = "b", .table = "long_rows", .branch = {}, .system_table = {}};
  BRAID_TRY(catalog->CreateDatabase(identifier.database, /*ignore_if_exists=*/true));
  BRAID_TRY(catalog->DropTable(identifier, {.ignore_if_not_exists = true}));
  const auto field = [](std::string name, DataType type) {
    return DataField{.id = FieldId(0), .name = std::move(name), .type = std::move(type), .description = {}, .default_value = {}};
  };
  const TableDefinition definition{.fields = {field("k", DataType::BigInt().NotNull()), field("payload", DataType::Bytes())},
                                   .partition_keys = {},
                                   .primary_keys = {"k"},
                                   .options = Options(
                                       {{"bucket", "1"}, {"write-only", "true"}, {"file.format", settings.file_format}}),
                                   .comment = {}};
  BRAID_TRY(catalog->CreateTable(identifier, definition, /*ignore_if_exists=*/false));
  return catalog->OpenTable(identifier);
}

Batch Rows(const Table& table, std::int64_t first, std::int64_t count, std::int64_t row_bytes, std::uint64_t seed) {
  std::mt19937_64 random(seed * 1'000'003 + static_cast<std::uint64_t>(first));
  std::vector<std::int64_t> keys;
  std::vector<std::int32_t> offsets = {0};
  for (std::int64_t row = 0; row < count; ++row) {
    keys.push_back(first + row);
    offsets.push_back(static_cast<std::int32_t>((row + 1) * row_bytes));
  }
  std::vector<std::uint64_t> bytes(static_cast<std::size_t>(count * row_bytes / 8 + 1));
  for (std::uint64_t& word : bytes) word = random();
  const std::vector<std::shared_ptr<arrow::Array>> columns = {
      std::make_shared<arrow::Int64Array>(count, arrow::Buffer::FromVector(std::move(keys))),
      std::make_shared<arrow::BinaryArray>(count, arrow::Buffer::FromVector(std::move(offsets)), arrow::Buffer::FromVector(std::move(bytes)))};
  return {.rows = arrow::RecordBatch::Make(ToArrowSchema(table.schema().fields), count, columns), .kinds = nullptr};
}

Status Write(const Table& table, const LongRowsSettings& settings) {
  const std::int64_t batch_rows = std::max<std::int64_t>(1, kBatchBytes / settings.row_bytes);
  for (std::int64_t version = 0; version < kVersions; ++version) {
    BRAID_TRY_ASSIGN(const auto writer, TableWriter::Make(table, {.commit_user = "long", .spill_directory = {}}));
    for (std::int64_t first = 0; first < settings.rows; first += batch_rows) {
      const std::int64_t count = std::min(batch_rows, settings.rows - first);
      BRAID_TRY(writer->Write(Rows(table, first, count, settings.row_bytes, static_cast<std::uint64_t>(version))));
    }
    Committable committable;
    committable.identifier = version;
    BRAID_TRY_ASSIGN(committable.messages, writer->PrepareCommit(true, version));
    BRAID_TRY(TableCommit(table, "long").Commit(committable));
  }
  return Ok();
}

Status Read(const Table& table, const LongRowsSettings& settings) {
  BRAID_TRY_ASSIGN(const Plan plan, PlanBatch(table, {}));
  BRAID_TRY_ASSIGN(const auto reader, ReadPlan(table, plan, {}));
  std::int64_t rows = 0;
  while (true) {
    BRAID_TRY_ASSIGN(const std::optional<Batch> batch, reader->Next());
    if (!batch) break;
    rows += batch->row_count();
  }
  if (rows == settings.rows) return Ok();
  return Error(ErrorCode::kInternal, fmt::format("{} rows were read, not {}", rows, settings.rows));
}

/// The largest resident size since the last call.
std::int64_t PeakMebibytes() {
  const std::int64_t peak = StatusMebibytes("self", "VmHWM");
  std::ofstream("/proc/self/clear_refs") << "5";
  return peak;
}

Result<Measurement> Run(const Options& arguments) {
  BRAID_TRY_ASSIGN(const std::string warehouse, RequiredArgument(arguments, "warehouse"));
  LongRowsSettings settings;
  BRAID_TRY_ASSIGN(settings.file_format, WordArgument(arguments, "file_format", {"parquet", "orc", "avro"}));
  BRAID_TRY_ASSIGN(settings.row_bytes, CountArgument(arguments, "row_bytes", std::int64_t{1} << 20));
  BRAID_TRY_ASSIGN(settings.rows, CountArgument(arguments, "rows", std::max<std::int64_t>(2, (std::int64_t{512} << 20) / settings.row_bytes)));
  BRAID_TRY_ASSIGN(const Table table, CreateTable(warehouse, settings));
  Measurement measurement{.seconds = {}, .rows = settings.rows * kVersions};
  measurement.detail = {
      {"file_format", settings.file_format}, {"row_bytes", settings.row_bytes}, {"versions", kVersions}};
  const auto step = [&](const std::string& name, const std::function<Status()>& body) -> Status {
    static_cast<void>(PeakMebibytes());
    const MemoryWatch watch([] { return std::string("self"); });
    BRAID_TRY_ASSIGN(const double seconds, Seconds(body));
    measurement.detail.emplace_back(name + "_s", seconds);
    measurement.detail.emplace_back(name + "_own_mb", watch.own_mb());
    measurement.detail.emplace_back(name + "_rss_mb", PeakMebibytes());
    return Ok();
  };
  const auto all = [&]() -> Status {
    BRAID_TRY(step("write", [&] { return Write(table, settings); }));
    BRAID_TRY(step("merge_read", [&] { return Read(table, settings); }));
    BRAID_TRY(step("compact", [&]() -> Status {
      BRAID_TRY_ASSIGN(const auto snapshots, CompactTable(table, /*full=*/true, nullptr, "compactor"));
      return snapshots.empty() ? Status(Error(ErrorCode::kInternal, "nothing was compacted")) : Ok();
    }));
    return step("read", [&] { return Read(table, settings); });
  };
  BRAID_TRY(Repeat(1, all, measurement));
  return measurement;
}

}  // namespace
}  // namespace braid

int main(int argc, char** argv) {
  return braid::RunBenchmark(argc, argv,
                             {.case_name = "B10",
                              .usage = "warehouse=DIR [file_format=parquet|orc|avro] [row_bytes=N] [rows=N]",
                              .keys = {"warehouse", "file_format", "row_bytes", "rows"},
                              .run = braid::Run});
}
