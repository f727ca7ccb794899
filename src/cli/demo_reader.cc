#include "cli/demo_reader.h"

#include <utility>

#include <fmt/format.h>

namespace braid {

namespace {

struct ReadTable {
  const char* name;
  const char* query;  // with the table's name to be put in
};
constexpr std::array kTablesRead = {
    ReadTable{.name = "word_table", .query = "SELECT word, COUNT(*) AS cnt FROM `{}` GROUP BY word ORDER BY word;\n"},
    ReadTable{.name = "word_count_table", .query = "SELECT word, cnt FROM `{}` ORDER BY word;\n"},
};

}  // namespace

Result<std::unique_ptr<DemoReader>> DemoReader::Start(const std::string& program, const std::string& branch) {
  BRAID_TRY_ASSIGN(
      auto process,
      ChildProcess::Start(program, {"sql", "--no-init", "--warehouse", "warehouse", "--output", "statements"},
                          ChildRole::kWorks));
  std::unique_ptr<DemoReader> reader(new DemoReader(std::move(process)));
  for (std::size_t table = 0; table < kTables; ++table) {
    BRAID_TRY_ASSIGN(reader->contents_[table].former, reader->Read(table, ""));
    BRAID_TRY_ASSIGN(reader->contents_[table].next, reader->Read(table, branch));
    if (reader->contents_[table].former == reader->contents_[table].next)
      return Error(ErrorCode::kInternal,
                   fmt::format("{} is the same on main and on {}", kTablesRead[table].name, branch));
  }
  reader->thread_ = std::jthread([self = reader.get()](const std::stop_token& stop) { self->Loop(stop); });
  return reader;
}

DemoReader::~DemoReader() = default;

// The rows as the process prints them; an empty branch: main.
Result<std::string> DemoReader::Read(std::size_t table, const std::string& branch) {
  const std::string name = kTablesRead[table].name + (branch.empty() ? "" : "$branch_" + branch);
  BRAID_TRY(process_->Write(fmt::format(fmt::runtime(kTablesRead[table].query), name)));
  const std::optional<std::string> answer = process_->ReadLine();
  // Before it stands only the number of the statement.
  const std::size_t begin = answer ? answer->find("\"columns\":") : std::string::npos;
  if (begin == std::string::npos)
    return Error(ErrorCode::kInternal, fmt::format("a read of {} failed: {}", name, answer.value_or("no answer")));
  return answer->substr(begin);
}

Status DemoReader::ReadOnce(std::size_t table) {
  BRAID_TRY_ASSIGN(const std::string rows, Read(table, ""));
  const bool is_new = rows == contents_[table].next;
  if (!is_new && (rows != contents_[table].former || is_new_[table]))
    return Error(ErrorCode::kInternal, fmt::format("a read of {} saw neither the former rows nor the new ones, or the "
                                                   "former ones after the new ones",
                                                   kTablesRead[table].name));
  is_new_[table] = is_new;
  const std::lock_guard lock(mutex_);
  ++(is_new ? reads_.of_new : reads_.of_former);
  return Ok();
}

void DemoReader::Loop(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    for (std::size_t table = 0; table < kTables; ++table) {
      Status read = ReadOnce(table);
      if (read) continue;
      const std::lock_guard lock(mutex_);
      failure_ = std::move(read).error();
      changed_.notify_all();
      return;
    }
    const std::lock_guard lock(mutex_);
    ++rounds_;
    changed_.notify_all();
  }
}

Status DemoReader::WaitForReads() {
  std::unique_lock lock(mutex_);
  const std::int64_t wanted = rounds_ + 2;  // the round that is under way may have begun before
  changed_.wait(lock, [&] { return rounds_ >= wanted || failure_; });
  return failure_ ? Status(*failure_) : Ok();
}

Result<DemoReads> DemoReader::Finish() {
  thread_.request_stop();
  thread_.join();
  const std::lock_guard lock(mutex_);
  if (failure_) return *failure_;
  return reads_;
}

}  // namespace braid
