// CALL sys.procedure(…).

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "sql/sink_cast.h"
#include "sql/statement_internal.h"
#include "syntax/printer.h"
#include "syntax/source.h"
#include "table/write.h"
#include "types/predicate.h"

namespace braid {

namespace {

struct Parameter {
  const char* name;
  DataType type;
  bool optional = false;
};

// The arguments that were given, by name.
using Arguments = std::map<std::string, Datum, std::less<>>;

struct Procedure {
  const char* name;
  std::vector<Parameter> parameters;  // in the order of positional arguments
  std::function<Result<StatementResult>(const Arguments&, const StatementContext&)> run;
};

std::optional<std::string> TextOf(const Arguments& arguments, std::string_view name) {
  const auto found = arguments.find(name);
  if (found == arguments.end() || found->second.is_null()) return std::nullopt;
  return found->second.as_string();
}

// The table that 'db.t' names in the catalog of the procedure.
Result<Table> OpenArgument(const Arguments& arguments, const StatementContext& context) {
  const std::string name = TextOf(arguments, "table").value_or("");
  BRAID_TRY_ASSIGN(const auto catalog, context.session.FindCatalog(context.session.current_catalog()));
  const bool has_database = name.find('.') != std::string::npos;
  BRAID_TRY_ASSIGN(const Identifier identifier,
                   Identifier::Parse(has_database ? name : context.session.current_database() + "." + name));
  return catalog->OpenTable(identifier);
}

Result<StatementResult> Success() {
  return TextResult("result", {"Success"});
}

Result<StatementResult> Compact(const Arguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Table table, OpenArgument(arguments, context));
  for (const char* name : {"order_strategy", "order_by", "partition_idle_time"}) {
    if (!TextOf(arguments, name).value_or("").empty()) {
      return Error(ErrorCode::kUnsupported, fmt::format("compact does not take '{}' yet", name)).Hint("leave it out");
    }
  }
  const std::string strategy = ToLower(TextOf(arguments, "compact_strategy").value_or("full"));
  if (strategy != "full" && strategy != "minor") {
    return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is no strategy of compaction", strategy))
        .Hint("it is 'full' or 'minor'");
  }
  PredicatePtr filter;
  if (const auto where = TextOf(arguments, "where"); where && !where->empty()) {
    BRAID_TRY_ASSIGN(filter, ParseFilter(*where, table.schema().PartitionFields()));
  }
  if (!TextOf(arguments, "partitions").value_or("").empty()) {
    return Error(ErrorCode::kUnsupported, "compact does not take 'partitions' yet")
        .Hint("`where` => 'dt = ''d1''' chooses partitions");
  }
  BRAID_TRY(CompactTable(table, strategy == "full", filter, NewCommitUser(), context.session.clock()));
  return Success();
}

const std::vector<Procedure>& Procedures() {
  static const std::vector<Procedure> procedures = {
      {"compact",
       {{"table", DataType::String()},
        {"partitions", DataType::String(), true},
        {"order_strategy", DataType::String(), true},
        {"order_by", DataType::String(), true},
        {"options", DataType::String(), true},
        {"where", DataType::String(), true},
        {"partition_idle_time", DataType::String(), true},
        {"compact_strategy", DataType::String(), true}},
       Compact},
  };
  return procedures;
}

std::string Signature(const Procedure& procedure) {
  std::string text;
  for (const Parameter& parameter : procedure.parameters) {
    text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", parameter.name, SummaryTypeText(parameter.type),
                        parameter.optional ? " (optional)" : "");
  }
  return fmt::format("{}({})", procedure.name, text);
}

Result<const Procedure*> FindProcedure(const syntax::QualifiedName& name, std::string_view text) {
  const std::vector<syntax::Identifier>& parts = name.parts;
  if (parts.size() >= 2 && EqualsIgnoreCase(parts[parts.size() - 2].name, "sys")) {
    for (const Procedure& procedure : Procedures()) {
      if (EqualsIgnoreCase(procedure.name, name.last())) return &procedure;
    }
  }
  return syntax::ErrorAt(ErrorCode::kUnsupported, text, name.position(),
                         fmt::format("there is no procedure {}", syntax::ToSql(name)))
      .Hint("there are " + Join(ProcedureNames(), ", "));
}

// The parameter that an argument is for.
Result<const Parameter*> FindParameter(const Procedure& procedure, const syntax::CallArgument& argument,
                                       std::size_t position, std::string_view text) {
  if (!argument.name) {
    if (position < procedure.parameters.size()) return &procedure.parameters[position];
    return syntax::ErrorAt(ErrorCode::kInvalidArgument, text, argument.value->position, "too many arguments")
        .Hint(Signature(procedure));
  }
  for (const Parameter& parameter : procedure.parameters) {
    if (parameter.name == argument.name->name) return &parameter;
  }
  return syntax::ErrorAt(ErrorCode::kInvalidArgument, text, argument.name->position,
                         fmt::format("there is no argument '{}'", argument.name->name))
      .Hint(Signature(procedure));
}

Result<Arguments> ReadArguments(const Procedure& procedure, const syntax::Call& statement,
                                const StatementContext& context) {
  Arguments arguments;
  for (std::size_t i = 0; i < statement.arguments.size(); ++i) {
    const syntax::CallArgument& argument = statement.arguments[i];
    BRAID_TRY_ASSIGN(const Parameter* parameter, FindParameter(procedure, argument, i, context.text));
    BRAID_TRY_ASSIGN(const EmittedCall value, AnalyzeConstant(*argument.value, context.text, context.session));
    if (!CanStore(value.type, parameter->type)) {
      return syntax::ErrorAt(ErrorCode::kInvalidArgument, context.text, argument.value->position,
                             fmt::format("argument '{}' is {}, not {}", parameter->name,
                                         SummaryTypeText(parameter->type), SummaryTypeText(value.type)))
          .Hint(Signature(procedure));
    }
    BRAID_TRY_ASSIGN(Datum datum, context.session.EvaluateConstant(*argument.value, context.text, parameter->type));
    if (!arguments.emplace(parameter->name, std::move(datum)).second) {
      return syntax::ErrorAt(ErrorCode::kInvalidArgument, context.text, argument.value->position,
                             fmt::format("argument '{}' is given twice", parameter->name));
    }
  }
  for (const Parameter& parameter : procedure.parameters) {
    if (!parameter.optional && !arguments.contains(parameter.name)) {
      return syntax::ErrorAt(ErrorCode::kInvalidArgument, context.text, statement.procedure.position(),
                             fmt::format("argument '{}' is missing", parameter.name))
          .Hint(Signature(procedure));
    }
  }
  return arguments;
}

}  // namespace

std::vector<std::string> ProcedureNames() {
  std::vector<std::string> names;
  for (const Procedure& procedure : Procedures()) names.emplace_back(procedure.name);
  std::sort(names.begin(), names.end());
  return names;
}

Result<StatementResult> Run(const syntax::Call& statement, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Procedure* procedure, FindProcedure(statement.procedure, context.text));
  BRAID_TRY_ASSIGN(const Arguments arguments, ReadArguments(*procedure, statement, context));
  return procedure->run(arguments, context);
}

}  // namespace braid
