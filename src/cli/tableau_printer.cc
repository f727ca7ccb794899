// Results in frames, as Flink's SQL client prints them in tableau mode.

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "base/text.h"
#include "cli/result_printer.h"

namespace braid {

namespace {

// Rows looked at to find the widths of columns; later ones are cut to these.
constexpr std::size_t kRowsForWidths = 10'000;

constexpr std::size_t kLongTextBytes = std::size_t{1} << 20;

using Row = std::vector<std::string>;

class Tableau {
 public:
  Tableau(std::FILE* out, const StatementResult& result, const Session& session)
      : out_(out),
        result_(result),
        zone_(session.time_zone()),
        is_query_(result.kind == StatementResult::Kind::kQuery) {
    widest_ =
        is_query_
            ? static_cast<std::size_t>(ParseInt64(session.Option("sql-client.display.max-column-width")).value_or(30))
            : std::string::npos;
  }

  Status Print(BatchReader& rows) {
    for (;;) {
      BRAID_TRY_ASSIGN(const std::optional<Batch> batch, rows.Next());
      if (!batch) break;
      for (std::int64_t row = 0; row < batch->row_count(); ++row) {
        BRAID_TRY_ASSIGN(Row texts, Texts(*batch, row));
        BRAID_TRY(Take(std::move(texts)));
      }
    }
    BRAID_TRY(Finish());
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - result_.started;
    const std::string time = is_query_ ? fmt::format(" ({:.2f} seconds)", seconds.count()) : "";
    if (count_ == 0) return Write(fmt::format("Empty set{}\n", time));
    return Write(fmt::format("{} row{} in set{}\n", count_, count_ == 1 ? "" : "s", time));
  }

 private:
  Result<Row> Texts(const Batch& batch, std::int64_t row) const {
    Row texts;
    for (std::size_t i = 0; i < result_.columns.size(); ++i) {
      const arrow::Array& column = *batch.rows->column(static_cast<int>(i));
      if (column.IsNull(row) && !is_query_) {
        texts.emplace_back();
        continue;
      }
      if (column.type_id() == arrow::Type::STRING && column.IsValid(row) && !IsShownWhole()) {
        // A long text is cut where it lies.
        const std::string_view text = static_cast<const arrow::StringArray&>(column).GetView(row);
        if (text.size() > kLongTextBytes) {
          texts.push_back(FitDisplayWidth(text, widest_));
          continue;
        }
      }
      BRAID_TRY_ASSIGN(std::string text, DisplayText(column, row, result_.columns[i].type, zone_));
      texts.push_back(std::move(text));
    }
    return texts;
  }

  /// Whether the next row may turn out to be shown as it is: the only text of a result.
  bool IsShownWhole() const { return !is_query_ || (count_ == 0 && result_.columns.size() == 1); }

  Status Take(Row row) {
    ++count_;
    if (!widths_.empty()) return Write(Line(row));
    // No more of them is shown. The first may yet turn out to be the only one, which is shown whole.
    if (is_query_ && !waiting_.empty()) CutToWidest(waiting_.back());
    waiting_.push_back(std::move(row));
    return waiting_.size() < kRowsForWidths ? Ok() : Begin();
  }

  void CutToWidest(Row& row) const {
    for (std::string& text : row) {
      if (text.size() > widest_) text = FitDisplayWidth(text, widest_);
    }
  }

  // Prints the head and the rows that waited for it.
  Status Begin() {
    for (const QueryColumn& column : result_.columns) widths_.push_back(DisplayWidth(column.name));
    for (const Row& row : waiting_) {
      for (std::size_t i = 0; i < row.size(); ++i) widths_[i] = std::max(widths_[i], DisplayWidth(row[i]));
    }
    Row names;
    for (const QueryColumn& column : result_.columns) names.push_back(column.name);
    for (std::size_t& width : widths_) width = std::min(width, widest_);
    BRAID_TRY(Write(Border() + Line(names) + Border()));
    for (const Row& row : waiting_) BRAID_TRY(Write(Line(row)));
    waiting_.clear();
    return Ok();
  }

