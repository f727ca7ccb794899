// SET and RESET, and the commands of a shell.

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "sql/statement_internal.h"
#include "syntax/source.h"
#include "types/time_zone.h"

namespace braid {

namespace {

Status CheckChoice(const syntax::Property& property, std::initializer_list<const char*> choices) {
  std::string list;
  for (const char* choice : choices) {
    if (EqualsIgnoreCase(property.value, choice)) return Ok();
    list += fmt::format("{}{}", list.empty() ? "" : ", ", choice);
  }
  return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is no value of '{}'", property.value, property.key))
      .Hint("it is one of " + list);
}

// Options that results depend on are checked when they are set; of others nothing is known.
Status CheckOption(const syntax::Property& property) {
  if (property.key == "execution.runtime-mode") return CheckChoice(property, {"streaming", "batch", "automatic"});
  if (property.key == "table.dml-sync") return CheckChoice(property, {"true", "false"});
  if (property.key == "table.exec.sink.not-null-enforcer") return CheckChoice(property, {"error", "drop"});
  if (property.key == "table.exec.sink.type-length-enforcer")
    return CheckChoice(property, {"ignore", "trim_pad", "error"});
  if (property.key == "sql-client.execution.result-mode")
    return CheckChoice(property, {"table", "tableau", "changelog"});
  if (property.key == "sql-client.display.max-column-width" && ParseInt64(property.value).value_or(0) < 4) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is no width of a column", property.value))
        .Hint("give a number from 4 on");
  }
  if (property.key == "table.local-time-zone") {
    BRAID_TRY(TimeZone::Find(property.value).Context("while setting 'table.local-time-zone'"));
  }
  if (property.key == "table.sql-dialect" && !EqualsIgnoreCase(property.value, "default")) {
    return Error(ErrorCode::kUnsupported, fmt::format("the dialect '{}' is not supported", property.value))
        .Hint("the default one is");
  }
  return Ok();
}

Error NoUserCode(std::string_view what) {
  return Error(ErrorCode::kUnsupported, fmt::format("{} is not supported: Braid runs no Java code", what))
      .Hint("SHOW FUNCTIONS lists what there is");
}

}  // namespace

Status CheckSessionOptions(const Options& options) {
  for (const auto& [key, value] : options.values()) {
    BRAID_TRY(CheckOption({.position = {}, .key = key, .value = value}));
  }
  return Ok();
}

Result<StatementResult> Run(const syntax::Set& statement, const StatementContext& context) {
  Options& options = context.session.options();
  if (statement.property) {
    BRAID_TRY(CheckOption(*statement.property));
    context.session.NoteMisspelt(ToOptions({*statement.property}), OptionOwner::kSession);
    options.Set(statement.property->key, statement.property->value);
    return Done();
  }
  std::vector<DatumList> rows;
  for (const auto& [key, value] : options.values()) rows.push_back({key, value});
  return RowsResult({{"key", DataType::String()}, {"value", DataType::String()}}, rows);
}

Result<StatementResult> Run(const syntax::Reset& statement, const StatementContext& context) {
  if (statement.key) {
    context.session.options().Remove(*statement.key);
  } else {
    context.session.options() = Options();
  }
  return Done();
}

Result<StatementResult> Run(const syntax::ClientCommand& statement, const StatementContext&) {
  switch (statement.kind) {
    case syntax::ClientCommandKind::kQuit: return StatementResult{.kind = StatementResult::Kind::kQuit};
    case syntax::ClientCommandKind::kHelp: return StatementResult{.kind = StatementResult::Kind::kHelp};
    case syntax::ClientCommandKind::kClear: return StatementResult{.kind = StatementResult::Kind::kClear};
  }
  return Done();
}

Result<StatementResult> Run(const syntax::UseModules&, const StatementContext&) {
  return NoUserCode("USE MODULES");
}
Result<StatementResult> Run(const syntax::LoadModule&, const StatementContext&) {
  return NoUserCode("LOAD MODULE");
}
Result<StatementResult> Run(const syntax::UnloadModule&, const StatementContext&) {
  return NoUserCode("UNLOAD MODULE");
}
Result<StatementResult> Run(const syntax::JarCommand& statement, const StatementContext&) {
  return NoUserCode(statement.remove ? "REMOVE JAR" : "ADD JAR");
}
Result<StatementResult> Run(const syntax::CreateFunction& statement, const StatementContext&) {
  return NoUserCode(statement.alter ? "ALTER FUNCTION" : "CREATE FUNCTION");
}

}  // namespace braid
