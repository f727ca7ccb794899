// 'format' = 'csv', with Flink's options and Flink's choice of what is quoted (that of Jackson's CsvMapper).

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "base/long_text.h"
#include "base/text.h"
#include "connectors/row_format_internal.h"
#include "types/cast.h"
#include "types/utf8.h"

namespace braid {

namespace {

// Jackson looks for characters to quote in texts up to this length and quotes longer ones always.
constexpr std::size_t kLongestUnquoted = 24;

struct CsvSettings {
  std::vector<DataField> fields;
  char delimiter = ',';
  std::optional<char> quote = '"';
  std::optional<char> escape;
  std::string element_delimiter = ";";
  std::optional<std::string> null_literal;
  bool allow_comments = false;
  bool ignore_errors = false;
};

/// The fields of a record without quotes and escapes, each moved to the front of where it was.
Result<std::vector<std::span<char>>> SplitInPlace(std::span<char> record, const CsvSettings& settings) {
  std::vector<std::span<char>> fields;
  std::size_t start = 0;  // of the field
  std::size_t end = 0;    // of what it has so far
  bool was_quoted = false;
  bool inside = false;
  const auto append = [&](char c) { record[end++] = c; };
  for (std::size_t i = 0; i < record.size(); ++i) {
    const char c = record[i];
    if (settings.escape && c == *settings.escape && i + 1 < record.size()) {
      append(record[++i]);
    } else if (inside) {
      if (c != *settings.quote) {
        append(c);
      } else if (i + 1 < record.size() && record[i + 1] == c) {
        append(c);
        ++i;
      } else {
        inside = false;
      }
    } else if (settings.quote && c == *settings.quote && start == end && !was_quoted) {
      inside = true;
      was_quoted = true;
    } else if (c == settings.delimiter) {
      fields.push_back(record.subspan(start, end - start));
      start = end = i + 1;
      was_quoted = false;
    } else {
      append(c);
    }
  }
  if (inside) return Error(ErrorCode::kInvalidArgument, "a quoted field does not end");
  fields.push_back(record.subspan(start, end - start));
  return fields;
}

std::string_view ViewOf(std::span<char> text) {
  return {text.data(), text.size()};
}

Error NoBase64(std::string_view text) {
  return {ErrorCode::kInvalidArgument, fmt::format("'{}' is no Base64", Excerpt(text))};
}

Result<Datum> FieldValue(std::string_view text, const DataType& type, const CsvSettings& settings) {
  if (type.is_text()) return Datum(IsUtf8(text) ? std::string(text) : RepairUtf8(text));
  if (type.is_bytes()) {
    std::optional<std::string> bytes = DecodeBase64(text);
    if (!bytes) return NoBase64(text);
    return Datum(*std::move(bytes));
  }
  if (type.kind() == TypeKind::kArray) {
    DatumList elements;
    std::string_view rest = text;
    while (!text.empty()) {
      const std::size_t end = rest.find(settings.element_delimiter);
      BRAID_TRY_ASSIGN(Datum element, FieldValue(rest.substr(0, end), type.element(), settings));
      elements.push_back(std::move(element));
      if (end == std::string_view::npos) break;
      rest.remove_prefix(end + settings.element_delimiter.size());
    }
    return Datum(std::move(elements));
  }
  std::string_view trimmed = Trim(text);
  if (type.kind() == TypeKind::kBoolean) return Datum(EqualsIgnoreCase(trimmed, "true"));
  if (type.kind() == TypeKind::kTimestampLtz && trimmed.ends_with('Z')) trimmed.remove_suffix(1);
  return ParseDatum(trimmed, type);
}

class CsvDecoder : public RecordDecoder {
 public:
  explicit CsvDecoder(std::shared_ptr<const CsvSettings> settings)
      : settings_(std::move(settings)), rows_(settings_->fields) {}

  Status Add(std::span<char> bytes) override {
    DatumList row(settings_->fields.size());
    const Result<bool> found = Decode(bytes, [&](std::size_t i, std::span<char> text) -> Status {
      BRAID_TRY_ASSIGN(row[i], FieldValue(ViewOf(text), settings_->fields[i].type.Nullable(), *settings_));
      return Ok();
    });
    if (!found) return found.error();
    if (*found) rows_.Add(std::move(row));
    return Ok();
  }

  Result<std::optional<Batch>> DecodeLong(const std::shared_ptr<arrow::Buffer>& record) override {
    LongRow row(settings_->fields, record);
    BRAID_TRY_ASSIGN(const bool found, Decode(row.record(), [&](std::size_t i, std::span<char> text) {
                       return SetField(i, text, row);
                     }));
    if (!found) return std::optional<Batch>();
    BRAID_TRY_ASSIGN(Batch batch, row.Finish());
    return std::optional(std::move(batch));
  }

  std::int64_t row_count() const override { return rows_.row_count(); }
  Result<Batch> Finish() override { return rows_.Finish(); }

