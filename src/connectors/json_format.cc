// 'format' = 'json', with Flink's options: one object a line.

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "base/json.h"
#include "base/long_text.h"
#include "base/text.h"
#include "connectors/long_json.h"
#include "connectors/row_format_internal.h"
#include "types/cast.h"
#include "types/date_time.h"
#include "types/number_text.h"

namespace braid {

namespace {

// A number with more digits than a double holds would not be the one that was written.
constexpr int kExactDigits = 15;

struct JsonSettings {
  std::vector<DataField> fields;
  bool fail_on_missing = false;
  bool ignore_errors = false;
  bool iso_times = false;
  bool leave_out_nulls = false;
  std::string null_key_mode = "FAIL";
  std::string null_key_literal = "null";
};

Result<Datum> ToDatum(const Json& json, const DataType& type, const JsonSettings& settings);

std::string TextOf(const Json& json) {
  if (json.is_string()) return json.as_string();
  if (json.is_number() && !json.is_integer()) {
    std::string text;
    AppendShortest(json.as_double(), text);
    return text;
  }
  return PrintJson(json);
}

Result<Datum> DecimalOf(const Json& json, const DataType& type) {
  if (json.is_number() && !json.is_integer() && type.precision() > kExactDigits) {
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("a number is read exactly up to {} digits, and the column is {}", kExactDigits,
                             type.ToString()))
        .Hint("write it in quotes");
  }
  return ParseDatum(TextOf(json), type);
}

Result<Datum> RowOf(const Json& json, std::span<const DataField> fields, const JsonSettings& settings) {
  if (!json.is_object()) return Error(ErrorCode::kInvalidArgument, "it is no object");
  DatumList row;
  for (const DataField& field : fields) {
    const Json* member = json.Find(field.name);
    if (member == nullptr && settings.fail_on_missing)
      return Error(ErrorCode::kInvalidArgument, fmt::format("it has no field '{}'", field.name));
    if (member == nullptr || member->is_null()) {
      row.emplace_back();
      continue;
    }
    Result<Datum> value = ToDatum(*member, field.type.Nullable(), settings);
    if (value) {
      row.push_back(*std::move(value));
    } else if (settings.ignore_errors) {
      row.emplace_back();
    } else {
      return std::move(value).error().Context(fmt::format("while reading field '{}'", field.name));
    }
  }
  return Datum(std::move(row));
}

Result<Datum> CollectionOf(const Json& json, const DataType& type, const JsonSettings& settings) {
  DatumList values;
  const auto add = [&](const Json& element) -> Result<Datum> {
    if (element.is_null()) return Datum();
    return ToDatum(element, type.element(), settings);
  };
  if (type.kind() == TypeKind::kMap) {
    if (!json.is_object() || !type.key().is_text())
      return Error(ErrorCode::kInvalidArgument, "it is no object of a MAP with STRING keys");
    for (const auto& [key, member] : json.as_object()) {
      BRAID_TRY_ASSIGN(Datum value, add(member));
      values.emplace_back(DatumList{Datum(key), std::move(value)});
    }
    return Datum(std::move(values));
  }
  if (!json.is_array()) return Error(ErrorCode::kInvalidArgument, "it is no array");
  for (const Json& element : json.as_array()) {
    BRAID_TRY_ASSIGN(Datum value, add(element));
    values.push_back(std::move(value));
  }
  return Datum(std::move(values));
}

Result<Datum> ToDatum(const Json& json, const DataType& type, const JsonSettings& settings) {
  switch (type.kind()) {
    case TypeKind::kBoolean:
      if (json.is_bool()) return Datum(json.as_bool());
      return Datum(EqualsIgnoreCase(Trim(TextOf(json)), "true"));
    case TypeKind::kTinyInt:
    case TypeKind::kSmallInt:
    case TypeKind::kInt:
    case TypeKind::kBigInt: {
      if (json.is_number() && !json.is_integer())
        return ParseDatum(fmt::format("{:.0f}", std::trunc(json.as_double())), type);
      return ParseDatum(Trim(TextOf(json)), type);
    }
    case TypeKind::kFloat:
    case TypeKind::kDouble: return ParseDatum(Trim(TextOf(json)), type);
    case TypeKind::kDecimal: return DecimalOf(json, type);
    case TypeKind::kChar:
    case TypeKind::kVarChar: return Datum(TextOf(json));
    case TypeKind::kBinary:
    case TypeKind::kVarBinary:
    case TypeKind::kBlob: {
      std::optional<std::string> bytes = json.is_string() ? DecodeBase64(json.as_string()) : std::nullopt;
      if (!bytes) return Error(ErrorCode::kInvalidArgument, "it is no Base64");
      return Datum(*std::move(bytes));
    }
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: {
      const auto time = json.is_string() ? ParseIsoTimestamp(json.as_string(), type.kind() == TypeKind::kTimestampLtz)
                                         : std::optional<Timestamp>();
      if (!time)
        return Error(ErrorCode::kInvalidArgument, fmt::format("{} is no {}", PrintJson(json), type.ToString()));
      return Datum(*time);
    }
    case TypeKind::kDate:
    case TypeKind::kTime: return ParseDatum(TextOf(json), type);
    case TypeKind::kRow: return RowOf(json, type.fields(), settings);
    case TypeKind::kArray:
    case TypeKind::kMap: return CollectionOf(json, type, settings);
    default: return Error(ErrorCode::kUnsupported, fmt::format("JSON has no values of type {}", type.ToString()));
  }
}

class JsonDecoder : public RecordDecoder {
 public:
  explicit JsonDecoder(std::shared_ptr<const JsonSettings> settings)
      : settings_(std::move(settings)), rows_(settings_->fields) {}

