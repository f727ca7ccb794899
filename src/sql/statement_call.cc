// CALL sys.procedure(…).

#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "sql/procedure.h"
#include "sql/sink_cast.h"
#include "syntax/printer.h"
#include "syntax/source.h"

namespace braid {

namespace {

std::string Signature(const Procedure& procedure) {
  std::string text;
  for (const ProcedureParameter& parameter : procedure.parameters) {
    text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", parameter.name, SummaryTypeText(parameter.type),
                        parameter.repeated   ? ", …"
                        : parameter.optional ? " (optional)"
                                             : "");
  }
  return fmt::format("{}({})", procedure.name, text);
}

Result<const Procedure*> FindProcedure(const syntax::QualifiedName& name, std::string_view text) {
  const std::vector<syntax::Identifier>& parts = name.parts;
  if (parts.size() >= 2 && EqualsIgnoreCase(parts[parts.size() - 2].name, "sys")) {
    for (const Procedure& procedure : Procedures()) {
      if (EqualsIgnoreCase(procedure.name, name.last())) return &procedure;
    }
    for (const AbsentProcedure& absent : AbsentProcedures()) {
      if (!EqualsIgnoreCase(absent.name, name.last())) continue;
      return syntax::ErrorAt(ErrorCode::kUnsupported, text, name.position(),
                             fmt::format("Braid has no procedure {}", absent.name))
          .Hint(absent.instead);
    }
  }
  return syntax::ErrorAt(ErrorCode::kUnsupported, text, name.position(),
                         fmt::format("there is no procedure {}", syntax::ToSql(name)))
      .Hint("there are " + Join(ProcedureNames(), ", "));
}

const ProcedureParameter* FindParameterNamed(const Procedure& procedure, std::string_view name) {
  for (const ProcedureParameter& parameter : procedure.parameters) {
    if (parameter.name == name) return &parameter;
  }
  return nullptr;
}

// The parameter that an argument is for.
Result<const ProcedureParameter*> FindParameter(const Procedure& procedure, const syntax::CallArgument& argument,
                                                std::size_t position, std::string_view text) {
  if (!argument.name) {
    if (position < procedure.parameters.size()) return &procedure.parameters[position];
    if (procedure.parameters.back().repeated) return &procedure.parameters.back();
    return syntax::ErrorAt(ErrorCode::kInvalidArgument, text, argument.value->position, "too many arguments")
        .Hint(Signature(procedure));
  }
  if (const ProcedureParameter* parameter = FindParameterNamed(procedure, argument.name->name)) return parameter;
  return syntax::ErrorAt(ErrorCode::kInvalidArgument, text, argument.name->position,
                         fmt::format("there is no argument '{}'", argument.name->name))
      .Hint(Signature(procedure));
}

Result<ProcedureArguments> ReadArguments(const Procedure& procedure, const syntax::Call& statement,
                                         const StatementContext& context) {
  ProcedureArguments::Values arguments;
  for (std::size_t i = 0; i < statement.arguments.size(); ++i) {
    const syntax::CallArgument& argument = statement.arguments[i];
    BRAID_TRY_ASSIGN(const ProcedureParameter* parameter, FindParameter(procedure, argument, i, context.text));
    BRAID_TRY_ASSIGN(const EmittedCall value, AnalyzeConstant(*argument.value, context.text, context.session));
    if (!argument.name && parameter->otherwise != nullptr && !CanStore(value.type, parameter->type)) {
      parameter = FindParameterNamed(procedure, parameter->otherwise);
    }
    if (!CanStore(value.type, parameter->type)) {
      return syntax::ErrorAt(ErrorCode::kInvalidArgument, context.text, argument.value->position,
                             fmt::format("argument '{}' is {}, not {}", parameter->name,
                                         SummaryTypeText(parameter->type), SummaryTypeText(value.type)))
          .Hint(Signature(procedure));
    }
    BRAID_TRY_ASSIGN(Datum datum, context.session.EvaluateConstant(*argument.value, context.text, parameter->type));
    if (parameter->repeated) {
      const auto [list, is_new] = arguments.try_emplace(parameter->name, Datum(DatumList()));
      std::get<DatumList>(list->second).push_back(std::move(datum));
      continue;
    }
    if (!arguments.emplace(parameter->name, std::move(datum)).second) {
      return syntax::ErrorAt(ErrorCode::kInvalidArgument, context.text, argument.value->position,
                             fmt::format("argument '{}' is given twice", parameter->name));
    }
  }
  for (const ProcedureParameter& parameter : procedure.parameters) {
    if (!parameter.optional && !arguments.contains(parameter.name)) {
      return syntax::ErrorAt(ErrorCode::kInvalidArgument, context.text, statement.procedure.position(),
                             fmt::format("argument '{}' is missing", parameter.name))
          .Hint(Signature(procedure));
    }
  }
  return ProcedureArguments(std::move(arguments));
}

}  // namespace

Result<StatementResult> Run(const syntax::Call& statement, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Procedure* procedure, FindProcedure(statement.procedure, context.text));
  BRAID_TRY_ASSIGN(const ProcedureArguments arguments, ReadArguments(*procedure, statement, context));
  return procedure->run(arguments, context);
}

}  // namespace braid
