#include "measurement.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"

namespace braid {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

const SteadyTime kProcessStart = std::chrono::steady_clock::now();

double SecondsSince(SteadyTime start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double Rounded(double seconds) {
  return std::round(seconds * 1e6) / 1e6;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// The largest resident size of this process or of one that it waited for.
std::int64_t PeakMebibytes() {
  std::int64_t peak_kib = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    peak_kib = std::max<std::int64_t>(peak_kib, usage.ru_maxrss);
  }
  return peak_kib / 1024;
}

Result<Options> ParseArguments(int argc, char** argv, const Benchmark& benchmark) {
  std::vector<std::string> keys(benchmark.keys.begin(), benchmark.keys.end());
  keys.insert(keys.end(), {"size", "case"});
  Options arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) {
      return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is not of the form KEY=VALUE", word));
    }
    const std::string key(word.substr(0, equals));
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      return Error(ErrorCode::kInvalidArgument, fmt::format("{} has no key '{}'", benchmark.case_name, key))
          .Hint("it knows " + Join(keys, ", "));
    }
    arguments.Set(key, std::string(word.substr(equals + 1)));
  }
  return arguments;
}

Json::Object LineStart(const Benchmark& benchmark, const Options& arguments, const std::string& size) {
  const std::string name = arguments.Get("case", benchmark.case_name);
  return {{"peer", "braid"}, {"version", BRAID_VERSION}, {"case", name}, {"size", size}};
}

Json LineOf(Json::Object line, Measurement measurement) {
  const std::vector<double>& seconds = measurement.seconds;
  const double median = Median(seconds);
  Json::Object detail = {{"first_s", Rounded(seconds.front())},
                         {"min_s", Rounded(*std::min_element(seconds.begin(), seconds.end()))},
                         {"max_s", Rounded(*std::max_element(seconds.begin(), seconds.end()))},
                         {"runs", static_cast<std::int64_t>(seconds.size())}};
  if (!measurement.cpu_seconds.empty()) detail.emplace_back("cpu_s", Rounded(Median(measurement.cpu_seconds)));
  detail.emplace_back("process_s", Rounded(SecondsSince(kProcessStart)));
  detail.emplace_back("process_cpu_s", Rounded(CpuSeconds(RUSAGE_SELF)));
  std::move(measurement.detail.begin(), measurement.detail.end(), std::back_inserter(detail));
  line.emplace_back("seconds", Rounded(median));
  line.emplace_back("rows", measurement.rows);
  const double rate = median > 0 ? static_cast<double>(measurement.rows) / median : 0;
  line.emplace_back("rows_per_s", std::int64_t{std::llround(rate)});
  line.emplace_back("peak_rss_mb", PeakMebibytes());
  line.emplace_back("detail", std::move(detail));
  return line;
}

}  // namespace

int RunBenchmark(int argc, char** argv, const Benchmark& benchmark) {
  const auto fail = [&](const Error& error) {
    const bool wrong_use = error.code() == ErrorCode::kInvalidArgument;
    fmt::print(stderr, "error: {}\n", error.ToString());
    if (wrong_use) fmt::print(stderr, "usage: {} {} [size=S|M|L]\n", argv[0], benchmark.usage);
    return wrong_use ? 2 : 1;
  };
  const Result<Options> arguments = ParseArguments(argc, argv, benchmark);
  if (!arguments) return fail(arguments.error());
  const Result<std::string> size = WordArgument(*arguments, "size", {"S", "M", "L"});
  if (!size) return fail(size.error());
  Result<Measurement> measurement = benchmark.run(*arguments);
  Json::Object line = LineStart(benchmark, *arguments, *size);
  if (measurement) {
    fmt::print("{}\n", PrintJson(LineOf(std::move(line), *std::move(measurement))));
    return 0;
  }
  if (measurement.error().code() != ErrorCode::kUnsupported) return fail(measurement.error());
  line.emplace_back("unsupported", measurement.error().message());
  fmt::print("{}\n", PrintJson(line));
  return 0;
}

Status RunProgram(std::vector<std::string> words, std::atomic<pid_t>* process) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failure = posix_spawn(&child, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) return Error(ErrorCode::kIo, fmt::format("cannot run {}: {}", words[0], std::strerror(failure)));
  if (process != nullptr) *process = child;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return Ok();
  return Error(ErrorCode::kInternal, fmt::format("{} failed", fmt::join(words, " ")));
}

double CpuSeconds(int who) {
  rusage usage{};
  getrusage(who, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Result<double> Seconds(const std::function<Status()>& body) {
  const SteadyTime start = std::chrono::steady_clock::now();
  BRAID_TRY(body());
  return SecondsSince(start);
}

Status Repeat(std::int64_t runs, const std::function<Status()>& body, Measurement& measurement) {
  for (std::int64_t run = 0; run < runs; ++run) {
    const double cpu_before = CpuSeconds(RUSAGE_SELF);
    BRAID_TRY_ASSIGN(const double seconds, Seconds(body));
    measurement.seconds.push_back(seconds);
    measurement.cpu_seconds.push_back(CpuSeconds(RUSAGE_SELF) - cpu_before);
  }
  return Ok();
}

Status RepeatWarm(std::int64_t runs, const std::function<Status()>& body, Measurement& measurement) {
  BRAID_TRY(Repeat(runs, body, measurement));
  if (measurement.seconds.size() == 1) return Ok();
  measurement.detail.emplace_back("cold_s", Rounded(measurement.seconds.front()));
  measurement.seconds.erase(measurement.seconds.begin());
  measurement.cpu_seconds.erase(measurement.cpu_seconds.begin());
  return Ok();
}

Json Quantiles(std::vector<double> seconds) {
  if (seconds.empty()) return nullptr;
  std::sort(seconds.begin(), seconds.end());
  const auto at = [&](double share) {
    const auto position = static_cast<std::size_t>(static_cast<double>(seconds.size()) * share);
    return Rounded(seconds[std::min(position, seconds.size() - 1)] * 1e3);
  };
  return Json::Object{{"p50_ms", at(0.5)}, {"p99_ms", at(0.99)}, {"max_ms", at(1)}};
}

Result<std::int64_t> CountArgument(const Options& arguments, std::string_view key, std::int64_t fallback) {
  BRAID_TRY_ASSIGN(const std::int64_t count, arguments.GetInt(key, fallback));
  if (count < 1) return Error(ErrorCode::kInvalidArgument, fmt::format("{}={} must be at least 1", key, count));
  return count;
}

Result<std::string> WordArgument(const Options& arguments, std::string_view key,
                                 const std::vector<std::string_view>& words) {
  std::string word = arguments.Get(key, words.front());
  if (std::find(words.begin(), words.end(), word) != words.end()) return word;
  return Error(ErrorCode::kInvalidArgument, fmt::format("{}={} is none of {}", key, word, fmt::join(words, ", ")));
}

Result<std::string> RequiredArgument(const Options& arguments, std::string_view key) {
  std::optional<std::string> value = arguments.Find(key);
  if (!value) return Error(ErrorCode::kInvalidArgument, fmt::format("{}=… is missing", key));
  return *std::move(value);
}

}  // namespace braid