  Status Add(std::span<char> bytes) override {
    const std::string_view record(bytes.data(), bytes.size());
    if (Trim(record).empty()) return Ok();
    Result<Datum> row = Decode(record);
    if (row) {
      rows_.Add(row->as_list());
      return Ok();
    }
    if (settings_->ignore_errors) return Ok();
    return std::move(row).error();
  }

  Result<std::optional<Batch>> DecodeLong(const std::shared_ptr<arrow::Buffer>& record) override {
    LongRow row(settings_->fields, record);
    const Status set = SetFields(row);
    if (!set && settings_->ignore_errors) return std::optional<Batch>();
    BRAID_TRY(set);
    BRAID_TRY_ASSIGN(Batch batch, row.Finish());
    return std::optional(std::move(batch));
  }

  std::int64_t row_count() const override { return rows_.row_count(); }
  Result<Batch> Finish() override { return rows_.Finish(); }

 private:
  Result<Datum> Decode(std::string_view record) const {
    Result<Json> json = ParseJson(record);
    if (!json)
      return Error(ErrorCode::kInvalidArgument, "it is no JSON: " + json.error().message())
          .Hint("'json.ignore-parse-errors' = 'true' leaves such lines out");
    return RowOf(*json, settings_->fields, *settings_);
  }

  Status SetFields(LongRow& row) const {
    std::optional<ShortenedJson> shortened = TakeLongTexts(row.record());
    if (shortened && !std::ranges::all_of(shortened->texts, [&](const LongJsonText& text) { return CanTake(text); }))
      shortened.reset();
    const std::string_view whole(row.record().data(), row.record().size());
    BRAID_TRY_ASSIGN(const Datum short_fields, Decode(shortened ? shortened->object : whole));
    for (std::size_t i = 0; i < settings_->fields.size(); ++i) BRAID_TRY(row.Set(i, short_fields.as_list()[i]));
    if (!shortened) return Ok();
    for (const LongJsonText& text : shortened->texts) {
      const std::size_t field = FieldOf(text);
      if (field < settings_->fields.size()) BRAID_TRY(SetText(field, text, row));
    }
    return Ok();
  }

  /// The number of fields if there is no such one.
  std::size_t FieldOf(const LongJsonText& text) const {
    return static_cast<std::size_t>(std::ranges::find(settings_->fields, text.name, &DataField::name) -
                                    settings_->fields.begin());
  }

  bool CanTake(const LongJsonText& text) const {
    const std::size_t field = FieldOf(text);
    if (field == settings_->fields.size()) return true;
    return settings_->fields[field].type.is_text() || settings_->fields[field].type.is_bytes();
  }

