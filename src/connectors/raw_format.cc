// 'format' = 'raw': a file's lines, each the value of the table's only column.

#include <arrow/api.h>
#include <fmt/format.h>

#include "base/long_text.h"
#include "base/text.h"
#include "connectors/row_format_internal.h"
#include "types/utf8.h"

namespace braid {

namespace {

class RawDecoder : public RecordDecoder {
 public:
  explicit RawDecoder(const DataField& field) : fields_{field} {}

  Status Add(std::span<char> bytes) override {
    const std::string_view record = WithoutLineEnd(bytes);
    if (IsUtf8(record)) {
      if (!values_.Append(record).ok())
        return Error(ErrorCode::kUnavailable, "too little memory for the lines of a file");
    } else if (!values_.Append(RepairUtf8(record)).ok()) {
      return Error(ErrorCode::kUnavailable, "too little memory for the lines of a file");
    }
    return Ok();
  }

  Result<std::optional<Batch>> DecodeLong(const std::shared_ptr<arrow::Buffer>& record) override {
    LongRow row(fields_, record);
    const std::string_view line = WithoutLineEnd(row.record());
    if (IsUtf8(line)) {
      row.SetBytes(0, line);
    } else {
      BRAID_TRY(row.Set(0, Datum(RepairUtf8(line))));
    }
    BRAID_TRY_ASSIGN(Batch batch, row.Finish());
    return std::optional(std::move(batch));
  }

  std::int64_t row_count() const override { return values_.length(); }

  Result<Batch> Finish() override {
    std::shared_ptr<arrow::Array> column;
    const std::int64_t count = values_.length();
    if (!values_.Finish(&column).ok())
      return Error(ErrorCode::kUnavailable, "too little memory for the lines of a file");
    return Batch{.rows = arrow::RecordBatch::Make(ToArrowSchema(fields_), count, {column}), .kinds = nullptr};
  }

 private:
  std::vector<DataField> fields_;  // one
  arrow::StringBuilder values_;
};

class RawFormat : public RowFormat {
 public:
  explicit RawFormat(DataField field) : field_(std::move(field)) {}

  std::string_view extension() const override { return "txt"; }
  std::unique_ptr<RecordDecoder> MakeDecoder() const override { return std::make_unique<RawDecoder>(field_); }

  Status Encode(const Batch& batch, std::string& out) const override {
    for (std::int64_t row = 0; row < batch.row_count(); ++row) {
      if (batch.rows->column(0)->IsValid(row)) {
        const std::string_view line = BytesAt(*batch.rows->column(0), row);
        ReserveForLong(line.size(), out);
        out += line;
      }
      out += '\n';
    }
    return Ok();
  }

 private:
  DataField field_;
};

}  // namespace

Result<std::shared_ptr<const RowFormat>> MakeRawFormat(const RowFormatSettings& settings) {
  BRAID_TRY(CheckFormatOptions("raw", settings.options, {"charset"}));
  const std::string charset = settings.options.Get("raw.charset", "UTF-8");
  if (!EqualsIgnoreCase(charset, "UTF-8")) {
    return Error(ErrorCode::kUnsupported, fmt::format("'raw.charset' = '{}' is not supported", charset))
        .Hint("UTF-8 is");
  }
  if (settings.fields.size() != 1 || !settings.fields.front().type.is_text()) {
    return Error(ErrorCode::kInvalidArgument, "the format 'raw' is for tables with one column, a STRING: the line");
  }
  return std::shared_ptr<const RowFormat>(new RawFormat(settings.fields.front()));
}

}  // namespace braid
