#include "base/log.h"

#include <atomic>
#include <chrono>
#include <cstdio>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace braid {

namespace {

std::atomic<LogLevel> g_level{LogLevel::kWarning};

std::string_view LevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return "debug";
    case LogLevel::kInfo: return "info";
    case LogLevel::kWarning: return "warning";
    case LogLevel::kError: return "error";
  }
  return "error";
}

}  // namespace

void Log(LogLevel level, std::string_view event, std::string_view values) {
  if (level < g_level.load()) return;
  const auto now = std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
  const std::string line = fmt::format("{:%Y-%m-%dT%H:%M:%S}Z {} {}{}{}\n", fmt::gmtime(now), LevelName(level), event,
                                       values.empty() ? "" : " ", values);
  std::fwrite(line.data(), 1, line.size(), stderr);  // one call, so that lines of threads do not mix
}

void SetLogLevel(LogLevel level) { g_level = level; }

}  // namespace braid
