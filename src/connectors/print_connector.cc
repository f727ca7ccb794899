// 'connector' = 'print': rows as lines on standard output, which for a job is its log: "+I[1, apple]". After a crash
// between two steps of a commit the lines of that commit are printed again.

#include <cstdio>
#include <utility>

#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "connectors/connector_internal.h"
#include "types/cast.h"

namespace braid {

namespace {

struct PrintSettings {
  std::vector<DataField> fields;
  std::string prefix;  // "identifier> "
  bool standard_error = false;
};

// As Java prints a value within a Row: texts bare, NULL as null.
std::string ValueText(const Datum& value, const DataType& type) {
  if (value.is_null()) return "null";
  std::string text;
  switch (type.kind()) {
    case TypeKind::kArray:
    case TypeKind::kVector:
      for (const Datum& element : value.as_list())
        text += (text.empty() ? "" : ", ") + ValueText(element, type.element());
      return "[" + text + "]";
    case TypeKind::kMap:
      for (const Datum& entry : value.as_list()) {
        text += fmt::format("{}{}={}", text.empty() ? "" : ", ", ValueText(entry.as_list()[0], type.key()),
                            ValueText(entry.as_list()[1], type.element()));
      }
      return "{" + text + "}";
    case TypeKind::kRow:
      for (std::size_t i = 0; i < type.fields().size(); ++i)
        text += (i == 0 ? "" : ", ") + ValueText(value.as_list()[i], type.fields()[i].type);
      return "+I[" + text + "]";
    default: return FormatDatum(value, type);
  }
}

class PrintSink : public ConnectorSink {
 public:
  explicit PrintSink(std::shared_ptr<const PrintSettings> settings) : settings_(std::move(settings)) {}

  Status Write(const Batch& batch) override {
    for (std::int64_t row = 0; row < batch.row_count(); ++row) {
      std::string values;
      for (std::size_t i = 0; i < settings_->fields.size(); ++i) {
        const DataType& type = settings_->fields[i].type;
        values += (i == 0 ? "" : ", ") + ValueText(DatumAt(*batch.rows->column(static_cast<int>(i)), row, type), type);
      }
      text_ += fmt::format("{}{}[{}]\n", settings_->prefix, RowKindName(batch.kind(row)), values);
    }
    return Ok();
  }

  Result<Json> Prepare(std::int64_t /*barrier*/) override {
    if (text_.empty()) return Json();
    return Json(std::exchange(text_, {}));
  }

  Status Commit(const Json& prepared) override {
    if (!prepared.is_string()) return Error(ErrorCode::kCorruption, "lines to print are no text");
    std::FILE* out = settings_->standard_error ? stderr : stdout;
    std::fputs(prepared.as_string().c_str(), out);
    std::fflush(out);
    return Ok();
  }

 private:
  std::shared_ptr<const PrintSettings> settings_;
  std::string text_;
};

class PrintTable : public ConnectorTable {
 public:
  explicit PrintTable(PrintSettings settings) : settings_(std::make_shared<PrintSettings>(std::move(settings))) {}

  std::string_view connector() const override { return "print"; }
  const std::vector<DataField>& fields() const override { return settings_->fields; }
  Result<std::unique_ptr<BatchReader>> Open(const ReadRequest& /*request*/) const override {
    return NotReadable(connector());
  }
  Result<std::unique_ptr<ConnectorStream>> OpenStream() const override { return NotReadable(connector()); }
  Result<std::unique_ptr<ConnectorSink>> OpenSink(std::string_view /*writer*/) const override {
    return std::unique_ptr<ConnectorSink>(new PrintSink(settings_));
  }

 private:
  std::shared_ptr<const PrintSettings> settings_;
};

}  // namespace

Result<std::shared_ptr<const ConnectorTable>> OpenPrint(const ConnectorTableDefinition& definition,
                                                        const Clock& /*clock*/) {
  BRAID_TRY(CheckOptionNames(definition, {"print-identifier", "standard-error", "sink.parallelism"}));
  PrintSettings settings{.fields = definition.fields, .prefix = {}, .standard_error = false};
  BRAID_TRY_ASSIGN(settings.standard_error, definition.options.GetBool("standard-error", false));
  if (const auto identifier = definition.options.Find("print-identifier")) settings.prefix = *identifier + "> ";
  return std::shared_ptr<const ConnectorTable>(new PrintTable(std::move(settings)));
}

}  // namespace braid
