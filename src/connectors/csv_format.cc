// 'format' = 'csv', with Flink's options and Flink's choice of what is quoted (that of Jackson's CsvMapper).

#include <algorithm>
#include <optional>
#include <utility>

#include <arrow/record_batch.h>
#include <fmt/format.h>

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

// One field of a record.
struct CsvField {
  std::string text;
  bool quoted = false;
};

Result<std::vector<CsvField>> SplitRecord(std::string_view record, const CsvSettings& settings) {
  std::vector<CsvField> fields(1);
  bool inside = false;
  for (std::size_t i = 0; i < record.size(); ++i) {
    const char c = record[i];
    if (settings.escape && c == *settings.escape && i + 1 < record.size()) {
      fields.back().text += record[++i];
    } else if (inside) {
      if (c != *settings.quote) {
        fields.back().text += c;
      } else if (i + 1 < record.size() && record[i + 1] == c) {
        fields.back().text += c;
        ++i;
      } else {
        inside = false;
      }
    } else if (settings.quote && c == *settings.quote && fields.back().text.empty() && !fields.back().quoted) {
      inside = true;
      fields.back().quoted = true;
    } else if (c == settings.delimiter) {
      fields.emplace_back();
    } else {
      fields.back().text += c;
    }
  }
  if (inside) return Error(ErrorCode::kInvalidArgument, "a quoted field does not end");
  return fields;
}

Result<Datum> FieldValue(const std::string& text, const DataType& type, const CsvSettings& settings) {
  if (type.is_text()) return Datum(IsUtf8(text) ? text : RepairUtf8(text));
  if (type.is_bytes()) {
    std::optional<std::string> bytes = DecodeBase64(text);
    if (!bytes) return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is no Base64", text));
    return Datum(*std::move(bytes));
  }
  if (type.kind() == TypeKind::kArray) {
    DatumList elements;
    std::string_view rest = text;
    while (!text.empty()) {
      const std::size_t end = rest.find(settings.element_delimiter);
      BRAID_TRY_ASSIGN(Datum element, FieldValue(std::string(rest.substr(0, end)), type.element(), settings));
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

  Status Add(std::string_view record) override {
    if (record.ends_with('\n')) record.remove_suffix(1);
    if (record.ends_with('\r')) record.remove_suffix(1);
    if (record.empty() || (settings_->allow_comments && record.starts_with('#'))) return Ok();
    Result<DatumList> row = Decode(record);
    if (row) {
      rows_.Add(*std::move(row));
      return Ok();
    }
    if (settings_->ignore_errors) return Ok();
    return std::move(row).error();
  }

  std::int64_t row_count() const override { return rows_.row_count(); }
  Result<Batch> Finish() override { return rows_.Finish(); }

 private:
  Result<DatumList> Decode(std::string_view record) const {
    BRAID_TRY_ASSIGN(const std::vector<CsvField> texts, SplitRecord(record, *settings_));
    const std::vector<DataField>& fields = settings_->fields;
    if (texts.size() != fields.size() && !settings_->ignore_errors) {
      return Error(ErrorCode::kInvalidArgument,
                   fmt::format("the record has {} fields and the table {}", texts.size(), fields.size()))
          .Hint("'csv.ignore-parse-errors' = 'true' leaves such records out");
    }
    DatumList row(fields.size());
    for (std::size_t i = 0; i < std::min(texts.size(), fields.size()); ++i) {
      if (settings_->null_literal && texts[i].text == *settings_->null_literal) continue;
      Result<Datum> value = FieldValue(texts[i].text, fields[i].type.Nullable(), *settings_);
      if (value) {
        row[i] = *std::move(value);
      } else if (!settings_->ignore_errors) {
        return std::move(value)
            .error()
            .Context(fmt::format("while reading column '{}'", fields[i].name))
            .Hint("'csv.ignore-parse-errors' = 'true' takes NULL for it");
      }
    }
    return row;
  }

  std::shared_ptr<const CsvSettings> settings_;
  RowBuffer rows_;
};

class CsvFormat : public RowFormat {
 public:
  explicit CsvFormat(CsvSettings settings) : settings_(std::make_shared<CsvSettings>(std::move(settings))) {}

  std::string_view extension() const override { return "csv"; }

  std::size_t RecordEnd(std::string_view text, std::size_t from) const override {
    if (!settings_->quote) return RowFormat::RecordEnd(text, from);
    bool inside = false;
    for (std::size_t i = from; i < text.size(); ++i) {
      if (settings_->escape && text[i] == *settings_->escape) {
        ++i;
      } else if (text[i] == *settings_->quote) {
        inside = !inside;  // a doubled quote ends and begins, which comes to the same
      } else if (text[i] == '\n' && !inside) {
        return i + 1;
      }
    }
    return std::string_view::npos;
  }

  std::unique_ptr<RecordDecoder> MakeDecoder() const override { return std::make_unique<CsvDecoder>(settings_); }

  Status Encode(const Batch& batch, std::string& out) const override {
    for (std::int64_t row = 0; row < batch.row_count(); ++row) {
      for (std::size_t i = 0; i < settings_->fields.size(); ++i) {
        if (i > 0) out += settings_->delimiter;
        const DataType& type = settings_->fields[i].type;
        BRAID_TRY(AppendField(DatumAt(*batch.rows->column(static_cast<int>(i)), row, type), type, out));
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
    if (!type.is_numeric() && type.kind() != TypeKind::kBoolean && NeedsQuotes(text)) {
      AppendQuoted(text, out);
    } else {
      out += text;
    }
    return Ok();
  }

  static std::string ValueText(const Datum& value, const DataType& type) {
    if (type.is_text()) return value.as_string();
    if (type.is_bytes()) return EncodeBase64(value.as_string());
    std::string text = FormatDatum(value, type);
    if (type.kind() == TypeKind::kTimestampLtz) text += 'Z';
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