  Status Finish() {
    if (count_ == 0) return Ok();
    // A page of text is read better without a frame.
    if (widths_.empty() && waiting_.size() == 1 && waiting_[0].size() == 1 &&
        waiting_[0][0].find('\n') != std::string::npos) {
      const std::string& text = waiting_[0][0];
      return Write(text + (text.back() == '\n' ? "" : "\n"));
    }
    if (widths_.empty()) BRAID_TRY(Begin());
    return Write(Border());
  }

  std::string Border() const {
    std::string line = "+";
    for (const std::size_t width : widths_) line += std::string(width + 2, '-') + "+";
    return line + "\n";
  }

  std::string Line(const Row& row) const {
    std::string line = "|";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string text = FitDisplayWidth(row[i], widths_[i]);
      line += " " + std::string(widths_[i] - DisplayWidth(text), ' ') + text + " |";
    }
    return line + "\n";
  }

  Status Write(const std::string& text) const {
    if (std::fwrite(text.data(), 1, text.size(), out_) == text.size()) return Ok();
    return Error(ErrorCode::kIo, "cannot write the result");
  }

  std::FILE* out_;
  const StatementResult& result_;  // outlives this, which prints one result
  std::string zone_;
  bool is_query_;
  std::size_t widest_ = 0;
  std::size_t count_ = 0;
  std::vector<std::size_t> widths_;  // empty until the head is printed
  std::vector<Row> waiting_;
};

constexpr const char* kHelp = R"(A statement ends with ';'. What there is:
  SELECT, INSERT INTO, INSERT OVERWRITE, EXECUTE STATEMENT SET, EXPLAIN
  CREATE / ALTER / DROP TABLE, CREATE TEMPORARY VIEW, TRUNCATE TABLE, CALL sys.…
  CREATE / USE / DROP CATALOG, CREATE / USE / DROP DATABASE
  SHOW CATALOGS | DATABASES | TABLES | VIEWS | FUNCTIONS | PROCEDURES | PARTITIONS t | COLUMNS FROM t | CREATE TABLE t
  DESCRIBE t, SET 'key' = 'value', RESET 'key', HELP, CLEAR, QUIT
)";

class TableauPrinter : public ResultPrinter {
 public:
  TableauPrinter(std::FILE* out, bool chatty) : out_(out), chatty_(chatty) {}

  Status Print(StatementResult& result, const Session& session) override {
    const Status printed = PrintResult(result, session);
    std::fflush(out_);
    return printed;
  }

 private:
  Status PrintResult(StatementResult& result, const Session& session) {
    switch (result.kind) {
      case StatementResult::Kind::kQuery:
      case StatementResult::Kind::kRows: return Tableau(out_, result, session).Print(*result.rows);
      case StatementResult::Kind::kWritten: {
        if (!chatty_) return Ok();
        for (const SinkResult& sink : result.sinks) fmt::print(out_, "{}\n", Describe(sink));
        return Ok();
      }
      case StatementResult::Kind::kSubmitted:
        fmt::print(out_, "[INFO] Job {} runs.\nJob ID: {}\n", result.job.name, result.job.id);
        return Ok();
      case StatementResult::Kind::kHelp: fmt::print(out_, "{}", kHelp); return Ok();
      case StatementResult::Kind::kClear: fmt::print(out_, "\x1b[H\x1b[2J"); return Ok();
      case StatementResult::Kind::kQuit: return Ok();
      case StatementResult::Kind::kDone:
        if (chatty_) fmt::print(out_, "[INFO] Execute statement succeeded.\n");
        return Ok();
    }
    return Ok();
  }

  static std::string Describe(const SinkResult& sink) {
    const std::string name = sink.catalog + "." + sink.identifier.ToString();
    if (sink.snapshots.empty()) return fmt::format("[INFO] {}: nothing to write", name);
    std::vector<std::string> ids;
    for (const Snapshot& snapshot : sink.snapshots) ids.push_back(fmt::format("{}", snapshot.id.value()));
    return fmt::format("[INFO] {}: snapshot {}", name, Join(ids, ", "));
  }

  std::FILE* out_;
  bool chatty_;
};

}  // namespace

std::unique_ptr<ResultPrinter> MakeTableauPrinter(std::FILE* out, bool chatty) {
  return std::make_unique<TableauPrinter>(out, chatty);
}

}  // namespace braid