  Status SetText(std::size_t field, const LongJsonText& text, LongRow& row) const {
    const std::optional<std::string_view> unescaped = UnescapeInPlace(text.escaped);
    if (!unescaped) {
      return Error(ErrorCode::kInvalidArgument, fmt::format("it is no JSON: the text '{}' is damaged", text.name));
    }
    if (settings_->fields[field].type.is_text()) {
      row.SetBytes(field, *unescaped);
      return Ok();
    }
    if (const auto bytes = DecodeBase64InPlace(text.escaped.first(unescaped->size()))) {
      row.SetBytes(field, *bytes);
    } else if (!settings_->ignore_errors) {
      return Error(ErrorCode::kInvalidArgument, "it is no Base64")
          .Context(fmt::format("while reading field '{}'", text.name));
    }
    return Ok();
  }

  std::shared_ptr<const JsonSettings> settings_;
  RowBuffer rows_;
};

class JsonFormat : public RowFormat {
 public:
  explicit JsonFormat(JsonSettings settings) : settings_(std::make_shared<JsonSettings>(std::move(settings))) {}

  std::string_view extension() const override { return "json"; }
  std::unique_ptr<RecordDecoder> MakeDecoder() const override { return std::make_unique<JsonDecoder>(settings_); }

  Status Encode(const Batch& batch, std::string& out) const override {
    for (std::int64_t row = 0; row < batch.row_count(); ++row) {
      const auto column = [&](std::size_t i) -> const arrow::Array& { return *batch.rows->column(static_cast<int>(i)); };
      BRAID_TRY(AppendObject(
          settings_->fields, out, [&](std::size_t i) { return column(i).IsNull(row); },
          [&](std::size_t i) { return AppendCell(column(i), row, settings_->fields[i].type, out); }));
      out += '\n';
    }
    return Ok();
  }

 private:
  template <typename IsNull, typename AppendField>
  Status AppendObject(std::span<const DataField> fields, std::string& out, IsNull is_null,
                      AppendField append_field) const {
    bool first = true;
    out += '{';
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (settings_->leave_out_nulls && is_null(i)) continue;
      if (!std::exchange(first, false)) out += ',';
      AppendJsonString(fields[i].name, out);
      out += ':';
      BRAID_TRY(append_field(i));
    }
    out += '}';
    return Ok();
  }

  /// Texts and bytes are taken from where they are, for they may be long.
  Status AppendCell(const arrow::Array& column, std::int64_t row, const DataType& type, std::string& out) const {
    if (type.is_text() && column.IsValid(row)) {
      AppendJsonString(BytesAt(column, row), out);
    } else if (type.is_bytes() && column.IsValid(row)) {
      AppendBytes(BytesAt(column, row), out);
    } else {
      return Append(DatumAt(column, row, type), type, out);
    }
    return Ok();
  }

  static void AppendBytes(std::string_view bytes, std::string& out) {
    ReserveForLong(bytes.size() / 3 * 4, out);
    out += '"';
    AppendBase64(bytes, out);
    out += '"';
  }

  Status Append(const Datum& value, const DataType& type, std::string& out) const {
    if (value.is_null()) {
      out += "null";
      return Ok();
    }
    switch (type.kind()) {
      case TypeKind::kBoolean: out += value.as_bool() ? "true" : "false"; return Ok();
      case TypeKind::kTinyInt:
      case TypeKind::kSmallInt:
      case TypeKind::kInt:
      case TypeKind::kBigInt: out += std::to_string(value.as_int()); return Ok();
      case TypeKind::kFloat: return AppendFloating(value.as_float(), out);
      case TypeKind::kDouble: return AppendFloating(value.as_double(), out);
      case TypeKind::kDecimal: AppendDecimal(value.as_decimal().unscaled, type.scale(), out); return Ok();
      case TypeKind::kBinary:
      case TypeKind::kVarBinary:
      case TypeKind::kBlob: AppendBytes(value.as_string(), out); return Ok();
      case TypeKind::kChar:
      case TypeKind::kVarChar: AppendJsonString(value.as_string(), out); return Ok();
      case TypeKind::kRow: {
        const DatumList& values = value.as_list();
        return AppendObject(
            type.fields(), out, [&](std::size_t i) { return values[i].is_null(); },
            [&](std::size_t i) { return Append(values[i], type.fields()[i].type, out); });
      }
      case TypeKind::kArray: {
        out += '[';
        bool first = true;
        for (const Datum& element : value.as_list()) {
          if (!std::exchange(first, false)) out += ',';
          BRAID_TRY(Append(element, type.element(), out));
        }
        out += ']';
        return Ok();
      }
      case TypeKind::kMap: return AppendMap(value, type, out);
      default: {
        std::string text = FormatDatum(value, type);
        if (settings_->iso_times && type.is_timestamp() && text.size() > 10) text[10] = 'T';
        if (type.kind() == TypeKind::kTimestampLtz) text += 'Z';
        AppendJsonString(text, out);
        return Ok();
      }
    }
  }

