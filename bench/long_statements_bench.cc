// What whole processes take in memory that work on rows with texts of many megabytes: B11. Each step is a process of
// `braid`: statements, commands, and a job from table to table.

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/types.h>

#include "measurement.h"
#include "memory_watch.h"

namespace braid {
namespace {

struct Settings {
  std::string binary;
  std::string warehouse;
  std::string file_format;
  std::string job_options;
  std::int64_t rows = 0;
  std::int64_t row_bytes = 0;
  std::int64_t buckets = 0;
  bool has_job = true;
};

/// A text of Base64's digits that compression makes a quarter smaller.
std::string LongText(std::int64_t bytes, std::uint64_t seed) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::mt19937_64 random(seed);
  std::string text(static_cast<std::size_t>(bytes), '\0');
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    word = i % 10 == 0 ? random() : word >> 6;
    text[i] = kDigits[word & 63];
  }
  return text;
}

class Bench {
 public:
  Bench(Settings settings, Measurement& measurement) : settings_(std::move(settings)), measurement_(measurement) {}

  Status Run() {
    BRAID_TRY(Statements("tables", TablesText()));
    BRAID_TRY(Import("csv", "t", "k INT, v STRING"));
    BRAID_TRY(Import("json", "t", "k INT, v STRING"));
    BRAID_TRY(Import("raw", "lines", "v STRING"));
    BRAID_TRY(Statements("insert_select", "INSERT INTO b.copy SELECT * FROM b.t"));
    BRAID_TRY(Statements("export_csv",
                         Outside("csv", "k INT, v STRING", "out") + "INSERT INTO outside SELECT * FROM b.t"));
    std::filesystem::remove_all(settings_.warehouse + "/out");
    BRAID_TRY(Command("read", {"read", settings_.warehouse, "b.t"}));
    for (const char* output : {"jsonl", "csv", "tableau"}) {
      BRAID_TRY(Statements(fmt::format("select_{}", output), "SELECT * FROM b.t", {"--output", output}));
    }
    BRAID_TRY(Statements("select_length", "SELECT k, CHAR_LENGTH(v) FROM b.t"));
    BRAID_TRY(Statements("update", "UPDATE b.t SET v = CONCAT(v, 'x') WHERE k < 2"));
    BRAID_TRY(Statements("delete", "DELETE FROM b.t WHERE v LIKE '%x'"));
    BRAID_TRY(Statements("merge_into", "CALL sys.merge_into(target_table => 'b.copy', source_table => 'b.t', "
                                       "merge_condition => 'copy.k = t.k', matched_upsert_setting => 'v = t.v')"));
    BRAID_TRY(Command("stream", {"stream", settings_.warehouse, "b.t", "--from", "1"}));
    BRAID_TRY(Command("compact", {"table", "compact", settings_.warehouse, "b.t"}));
    return settings_.has_job ? Job() : Ok();
  }

 private:
  std::string TablesText() const {
    const std::string options = fmt::format("'file.format' = '{}', 'write-only' = 'true'", settings_.file_format);
    std::string text = "CREATE DATABASE IF NOT EXISTS b; ";
    for (const char* table : {"t", "copy", "sink"}) {
      text += fmt::format(
          "CREATE TABLE b.{} (k INT NOT NULL, v STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket' = '{}', {}); ", table,
          settings_.buckets, options);
    }
    return text + fmt::format("CREATE TABLE b.lines (v STRING) WITH ({})", options);
  }

  std::string Outside(std::string_view format, std::string_view columns, std::string_view folder) const {
    return fmt::format(
        "CREATE TEMPORARY TABLE outside ({}) WITH ('connector' = 'filesystem', 'format' = '{}', 'path' = '{}/{}'); ",
        columns, format, settings_.warehouse, folder);
  }

  /// INSERT of the rows of a file.
  Status Import(const std::string& format, const std::string& table, std::string_view columns) {
    const std::string folder = settings_.warehouse + "/in";
    std::filesystem::create_directories(folder);
    {
      std::ofstream file(folder + "/rows", std::ios::binary);
      for (std::int64_t row = 0; row < settings_.rows; ++row) {
        const std::string text = LongText(settings_.row_bytes, static_cast<std::uint64_t>(row));
        if (format == "csv") file << row << ",\"" << text << "\"\n";
        if (format == "json") file << "{\"k\":" << row << ",\"v\":\"" << text << "\"}\n";
        if (format == "raw") file << text << "\n";
      }
      if (!file.flush()) return Error(ErrorCode::kIo, "cannot write into " + folder);
    }
    const Status inserted = Statements("insert_" + format, fmt::format("{}INSERT INTO b.{} SELECT * FROM outside",
                                                                       Outside(format, columns, "in"), table));
    std::filesystem::remove_all(folder);
    return inserted;
  }