 private:
  /// Gives the fields of a record that are not NULL to `set`; false if the record is left out.
  template <typename Set>
  Result<bool> Decode(std::span<char> bytes, Set set) const {
    const std::span<char> record = bytes.first(WithoutLineEnd(bytes).size());
    if (record.empty() || (settings_->allow_comments && record[0] == '#')) return false;
    const Status fields = SetFields(record, set);
    if (!fields && !settings_->ignore_errors) return fields.error();
    return fields.has_value();
  }

  template <typename Set>
  Status SetFields(std::span<char> record, Set& set) const {
    BRAID_TRY_ASSIGN(const std::vector<std::span<char>> texts, SplitInPlace(record, *settings_));
    const std::vector<DataField>& fields = settings_->fields;
    if (texts.size() != fields.size() && !settings_->ignore_errors) {
      return Error(ErrorCode::kInvalidArgument,
                   fmt::format("the record has {} fields and the table {}", texts.size(), fields.size()))
          .Hint("'csv.ignore-parse-errors' = 'true' leaves such records out");
    }
    for (std::size_t i = 0; i < std::min(texts.size(), fields.size()); ++i) {
      if (settings_->null_literal && ViewOf(texts[i]) == *settings_->null_literal) continue;
      Status value = set(i, texts[i]);
      if (!value && !settings_->ignore_errors) {
        return std::move(value)
            .error()
            .Context(fmt::format("while reading column '{}'", fields[i].name))
            .Hint("'csv.ignore-parse-errors' = 'true' takes NULL for it");
      }
    }
    return Ok();
  }

  Status SetField(std::size_t field, std::span<char> text, LongRow& row) const {
    const DataType& type = settings_->fields[field].type;
    if (type.is_bytes()) {
      const std::optional<std::string_view> bytes = DecodeBase64InPlace(text);
      if (!bytes) return NoBase64(ViewOf(text));
      row.SetBytes(field, *bytes);
      return Ok();
    }
    if (type.is_text() && IsUtf8(ViewOf(text))) {
      row.SetBytes(field, ViewOf(text));
      return Ok();
    }
    BRAID_TRY_ASSIGN(const Datum value, FieldValue(ViewOf(text), type.Nullable(), *settings_));
    return row.Set(field, value);
  }

  std::shared_ptr<const CsvSettings> settings_;
  RowBuffer rows_;
};

class CsvFormat : public RowFormat {
 public:
  explicit CsvFormat(CsvSettings settings) : settings_(std::make_shared<CsvSettings>(std::move(settings))) {}

  std::string_view extension() const override { return "csv"; }

  std::size_t RecordEnd(std::string_view text, RecordSearch& search) const override {
    if (!settings_->quote) return RowFormat::RecordEnd(text, search);
    using Place = RecordSearch::Place;
    const char quote = *settings_->quote;
    std::size_t i = search.next;
    for (; i < text.size(); ++i) {
      const char c = text[i];
      if (c == '\n') ++search.line_feeds;
      if (settings_->escape && c == *settings_->escape) {
        ++i;
        if (search.place != Place::kQuotes) search.place = Place::kField;
      } else if (search.place == Place::kQuotes) {
        if (c == quote) search.place = Place::kQuotesEnd;
      } else if (c == '\n') {
        return i + 1;
      } else if (c == quote && search.place != Place::kField) {
        // At the beginning of a field, or doubled.
        if (search.place == Place::kFieldStart) search.lines_before_quote = search.line_feeds;
        search.place = Place::kQuotes;
      } else {
        search.place = c == settings_->delimiter ? Place::kFieldStart : Place::kField;
      }
    }
    search.next = i;
    return std::string_view::npos;
  }

  std::unique_ptr<RecordDecoder> MakeDecoder() const override { return std::make_unique<CsvDecoder>(settings_); }

  Status Encode(const Batch& batch, std::string& out) const override {
    for (std::int64_t row = 0; row < batch.row_count(); ++row) {
      for (std::size_t i = 0; i < settings_->fields.size(); ++i) {
        if (i > 0) out += settings_->delimiter;
        const DataType& type = settings_->fields[i].type;
        const arrow::Array& column = *batch.rows->column(static_cast<int>(i));
        if (type.is_text() && column.IsValid(row)) {
          AppendText(BytesAt(column, row), out);
        } else if (type.is_bytes() && column.IsValid(row)) {
          AppendBytes(BytesAt(column, row), out);
        } else {
          BRAID_TRY(AppendField(DatumAt(column, row, type), type, out));
        }
      }
      out += '\n';
    }
    return Ok();
  }

 private:
  Status AppendField(const Datum& value, const DataType& type, std::string& out) const {
    if (value.is_null()) {
      out += settings_->null_literal.value_or("");
      return Ok();
    }
    std::string text;
    if (type.kind() == TypeKind::kArray) {
      for (const Datum& element : value.as_list()) {
        if (!text.empty()) text += settings_->element_delimiter;
        text += element.is_null() ? settings_->null_literal.value_or("") : ValueText(element, type.element());
      }
    } else {
      text = ValueText(value, type);
    }
    if (type.is_numeric() || type.kind() == TypeKind::kBoolean) {
      out += text;
    } else {
      AppendText(text, out);
    }
    return Ok();
  }

