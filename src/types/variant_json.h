#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace braid {

/// The JSON text of a VARIANT, given its two binary parts (the encoding of Spark and Parquet), as Paimon's Variant.toJson
/// prints it in UTC: no white space, object members by name, doubles as Java prints them.
/// Errors: kCorruption if the bytes are no variant.
Result<std::string> VariantToJson(std::string_view value, std::string_view metadata);

/// Appends a text in double quotes, escaped as Jackson does it: like JSON elsewhere, but control characters in upper-case
/// hexadecimal.
void AppendJacksonText(std::string_view text, std::string& out);

}  // namespace braid
