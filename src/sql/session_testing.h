#pragma once

// Statements in, texts out, over a warehouse of its own; include only from tests.

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/record_batch.h>
#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "base/uuid.h"
#include "sql/session.h"

namespace braid {

/// A session with the catalog `c` of a warehouse that goes with the test, in batch mode and UTC.
class SessionTest : public testing::Test {
 protected:
  SessionTest() : folder_(std::filesystem::temp_directory_path() / ("braid-session-" + RandomUuid())) {
    std::filesystem::create_directories(folder_);
    Restart({});
  }
  ~SessionTest() override {
    std::error_code ignored;
    session_.reset();
    std::filesystem::remove_all(folder_, ignored);
  }

  void Restart(SessionSettings settings) {
    session_ = std::make_unique<Session>(std::move(settings));
    ASSERT_THAT(Run("CREATE CATALOG c WITH ('type' = 'paimon', 'warehouse' = '" + warehouse() + "')"), IsOk());
    for (const char* statement :
         {"USE CATALOG c", "SET 'execution.runtime-mode' = 'batch'", "SET 'table.local-time-zone' = 'UTC'"}) {
      ASSERT_THAT(Run(statement), IsOk());
    }
  }

  std::string warehouse() const { return (folder_ / "wh").string(); }
  Session& session() { return *session_; }

  /// Rows as "1|a|<NULL>", as the client shows values; "" alone rows of statements without any.
  Result<std::vector<std::string>> Run(std::string_view statement) {
    BRAID_TRY_ASSIGN(StatementResult result, session_->Execute(statement));
    notices_ = result.notices;
    columns_.clear();
    for (const QueryColumn& column : result.columns)
      columns_.push_back(column.name + " " + SummaryTypeText(column.type));
    std::vector<std::string> rows;
    if (result.rows == nullptr) return rows;
    for (;;) {
      BRAID_TRY_ASSIGN(const std::optional<Batch> batch, result.rows->Next());
      if (!batch) return rows;
      for (std::int64_t row = 0; row < batch->row_count(); ++row) {
        std::string line;
        for (std::size_t i = 0; i < result.columns.size(); ++i) {
          const SqlType& type = result.columns[i].type;
          BRAID_TRY_ASSIGN(
              const std::string text,
              DisplayText(DatumAt(*batch->rows->column(static_cast<int>(i)), row, StorageType(type)), type, "UTC"));
          line += (i > 0 ? "|" : "") + text;
        }
        rows.push_back(std::move(line));
      }
    }
  }

  /// Of the last statement that succeeded.
  const std::vector<std::string>& columns() const { return columns_; }
  const std::vector<std::string>& notices() const { return notices_; }

 private:
  std::filesystem::path folder_;
  std::unique_ptr<Session> session_;
  std::vector<std::string> columns_;
  std::vector<std::string> notices_;
};

}  // namespace braid
