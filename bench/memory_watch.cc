#include "memory_watch.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace braid {

std::int64_t StatusMebibytes(std::string_view process, std::string_view name) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name)) return std::stoll(line.substr(name.size() + 1)) / 1024;
  }
  return 0;
}

namespace {

std::string FirstWord(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

}  // namespace

std::string WorkerOf(const std::string& state_directory) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(state_directory, ignored)) {
    if (entry.path().filename() != "supervisor") continue;
    const std::string supervisor = FirstWord(entry.path().string());
    return FirstWord(fmt::format("/proc/{0}/task/{0}/children", supervisor));
  }
  return {};
}

MemoryWatch::MemoryWatch(std::function<std::string()> process)
    : process_(std::move(process)), thread_([this](const std::stop_token& stop) { Watch(stop); }) {}

void MemoryWatch::Watch(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    if (const std::string process = process_(); !process.empty()) {
      own_ = std::max(own_.load(), StatusMebibytes(process, "RssAnon"));
      all_ = std::max(all_.load(), StatusMebibytes(process, "VmHWM"));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace braid
