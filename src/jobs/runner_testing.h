#pragma once

// A job's runner over a warehouse of its own, step by step; include only from tests.

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "connectors/connectors.h"
#include "jobs/epoch_runner.h"
#include "sql/lineage_observer.h"
#include "sql/session_testing.h"

namespace braid {

inline constexpr const char* kCount = "INSERT INTO counts SELECT word, COUNT(*) FROM words GROUP BY word";

/// The job `job1` in a folder of its own, run by the test's thread. `INSERT`s of the test run in batch.
class RunnerTest : public SessionTest {
 protected:
  RunnerTest() : base_(std::filesystem::path(warehouse()).parent_path()), folder_(base_.string() + "/job") {
    SessionSettings settings;
    settings.connectors = StandardConnectors();
    settings.observer = MakeLineageObserver();
    Restart(std::move(settings));
    EXPECT_THAT(folder_.Create(), IsOk());
  }

  /// The job as one that was just started, or with the same id as one that goes on after a crash.
  Result<std::unique_ptr<EpochRunner>> Open(const std::string& statement, const std::string& id = "1",
                                            StateRoad road = StateRoad::kContinue,
                                            WhenReplaced when_replaced = WhenReplaced::kVerify) {
    return OpenIn(folder_, "job1", statement, id, road, when_replaced);
  }

  Result<std::unique_ptr<EpochRunner>> OpenIn(const JobFolder& folder, const std::string& name,
                                              const std::string& statement, const std::string& id,
                                              StateRoad road = StateRoad::kContinue,
                                              WhenReplaced when_replaced = WhenReplaced::kVerify) {
    BRAID_TRY_ASSIGN(JobPlan plan, session().PlanJob(statement));
    plan.name = name;
    JobRecord record;
    record.id = id;
    record.name = name;
    record.road = road;
    return EpochRunner::Open({.folder = folder,
                              .record = record,
                              .plan = std::move(plan),
                              .threads = 2,
                              .memory_limit_bytes = std::int64_t{256} << 20,
                              .when_replaced = when_replaced,
                              .clock = clock_});
  }

  /// Runs epochs until nothing is left to read. How many ran.
  static Result<int> CatchUp(EpochRunner& runner) {
    for (int epochs = 0;; ++epochs) {
      BRAID_TRY_ASSIGN(const EpochRunner::Outcome outcome, runner.Run());
      if (outcome != EpochRunner::Outcome::kRan) return epochs;
    }
  }

  std::vector<std::string> Rows(const std::string& query) {
    auto rows = Run(query);
    EXPECT_THAT(rows, IsOk());
    return rows ? *rows : std::vector<std::string>();
  }

  void MakeWords() {
    ASSERT_THAT(Run("CREATE TABLE words (word STRING)"), IsOk());
    ASSERT_THAT(Run("CREATE TABLE counts (word STRING PRIMARY KEY NOT ENFORCED, cnt BIGINT) WITH ('bucket' = '1')"),
                IsOk());
    ASSERT_THAT(Run("INSERT INTO words VALUES ('a'), ('b'), ('a')"), IsOk());
  }

  const Clock* clock_ = &SystemClock();  ///< of runners that are opened
  std::filesystem::path base_;
  JobFolder folder_;
};

}  // namespace braid
