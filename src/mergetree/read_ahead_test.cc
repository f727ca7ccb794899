#include "mergetree/read_ahead.h"

#include <atomic>
#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <arrow/record_batch.h>
#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "base/thread_pool.h"
#include "types/batch_bytes.h"
#include "types/data_type.h"

namespace braid {
namespace {

Batch BatchOf(const std::string& text) {
  const std::vector<DataField> fields = {{FieldId(0), "text", DataType::String(), std::nullopt, std::nullopt}};
  const std::vector<DatumList> rows = {{Datum(text)}};
  return MakeBatch(fields, rows).value();
}

std::string TextOf(const Batch& batch) {
  return DatumAt(*batch.rows->column(0), 0, DataType::String()).as_string();
}

// A run of some texts, each of a level of its own; "!" is an error. Notes what is done to it.
class ScriptedRun : public RunReader {
 public:
  struct Log {
    std::atomic<int> read = 0;
    std::atomic<int> inside = 0;
    std::atomic<bool> crowded = false;
    std::atomic<bool> gone = false;
  };

  ScriptedRun(std::vector<std::string> texts, std::shared_ptr<Log> log)
      : texts_(std::move(texts)), log_(std::move(log)) {}
  ~ScriptedRun() override { log_->gone = true; }

  Result<std::optional<Batch>> Next() override {
    if (++log_->inside > 1) log_->crowded = true;
    std::this_thread::yield();
    Result<std::optional<Batch>> batch = std::optional<Batch>();
    if (next_ < texts_.size()) {
      const std::string& text = texts_[next_++];
      ++log_->read;
      if (text == "!") {
        batch = Error(ErrorCode::kCorruption, "damaged");
      } else {
        batch = std::optional(BatchOf(text));
      }
    }
    --log_->inside;
    return batch;
  }
  BatchOrigin origin() const override { return {.level = static_cast<int>(next_)}; }

 private:
  std::vector<std::string> texts_;
  std::shared_ptr<Log> log_;
  std::size_t next_ = 0;
};

class ReadAheadTest : public testing::Test {
 protected:
  std::unique_ptr<RunReader> Run(std::vector<std::string> texts) {
    return ReadAhead(std::unique_ptr<RunReader>(std::make_unique<ScriptedRun>(std::move(texts), log_)));
  }

  // Returns when every thread of the pool has come to its end of what was asked for before.
  static void WaitForThePool() {
    const int threads = CpuPool().thread_count();
    // Shared: the threads may look at it after the wait is over.
    const auto all = std::make_shared<std::latch>(threads);
    for (int i = 0; i < threads; ++i) CpuPool().Submit([all] { all->arrive_and_wait(); });
    all->wait();
  }

  std::shared_ptr<ScriptedRun::Log> log_ = std::make_shared<ScriptedRun::Log>();
};

TEST_F(ReadAheadTest, YieldsAllBatchesInOrderWithTheirOrigins) {
  std::vector<std::string> texts;
  for (int i = 0; i < 500; ++i) texts.push_back(std::to_string(i));
  const auto run = Run(texts);
  for (int i = 0; i < 500; ++i) {
    BRAID_ASSERT_OK_AND_ASSIGN(const std::optional<Batch> batch, run->Next());
    ASSERT_TRUE(batch);
    EXPECT_EQ(TextOf(*batch), std::to_string(i));
    EXPECT_EQ(run->origin().level, i + 1);
  }
  for (int i = 0; i < 2; ++i) {
    BRAID_ASSERT_OK_AND_ASSIGN(const std::optional<Batch> end, run->Next());
    EXPECT_FALSE(end);
  }
  EXPECT_FALSE(log_->crowded);
}

TEST_F(ReadAheadTest, ReadsOneBatchWhileTheLastIsInUse) {
  const auto run = Run({"a", "b", "c"});
  EXPECT_EQ(log_->read, 0) << "nothing before it is asked for";
  ASSERT_THAT(run->Next(), IsOk());
  WaitForThePool();
  EXPECT_EQ(log_->read, 2);
  EXPECT_EQ(run->origin().level, 1) << "of the batch that Next returned";
}

TEST_F(ReadAheadTest, LeavesLongBatchesAlone) {
  const auto run = Run({"a", std::string(kMaxBatchBytes + 1, 'x'), "c"});
  ASSERT_THAT(run->Next(), IsOk());
  ASSERT_THAT(run->Next(), IsOk());
  WaitForThePool();
  EXPECT_EQ(log_->read, 2);
  BRAID_ASSERT_OK_AND_ASSIGN(const std::optional<Batch> batch, run->Next());
  EXPECT_EQ(TextOf(*batch), "c");
}

TEST_F(ReadAheadTest, PassesOnErrorsWhenTheirTurnComes) {
  const auto run = Run({"a", "!", "c"});
  EXPECT_THAT(run->Next(), IsOk());
  EXPECT_THAT(run->Next(), IsError(ErrorCode::kCorruption));
}

TEST_F(ReadAheadTest, LetsGoOfTheRunWhenItIsDestroyed) {
  for (int i = 0; i < 200; ++i) {
    log_ = std::make_shared<ScriptedRun::Log>();
    auto run = Run({"a", "b"});
    ASSERT_THAT(run->Next(), IsOk());
    run.reset();
    EXPECT_TRUE(log_->gone);
    EXPECT_EQ(log_->inside, 0);
  }
}

}  // namespace
}  // namespace braid