  void AppendText(std::string_view text, std::string& out) const {
    if (NeedsQuotes(text)) {
      AppendQuoted(text, out);
    } else {
      out += text;
    }
  }

  void AppendBytes(std::string_view bytes, std::string& out) const {
    // Longer ones are quoted for their length, and mostly hold nothing that is written twice.
    if (bytes.size() <= kLongestUnquoted || !settings_->quote || IsBase64Character(*settings_->quote) ||
        (settings_->escape && IsBase64Character(*settings_->escape))) {
      return AppendText(Base64(bytes), out);
    }
    ReserveForLong(bytes.size() / 3 * 4 + 8, out);
    out += *settings_->quote;
    AppendBase64(bytes, out);
    out += *settings_->quote;
  }

  static std::string ValueText(const Datum& value, const DataType& type) {
    if (type.is_text()) return value.as_string();
    if (type.is_bytes()) return Base64(value.as_string());
    std::string text = FormatDatum(value, type);
    if (type.kind() == TypeKind::kTimestampLtz) text += 'Z';
    return text;
  }

  static bool IsBase64Character(char c) { return c == '=' || DecodeBase64(std::string(2, c)).has_value(); }

  static std::string Base64(std::string_view bytes) {
    std::string text;
    AppendBase64(bytes, text);
    return text;
  }

  bool NeedsQuotes(std::string_view text) const {
    if (!settings_->quote) return false;
    if (text.size() > kLongestUnquoted) return true;
    const auto limit = static_cast<unsigned char>(std::max({settings_->delimiter, *settings_->quote, '\r', '\n'}));
    return std::any_of(text.begin(), text.end(), [&](char c) {
      return static_cast<unsigned char>(c) <= limit || (settings_->escape && c == *settings_->escape);
    });
  }

  void AppendQuoted(std::string_view text, std::string& out) const {
    ReserveForLong(text.size() + static_cast<std::size_t>(std::ranges::count(text, *settings_->quote)) + 2, out);
    out += *settings_->quote;
    for (const char c : text) {
      if (settings_->escape && (c == *settings_->quote || c == *settings_->escape)) {
        out += *settings_->escape;
      } else if (c == *settings_->quote) {
        out += c;
      }
      out += c;
    }
    out += *settings_->quote;
  }

  std::shared_ptr<const CsvSettings> settings_;
};

Result<char> OneCharacter(const Options& options, std::string_view key, char fallback) {
  const auto text = options.Find(key);
  if (!text) return fallback;
  if (*text == "\\t") return '\t';
  if (text->size() == 1) return text->front();
  return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' = '{}' is no single character", key, *text));
}

bool IsCsvType(const DataType& type) {
  if (type.kind() == TypeKind::kArray) return IsCsvType(type.element()) && type.element().kind() != TypeKind::kArray;
  return !type.is_nested() && type.kind() != TypeKind::kVariant;
}

}  // namespace

Result<std::shared_ptr<const RowFormat>> MakeCsvFormat(const RowFormatSettings& settings) {
  const Options& options = settings.options;
  BRAID_TRY(CheckFormatOptions("csv", options,
                               {"field-delimiter", "disable-quote-character", "quote-character", "allow-comments",
                                "ignore-parse-errors", "array-element-delimiter", "escape-character", "null-literal"}));
  CsvSettings csv{
      .fields = settings.fields, .quote = '"', .escape = {}, .null_literal = options.Find("csv.null-literal")};
  for (const DataField& field : csv.fields) {
    if (IsCsvType(field.type)) continue;
    return Error(ErrorCode::kUnsupported, fmt::format("the format 'csv' has no values of column '{}' of type {}",
                                                      field.name, field.type.ToString()))
        .Hint("the format 'json' does");
  }
  BRAID_TRY_ASSIGN(csv.delimiter, OneCharacter(options, "csv.field-delimiter", ','));
  BRAID_TRY_ASSIGN(const char quote, OneCharacter(options, "csv.quote-character", '"'));
  BRAID_TRY_ASSIGN(const bool no_quote, options.GetBool("csv.disable-quote-character", false));
  if (no_quote) {
    csv.quote.reset();
  } else {
    csv.quote = quote;
  }
  if (options.Has("csv.escape-character")) {
    BRAID_TRY_ASSIGN(csv.escape, OneCharacter(options, "csv.escape-character", '\\'));
  }
  csv.element_delimiter = options.Get("csv.array-element-delimiter", ";");
  if (csv.element_delimiter.empty())
    return Error(ErrorCode::kInvalidArgument, "'csv.array-element-delimiter' is empty");
  BRAID_TRY_ASSIGN(csv.allow_comments, options.GetBool("csv.allow-comments", false));
  BRAID_TRY_ASSIGN(csv.ignore_errors, options.GetBool("csv.ignore-parse-errors", false));
  return std::shared_ptr<const RowFormat>(new CsvFormat(std::move(csv)));
}

}  // namespace braid
