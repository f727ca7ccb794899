// Results for programs: JSON lines, CSV, and one JSON line a statement.

#include "cli/result_printer.h"

#include <optional>
#include <string_view>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "base/json.h"
#include "base/long_text.h"
#include "cli/text_output.h"
#include "types/row_kind.h"
#include "types/utf8.h"

namespace braid {

namespace {

void AppendJsonCell(const Batch& batch, std::int64_t row, std::size_t column, const SqlType& type, std::string& out) {
  AppendJsonValue(*batch.rows->column(static_cast<int>(column)), row, type, out);
}

/// A value of STRING where it lies; nullopt for all others.
std::optional<std::string_view> TextAt(const Batch& batch, std::int64_t row, std::size_t column) {
  const arrow::Array& values = *batch.rows->column(static_cast<int>(column));
  if (values.type_id() != arrow::Type::STRING || values.IsNull(row)) return std::nullopt;
  return static_cast<const arrow::StringArray&>(values).GetView(row);
}

// Calls `append(batch, row)`, which adds to the output's text, for every row.
template <typename AppendRow>
Status WriteRows(StatementResult& result, TextOutput& out, const AppendRow& append) {
  for (;;) {
    BRAID_TRY_ASSIGN(const std::optional<Batch> batch, result.rows->Next());
    if (!batch) break;
    for (std::int64_t row = 0; row < batch->row_count(); ++row) {
      if (Status appended = append(*batch, row); !appended) {
        out.text().clear();  // half a row
        return appended;
      }
      BRAID_TRY(out.WriteLong());
    }
    BRAID_TRY(out.Write());
  }
  out.Flush();
  return Ok();
}

class JsonLinesPrinter : public ResultPrinter {
 public:
  explicit JsonLinesPrinter(std::FILE* out) : out_(out) {}

  Status Print(StatementResult& result, const Session&) override {
    if (result.rows == nullptr) return Ok();
    std::string& text = out_.text();
    return WriteRows(result, out_, [&](const Batch& batch, std::int64_t row) -> Status {
      text += '{';
      for (std::size_t i = 0; i < result.columns.size(); ++i) {
        if (i > 0) text += ',';
        AppendJsonString(result.columns[i].name, text);
        text += ':';
        const std::optional<std::string_view> value = TextAt(batch, row, i);
        if (value && TextOutput::IsLong(*value) && IsUtf8(*value)) {
          text += '"';
          BRAID_TRY(out_.AppendPieces(*value, AppendJsonCharacters));
          text += '"';
        } else {
          AppendJsonCell(batch, row, i, result.columns[i].type, text);
        }
      }
      text += "}\n";
      return Ok();
    });
  }

 private:
  TextOutput out_;
};

class CsvPrinter : public ResultPrinter {
 public:
  explicit CsvPrinter(std::FILE* out) : out_(out) {}

  Status Print(StatementResult& result, const Session& session) override {
    if (result.rows == nullptr) return Ok();
    std::string& text = out_.text();
    for (const QueryColumn& column : result.columns) BRAID_TRY(AppendField(column.name));
    text.back() = '\n';
    BRAID_TRY(out_.Write());
    const std::string zone = session.time_zone();
    return WriteRows(result, out_, [&](const Batch& batch, std::int64_t row) -> Status {
      for (std::size_t i = 0; i < result.columns.size(); ++i) {
        const arrow::Array& column = *batch.rows->column(static_cast<int>(i));
        if (column.IsNull(row)) {
          text += ',';
          continue;
        }
        if (const std::optional<std::string_view> field = TextAt(batch, row, i)) {
          BRAID_TRY(AppendField(*field));
          continue;
        }
        BRAID_TRY_ASSIGN(const std::string field, DisplayText(column, row, result.columns[i].type, zone));
        BRAID_TRY(AppendField(field));
      }
      text.back() = '\n';
      return Ok();
    });
  }

