#include <string>

#include <fmt/format.h>

#include "duck/function_entry_internal.h"

namespace braid {
namespace {

using Call = Result<EmittedCall>;

/// TRIM('side, what, text).
Call Trim(Arguments& arguments, const CallContext& /*context*/) {
  const std::string& side = arguments[0].sql;
  const std::string_view function =
      side == "LEADING" ? "flink_ltrim" : (side == "TRAILING" ? "flink_rtrim" : "flink_trim");
  return EmittedCall{DataType::VarChar(std::max(1, arguments[2].type.data().length())),
                     fmt::format("{}({}, {})", function, arguments[2].sql, arguments[1].sql)};
}

/// ELT (index, text, …): the type of the texts in common.
Call Elt(Arguments& arguments, const CallContext& context) {
  Arguments texts(arguments.begin() + 1, arguments.end());
  BRAID_TRY_ASSIGN(const SqlType type, CastToCommonType("ELT", texts, context));
  std::string sql = fmt::format("CASE {}", arguments[0].sql);
  for (std::size_t i = 0; i < texts.size(); ++i) sql += fmt::format(" WHEN {} THEN {}", i + 1, texts[i].sql);
  return EmittedCall{type, "(" + sql + " END)"};
}

Call Overlay(Arguments& arguments, const CallContext& /*context*/) {
  const std::int64_t length = std::int64_t{arguments[0].type.data().length()} + arguments[1].type.data().length();
  const std::string count =
      arguments.size() > 3 ? arguments[3].sql : fmt::format("flink_char_length({})", arguments[1].sql);
  return EmittedCall{
      DataType::VarChar(static_cast<std::int32_t>(std::min<std::int64_t>(length, DataType::kMaxLength))),
      fmt::format("flink_overlay({}, {}, {}, {})", arguments[0].sql, arguments[1].sql, arguments[2].sql, count)};
}

constexpr FunctionEntry kEntries[] = {
    {"CONCAT",
     "text*",
     {},
     Nulls::kFromArguments,
     {},
     [](Arguments& arguments, const CallContext&) -> Call {
       std::string sql;
       for (const CallArgument& value : arguments) sql += (sql.empty() ? "" : " || ") + value.sql;
       return EmittedCall{DataType::String(), "(" + sql + ")"};
     }},
    {"CONCAT_WS", "text text*", "STRING", Nulls::kFromArguments, "flink_concat_ws({*})"},
    {"CHAR_LENGTH", "text", "INT", Nulls::kFromArguments, "flink_char_length({0})"},
    {"CHARACTER_LENGTH", "text", "INT", Nulls::kFromArguments, "flink_char_length({0})"},
    {"UPPER", "text", "=0", Nulls::kFromArguments, "upper({0})"},
    {"LOWER", "text", "=0", Nulls::kFromArguments, "lower({0})"},
    {"INITCAP", "text", "=0", Nulls::kFromArguments, "flink_initcap({0})"},
    {"TRIM", "symbol text text", {}, Nulls::kFromArguments, {}, Trim},
    {"LTRIM", "text", "varchar 0", Nulls::kFromArguments, "flink_ltrim({0}, ' ')"},
    {"LTRIM", "text text", "varchar 0", Nulls::kFromArguments, "flink_ltrim({0}, {1})"},
    {"RTRIM", "text", "varchar 0", Nulls::kFromArguments, "flink_rtrim({0}, ' ')"},
    {"RTRIM", "text text", "varchar 0", Nulls::kFromArguments, "flink_rtrim({0}, {1})"},
    {"BTRIM", "text", "STRING", Nulls::kFromArguments, "flink_trim({0}, ' ')"},
    {"BTRIM", "text text", "STRING", Nulls::kFromArguments, "flink_trim({0}, {1})"},
    {"SUBSTRING", "text int", "varchar 0", Nulls::kAlways, "flink_substring({0}, {1}, 2147483647)"},
    {"SUBSTRING", "text int int", "varchar 0", Nulls::kAlways, "flink_substring({0}, {1}, {2})"},
    {"SUBSTR", "text int", "varchar 0", Nulls::kAlways, "flink_substring({0}, {1}, 2147483647)"},
    {"SUBSTR", "text int int", "varchar 0", Nulls::kAlways, "flink_substring({0}, {1}, {2})"},
    {"LEFT", "text int", "varchar 0", Nulls::kAlways, "flink_left({0}, {1})"},
    {"RIGHT", "text int", "varchar 0", Nulls::kAlways, "flink_right({0}, {1})"},
    {"POSITION", "text text", "INT", Nulls::kFromArguments, "flink_locate({0}, {1}, 1, 1)"},
    {"INSTR", "text text", "INT", Nulls::kFromArguments, "flink_locate({1}, {0}, 1, 1)"},
    {"INSTR", "text text int", "INT", Nulls::kFromArguments, "flink_locate({1}, {0}, {2}, 1)"},
    {"INSTR", "text text int int", "INT", Nulls::kFromArguments, "flink_locate({1}, {0}, {2}, {3})"},
    {"LOCATE", "text text", "INT", Nulls::kFromArguments, "flink_locate({0}, {1}, 1, 1)"},
    {"LOCATE", "text text int", "INT", Nulls::kFromArguments, "flink_locate({0}, {1}, {2}, 1)"},
    {"REPLACE", "text text text", "STRING", Nulls::kFromArguments, "flink_replace({0}, {1}, {2})"},
    {"TRANSLATE", "text text text", "STRING", Nulls::kFromArguments, "flink_translate({0}, {1}, {2})"},
    {"OVERLAY", "text text int int?", {}, Nulls::kFromArguments, {}, Overlay},
    {"LPAD", "text int text", "STRING", Nulls::kFromArguments, "flink_lpad({0}, {1}, {2})"},
    {"RPAD", "text int text", "STRING", Nulls::kFromArguments, "flink_rpad({0}, {1}, {2})"},
    {"REPEAT", "text int", "STRING", Nulls::kFromArguments, "flink_repeat({0}, {1})"},
    {"REVERSE", "text", "STRING", Nulls::kAlways, "flink_reverse({0})"},
    {"ASCII", "text", "INT", Nulls::kFromArguments, "flink_ascii({0})"},
    {"CHR", "bigint", "STRING", Nulls::kAlways, "flink_chr({0})"},
    {"SPLIT_INDEX", "text text int", "STRING", Nulls::kAlways, "flink_split_index({0}, {1}, {2})"},
    {"SPLIT_INDEX", "text int int", "STRING", Nulls::kAlways,
     "flink_split_index({0}, flink_chr(CAST({1} AS BIGINT)), {2})"},
    {"SPLIT", "text text", "ARRAY<STRING>", Nulls::kFromArguments, "flink_split({0}, {1})"},
    {"STR_TO_MAP", "text", "MAP<STRING, STRING>", Nulls::kAlways, "flink_str_to_map({0}, ',', '=')"},
    {"STR_TO_MAP", "text text text", "MAP<STRING, STRING>", Nulls::kAlways, "flink_str_to_map({0}, {1}, {2})"},
    {"FROM_BASE64", "textbytes", "STRING", Nulls::kFromArguments, "flink_from_base64({0})"},
    {"TO_BASE64", "textbytes", "STRING", Nulls::kFromArguments, "flink_to_base64({0})"},
    {"ENCODE", "text text", "BYTES", Nulls::kFromArguments, "flink_encode({0}, {1})"},
    {"DECODE", "bytes text", "STRING", Nulls::kFromArguments, "flink_decode({0}, {1})"},
    {"PARSE_URL", "text text", "STRING", Nulls::kAlways, "flink_parse_url({0}, {1})"},
    {"PARSE_URL", "text text text", "STRING", Nulls::kAlways, "flink_parse_url({0}, {1}, {2})"},
    {"URL_ENCODE", "text", "STRING", Nulls::kAlways, "flink_url_encode({0})"},
    {"URL_DECODE", "text", "STRING", Nulls::kAlways, "flink_url_decode({0})"},
    {"IS_ALPHA", "text", "BOOLEAN", Nulls::kFromArguments, "flink_is_alpha({0})"},
    {"IS_DIGIT", "text", "BOOLEAN", Nulls::kFromArguments, "flink_is_digit({0})"},
    {"IS_DECIMAL", "text", "BOOLEAN", Nulls::kFromArguments, "flink_is_decimal({0})"},
    {"ELT", "int text text*", {}, Nulls::kAlways, {}, Elt},
    {"STARTSWITH", "textbytes textbytes", "BOOLEAN", Nulls::kFromArguments,
     "starts_with(CAST({0} AS VARCHAR), CAST({1} AS VARCHAR))"},
    {"ENDSWITH", "textbytes textbytes", "BOOLEAN", Nulls::kFromArguments,
     "ends_with(CAST({0} AS VARCHAR), CAST({1} AS VARCHAR))"},
    {"REGEXP", "text text", "BOOLEAN", Nulls::kFromArguments, "flink_regexp({0}, {1})"},
    {"REGEXP_REPLACE", "text text text", "STRING", Nulls::kFromArguments, "flink_regexp_replace({0}, {1}, {2})"},
    {"REGEXP_EXTRACT", "text text", "STRING", Nulls::kAlways, "flink_regexp_extract({0}, {1}, 0)"},
    {"REGEXP_EXTRACT", "text text int", "STRING", Nulls::kAlways, "flink_regexp_extract({0}, {1}, {2})"},
    {"REGEXP_EXTRACT_ALL", "text text", "ARRAY<STRING>", Nulls::kAlways, "flink_regexp_extract_all({0}, {1}, 1)"},
    {"REGEXP_EXTRACT_ALL", "text text int", "ARRAY<STRING>", Nulls::kAlways, "flink_regexp_extract_all({0}, {1}, {2})"},
    {"REGEXP_COUNT", "text text", "INT", Nulls::kAlways, "flink_regexp_count({0}, {1})"},
    {"REGEXP_INSTR", "text text", "INT", Nulls::kAlways, "flink_regexp_instr({0}, {1})"},
    {"REGEXP_SUBSTR", "text text", "STRING", Nulls::kAlways, "flink_regexp_extract({0}, {1}, 0)"},
    {"MD5", "textbytes", "CHAR(32)", Nulls::kFromArguments, "md5({0})"},
    {"SHA1", "textbytes", "CHAR(40)", Nulls::kFromArguments, "sha1({0})"},
    {"SHA224", "textbytes", "CHAR(56)", Nulls::kFromArguments, "flink_sha2({0}, 224)"},
    {"SHA256", "textbytes", "CHAR(64)", Nulls::kFromArguments, "sha256({0})"},
    {"SHA384", "textbytes", "CHAR(96)", Nulls::kFromArguments, "flink_sha2({0}, 384)"},
    {"SHA512", "textbytes", "CHAR(128)", Nulls::kFromArguments, "flink_sha2({0}, 512)"},
    {"SHA2", "textbytes int", "VARCHAR(128)", Nulls::kFromArguments, "flink_sha2({0}, {1})"},
    {"HASH_CODE", "text", "INT", Nulls::kFromArguments, "flink_hash_code({0})"},
};

}  // namespace

std::span<const FunctionEntry> TextEntries() {
  return kEntries;
}

}  // namespace braid