  std::vector<std::string> SqlWords(const std::string& mode, std::string text) const {
    return {"sql", "--no-init", "--state-dir", StateDirectory(), "--warehouse", settings_.warehouse,
            "-D", "execution.runtime-mode=" + mode, "-e", std::move(text)};
  }

  Status Statements(const std::string& name, const std::string& text, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = SqlWords("batch", text);
    words.insert(words.end(), more.begin(), more.end());
    return Command(name, std::move(words));
  }

  Status Command(const std::string& name, std::vector<std::string> words) {
    words.insert(words.begin(), settings_.binary);
    std::atomic<pid_t> process = 0;
    return Step(name, [&] { return process == 0 ? std::string() : std::to_string(process); },
                [&] { return RunProgram(std::move(words), &process); });
  }

  /// From table to table, in an epoch or two.
  Status Job() {
    const std::vector<std::string> state = {"--state-dir", StateDirectory()};
    const auto run = [&](std::vector<std::string> words) {
      words.insert(words.begin(), settings_.binary);
      return RunProgram(std::move(words));
    };
    const Status ended = Step("job", [&] { return WorkerOf(StateDirectory()); }, [&]() -> Status {
      std::vector<std::string> words =
          SqlWords("streaming", settings_.job_options + "INSERT INTO b.sink SELECT k, v FROM b.t");
      words.insert(words.end(), {"-D", "pipeline.name=long"});
      BRAID_TRY(run(std::move(words)));
      return run({"job", "wait", "long", "--caught-up", state[0], state[1]});
    });
    static_cast<void>(run({"job", "stop", "--all", state[0], state[1]}));
    std::filesystem::remove_all(StateDirectory());
    return ended;
  }

  std::string StateDirectory() const { return settings_.warehouse + "/state"; }

  Status Step(const std::string& name, std::function<std::string()> process, const std::function<Status()>& body) {
    const MemoryWatch watch(std::move(process));
    Result<double> seconds = Seconds(body);
    // The others are measured all the same.
    if (!seconds) fmt::print(stderr, "{}: {}\n", name, seconds.error().ToString());
    measurement_.detail.emplace_back(name, Json::Object{{"own_mb", watch.own_mb()},
                                                        {"all_mb", watch.all_mb()},
                                                        {"s", seconds ? Json(*seconds) : Json()}});
    if (seconds) measurement_.seconds.push_back(*seconds);
    return Ok();
  }

  Settings settings_;
  Measurement& measurement_;
};

Result<Measurement> Run(const Options& arguments) {
  Settings settings;
  BRAID_TRY_ASSIGN(settings.binary, RequiredArgument(arguments, "binary"));
  BRAID_TRY_ASSIGN(settings.warehouse, RequiredArgument(arguments, "warehouse"));
  BRAID_TRY_ASSIGN(settings.file_format, WordArgument(arguments, "file_format", {"parquet", "orc", "avro"}));
  BRAID_TRY_ASSIGN(settings.row_bytes, CountArgument(arguments, "row_bytes", 100'000'000));
  BRAID_TRY_ASSIGN(settings.rows, CountArgument(arguments, "rows", 8));
  BRAID_TRY_ASSIGN(settings.buckets, CountArgument(arguments, "buckets", 4));
  BRAID_TRY_ASSIGN(settings.has_job, arguments.GetBool("job", true));
  if (const auto memory = arguments.Find("job_memory"))
    settings.job_options = fmt::format("SET 'memory' = '{}'; ", *memory);
  Measurement measurement{.seconds = {}, .rows = settings.rows};
  measurement.detail = {
      {"row_bytes", settings.row_bytes}, {"buckets", settings.buckets}, {"file_format", settings.file_format}};
  BRAID_TRY(Bench(settings, measurement).Run());
  return measurement;
}

}  // namespace
}  // namespace braid

int main(int argc, char** argv) {
  return braid::RunBenchmark(argc, argv,
                             {.case_name = "B11",
                              .usage = "binary=PATH warehouse=DIR [file_format=parquet|orc|avro] [row_bytes=N] [rows=N] "
                                       "[buckets=N] [job=false] [job_memory=SIZE]",
                              .keys = {"binary", "warehouse", "file_format", "row_bytes", "rows", "buckets", "job", "job_memory"},
                              .run = braid::Run});
}