 private:
  Status AppendField(std::string_view field) {
    // An empty text is quoted, since NULL is nothing at all.
    const bool is_quoted = field.empty() || field.find_first_of(",\"\r\n") != std::string_view::npos;
    std::string& text = out_.text();
    if (is_quoted) text += '"';
    BRAID_TRY(out_.AppendPieces(field, [&](std::string_view piece, std::string& out) {
      if (!is_quoted) {
        out += piece;
        return;
      }
      for (const char c : piece) {
        if (c == '"') out += c;
        out += c;
      }
    }));
    text += is_quoted ? "\"," : ",";
    return Ok();
  }

  TextOutput out_;
};

// The form of the Flink oracle, which tests compare with.
class StatementsPrinter : public ResultPrinter {
 public:
  explicit StatementsPrinter(std::FILE* out) : out_(out) {}

  Status Print(StatementResult& result, const Session&) override {
    std::string& line = out_.text();
    line += fmt::format("{{\"stmt\":{},\"kind\":", number_ + 1);
    if (result.kind == StatementResult::Kind::kSubmitted) {
      line += "\"JOB\",\"job\":";
      AppendJsonString(result.job.id, line);
      line += ",\"name\":";
      AppendJsonString(result.job.name, line);
      line += "}\n";
    } else if (result.rows == nullptr) {
      line += "\"OK\"}\n";
    } else {
      Status appended = AppendResult(result, line);
      if (!appended) {
        line.clear();
        return appended;
      }
    }
    ++number_;
    return WriteLine();
  }

  bool prints_failures() const override { return true; }
  Status PrintFailure(const Error& error) override {
    std::string& line = out_.text();
    line += fmt::format("{{\"stmt\":{},\"kind\":\"ERROR\",\"error\":", ++number_);
    // What a library quotes need not be UTF-8.
    AppendJsonString(RepairUtf8(error.ToString()), line);
    if (!error.id().empty()) {
      line += ",\"id\":";
      AppendJsonString(error.id(), line);
    }
    line += "}\n";
    return WriteLine();
  }

 private:
  // The whole line first: a query may fail at its last row, and a statement gets one answer.
  static Status AppendResult(StatementResult& result, std::string& line) {
    line += "\"RESULT\",\"columns\":[";
    for (const QueryColumn& column : result.columns) {
      if (&column != &result.columns.front()) line += ',';
      line += "{\"name\":";
      AppendJsonString(column.name, line);
      line += ",\"type\":";
      AppendJsonString(SummaryTypeText(column.type), line);
      line += '}';
    }
    line += fmt::format("],\"ordered\":{},\"rows\":[", result.ordered);
    bool first = true;
    for (;;) {
      BRAID_TRY_ASSIGN(const std::optional<Batch> batch, result.rows->Next());
      if (!batch) break;
      for (std::int64_t row = 0; row < batch->row_count(); ++row) {
        line += fmt::format("{}{{\"kind\":\"{}\",\"row\":[", first ? "" : ",", RowKindName(batch->kind(row)));
        first = false;
        for (std::size_t i = 0; i < result.columns.size(); ++i) {
          if (i > 0) line += ',';
          AppendJsonCell(*batch, row, i, result.columns[i].type, line);
        }
        line += "]}";
      }
    }
    line += "]}\n";
    return Ok();
  }

  Status WriteLine() {
    BRAID_TRY(out_.Write());
    out_.Flush();
    return Ok();
  }

  TextOutput out_;
  int number_ = 0;
};

}  // namespace

Result<std::unique_ptr<ResultPrinter>> MakeResultPrinter(std::string_view form, std::FILE* out, bool chatty) {
  if (form == "tableau") return MakeTableauPrinter(out, chatty);
  if (form == "jsonl") return std::unique_ptr<ResultPrinter>(std::make_unique<JsonLinesPrinter>(out));
  if (form == "csv") return std::unique_ptr<ResultPrinter>(std::make_unique<CsvPrinter>(out));
  if (form == "statements") return std::unique_ptr<ResultPrinter>(std::make_unique<StatementsPrinter>(out));
  return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is no form of output", form))
      .Hint("it is tableau, jsonl, csv or statements");
}

}  // namespace braid
