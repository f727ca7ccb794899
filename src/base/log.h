#pragma once

#include <string_view>

namespace braid {

/// Error: someone must act. Warning: it mended itself. Info: rare and meaningful. Debug: off unless asked for.
enum class LogLevel { kDebug, kInfo, kWarning, kError };

/// Writes one line "time level event values…" to standard error. `event` is fixed text; `values` are "key=value" pairs
/// without secrets. Any thread. Nothing below the level set is written.
void Log(LogLevel level, std::string_view event, std::string_view values = {});
/// For the whole process; warnings and errors by default.
void SetLogLevel(LogLevel level);

}  // namespace braid