  template <typename Number>
  static Status AppendFloating(Number number, std::string& out) {
    if (!std::isfinite(number)) {
      // As Jackson writes them.
      out += std::isnan(number) ? "\"NaN\"" : (number > 0 ? "\"Infinity\"" : "\"-Infinity\"");
    } else {
      AppendJavaNumber(number, out);
    }
    return Ok();
  }

  Status AppendMap(const Datum& value, const DataType& type, std::string& out) const {
    out += '{';
    bool first = true;
    for (const Datum& entry : value.as_list()) {
      const Datum& key = entry.as_list()[0];
      if (key.is_null() && settings_->null_key_mode == "FAIL") {
        return Error(ErrorCode::kInvalidArgument, "JSON has no NULL keys of maps")
            .Hint("'json.map-null-key.mode' = 'DROP' leaves them out, 'LITERAL' writes them as a text");
      }
      if (key.is_null() && settings_->null_key_mode == "DROP") continue;
      if (!std::exchange(first, false)) out += ',';
      AppendJsonString(key.is_null() ? settings_->null_key_literal : FormatDatum(key, type.key()), out);
      out += ':';
      BRAID_TRY(Append(entry.as_list()[1], type.element(), out));
    }
    out += '}';
    return Ok();
  }

  std::shared_ptr<const JsonSettings> settings_;
};

}  // namespace

Result<std::shared_ptr<const RowFormat>> MakeJsonFormat(const RowFormatSettings& settings) {
  const Options& options = settings.options;
  BRAID_TRY(CheckFormatOptions(
      "json", options,
      {"fail-on-missing-field", "ignore-parse-errors", "timestamp-format.standard", "map-null-key.mode",
       "map-null-key.literal", "encode.decimal-as-plain-number", "encode.ignore-null-fields"}));
  JsonSettings json{.fields = settings.fields,
                    .null_key_mode = "FAIL",
                    .null_key_literal = options.Get("json.map-null-key.literal", "null")};
  BRAID_TRY_ASSIGN(json.fail_on_missing, options.GetBool("json.fail-on-missing-field", false));
  BRAID_TRY_ASSIGN(json.ignore_errors, options.GetBool("json.ignore-parse-errors", false));
  BRAID_TRY_ASSIGN(json.leave_out_nulls, options.GetBool("json.encode.ignore-null-fields", false));
  if (json.fail_on_missing && json.ignore_errors) {
    return Error(ErrorCode::kInvalidArgument,
                 "'json.fail-on-missing-field' and 'json.ignore-parse-errors' cannot both be true");
  }
  const std::string times = ToUpper(options.Get("json.timestamp-format.standard", "SQL"));
  if (times != "SQL" && times != "ISO-8601")
    return Error(ErrorCode::kInvalidArgument, fmt::format("'json.timestamp-format.standard' is '{}'", times))
        .Hint("it is SQL or ISO-8601");
  json.iso_times = times == "ISO-8601";
  json.null_key_mode = ToUpper(options.Get("json.map-null-key.mode", "FAIL"));
  if (json.null_key_mode != "FAIL" && json.null_key_mode != "DROP" && json.null_key_mode != "LITERAL")
    return Error(ErrorCode::kInvalidArgument, fmt::format("'json.map-null-key.mode' is '{}'", json.null_key_mode))
        .Hint("it is FAIL, DROP or LITERAL");
  return std::shared_ptr<const RowFormat>(new JsonFormat(std::move(json)));
}

}  // namespace braid
