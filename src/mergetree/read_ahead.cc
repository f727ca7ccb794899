#include "mergetree/read_ahead.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include <arrow/record_batch.h>

#include "base/thread_pool.h"
#include "types/batch_bytes.h"

namespace braid {
namespace {

/// What a run's last batch and its origin were.
struct ReadBatch {
  Result<std::optional<Batch>> batch;
  BatchOrigin origin{};
};

/// A run with its next batch on the way. Shared with the task that fetches it.
class PendingRun {
 public:
  explicit PendingRun(std::unique_ptr<RunReader> run) : run_(std::move(run)) {}

  /// Asks for the next batch. Only after Take.
  static void Request(const std::shared_ptr<PendingRun>& self) {
    {
      const std::lock_guard lock(self->mutex_);
      self->state_ = State::kRequested;
      if (std::exchange(self->in_queue_, true)) return;
    }
    CpuPool().Submit([self] { self->Fetch(); });
  }

  /// The next batch: the one that was asked for, or, if no thread has come to that yet, read here.
  ReadBatch Take() {
    std::unique_lock lock(mutex_);
    if (state_ == State::kFetching) fetched_.wait(lock, [this] { return state_ == State::kFetched; });
    const bool fetched = state_ == State::kFetched;
    state_ = State::kIdle;
    if (fetched) return *std::exchange(next_, std::nullopt);
    lock.unlock();
    return Read();
  }

  /// No thread reads the run any more.
  void Cancel() {
    std::unique_lock lock(mutex_);
    fetched_.wait(lock, [this] { return state_ != State::kFetching; });
    state_ = State::kIdle;
    run_.reset();
    next_.reset();
  }

 private:
  enum class State : std::uint8_t { kIdle, kRequested, kFetching, kFetched };

  void Fetch() {
    std::unique_lock lock(mutex_);
    in_queue_ = false;
    if (state_ != State::kRequested) return;  // the reader was faster, or is gone
    state_ = State::kFetching;
    lock.unlock();
    ReadBatch read = Read();
    lock.lock();
    next_ = std::move(read);
    state_ = State::kFetched;
    fetched_.notify_all();
  }

  ReadBatch Read() {
    ReadBatch read{.batch = run_->Next()};
    if (read.batch && *read.batch) read.origin = run_->origin();
    return read;
  }

  std::mutex mutex_;  // guards what follows but run_, which is the thread's that left kIdle or made it kFetching
  std::condition_variable fetched_;
  State state_ = State::kIdle;
  bool in_queue_ = false;  // a task that will look for a request
  std::optional<ReadBatch> next_;
  std::unique_ptr<RunReader> run_;
};

class ReadingAheadRun : public RunReader {
 public:
  explicit ReadingAheadRun(std::unique_ptr<RunReader> run) : pending_(std::make_shared<PendingRun>(std::move(run))) {}
  ~ReadingAheadRun() override { pending_->Cancel(); }

  Result<std::optional<Batch>> Next() override {
    ReadBatch read = pending_->Take();
    origin_ = read.origin;
    const bool more = read.batch && *read.batch;
    if (more && BytesOf(*(*read.batch)->rows).used <= kMaxBatchBytes) PendingRun::Request(pending_);
    return std::move(read.batch);
  }
  BatchOrigin origin() const override { return origin_; }

 private:
  std::shared_ptr<PendingRun> pending_;
  BatchOrigin origin_;
};

}  // namespace

std::unique_ptr<RunReader> ReadAhead(std::unique_ptr<RunReader> reader) {
  return std::make_unique<ReadingAheadRun>(std::move(reader));
}

std::unique_ptr<BatchReader> ReadAhead(std::unique_ptr<BatchReader> reader) {
  return std::make_unique<ReadingAheadRun>(MakeUnfiledRun(std::move(reader)));
}

}  // namespace braid
