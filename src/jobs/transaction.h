#pragma once

#include <utility>

#include "base/result.h"
#include "duck/engine.h"

namespace braid {

/// A transaction of the state file's database; what was not committed is rolled back. One thread.
class Transaction {
 public:
  static Result<Transaction> Begin(DuckConnection& connection) {
    BRAID_TRY(connection.Execute("BEGIN"));
    return Transaction(connection);
  }
  ~Transaction() {
    // A connection whose rollback fails is of no further use, and the worker ends with the error that led here.
    if (connection_ != nullptr) static_cast<void>(connection_->Execute("ROLLBACK"));
  }
  Transaction(Transaction&& other) noexcept : connection_(std::exchange(other.connection_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  Status Commit() { return std::exchange(connection_, nullptr)->Execute("COMMIT"); }

 private:
  explicit Transaction(DuckConnection& connection) : connection_(&connection) {}
  DuckConnection* connection_;
};

}  // namespace braid
