#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/json.h"
#include "base/options.h"
#include "base/result.h"

namespace braid {

/// What one run of a benchmark found.
struct Measurement {
  std::vector<double> seconds;           ///< of the repetitions that count, in their order; at least one
  std::vector<double> cpu_seconds = {};  ///< processor time of each, of all threads; none if it was not taken
  std::int64_t rows = 0;                 ///< the work of one repetition
  Json::Object detail = {};              ///< settings and further findings, in the order in which they are printed
};

/// A benchmark: a program that is given words KEY=VALUE and prints one line of JSON.
struct Benchmark {
  std::string_view case_name;          ///< as in docs/benchmarks.md, e.g. "B3"; `case=…` prints another
  std::string_view usage;              ///< what stands behind the program's name: the keys with their values
  std::vector<std::string_view> keys;  ///< those that it knows, besides `size` and `case`
  std::function<Result<Measurement>(const Options&)> run;
};

/// The main function of a benchmark. Prints on standard output
///
///   {"peer":"braid","version","case","size","seconds","rows","rows_per_s","peak_rss_mb","detail":{…}}
///
/// `seconds` is the median of the repetitions; `detail` begins with first_s, min_s, max_s and runs, then cpu_s, the
/// median of the repetitions' processor time, and process_s and process_cpu_s, those of this process so far. What is
/// not supported (kUnsupported) gives {"peer","version","case","size","unsupported":"…"}. Returns the exit code: 0; 2
/// for wrong arguments; 1 if the benchmark failed. Errors go to standard error.
int RunBenchmark(int argc, char** argv, const Benchmark& benchmark);

/// Runs a program, found by its path, without its output to the end. Errors: kIo if it cannot be run, kInternal if it
/// fails.
/// `process`, if it is given, is set once the program runs, for other threads to look at.
Status RunProgram(std::vector<std::string> words, std::atomic<pid_t>* process = nullptr);

/// User and system time of this process (RUSAGE_SELF) or of those that it has waited for (RUSAGE_CHILDREN), in seconds.
double CpuSeconds(int who);
/// Seconds that a call took by the clock.
Result<double> Seconds(const std::function<Status()>& body);
/// Runs the body `runs` times and adds what each took to the measurement.
Status Repeat(std::int64_t runs, const std::function<Status()>& body, Measurement& measurement);
/// The same; the first run is cold and gives cold_s of the details, unless it is the only one.
Status RepeatWarm(std::int64_t runs, const std::function<Status()>& body, Measurement& measurement);
/// p50_ms, p99_ms and max_ms of many short times; null of none.
Json Quantiles(std::vector<double> seconds);

/// A number that must be at least 1. Errors: kInvalidArgument.
Result<std::int64_t> CountArgument(const Options& arguments, std::string_view key, std::int64_t fallback);
/// A word of a list; the first of it if the key is not given. Errors: kInvalidArgument naming the list.
Result<std::string> WordArgument(const Options& arguments, std::string_view key,
                                 const std::vector<std::string_view>& words);
/// Errors: kInvalidArgument if it is not given.
Result<std::string> RequiredArgument(const Options& arguments, std::string_view key);

}  // namespace braid
