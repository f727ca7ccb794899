#include <utility>

#include <duckdb/catalog/catalog.hpp>
#include <duckdb/parser/parsed_data/create_scalar_function_info.hpp>

#include "duck/functions_internal.h"
#include "duck/rows_internal.h"

namespace braid {

void FunctionRegistrar::Add(duckdb::ScalarFunction function) {
  // Errors of a value leave the database usable; telling DuckDB keeps it from evaluating calls that a CASE excludes.
  duckdb::BaseScalarFunction::SetReturnsError(function);
  duckdb::CreateScalarFunctionInfo info(std::move(function));
  info.on_conflict = duckdb::OnCreateConflict::ALTER_ON_CONFLICT;  // adds an overload
  duckdb::Catalog::GetSystemCatalog(context_).CreateFunction(context_, info);
}

void RegisterFlinkFunctions(duckdb::ClientContext& context) {
  FunctionRegistrar registrar(context);
  RegisterArithmeticFunctions(registrar);
  RegisterMathFunctions(registrar);
  RegisterStringFunctions(registrar);
  RegisterRegexFunctions(registrar);
  RegisterEncodingFunctions(registrar);
  RegisterTemporalFunctions(registrar);
  RegisterCastFunctions(registrar);
  RegisterPrintFunctions(registrar);
  RegisterCollectionFunctions(registrar);
  RegisterJsonFunctions(registrar);
  RegisterVariantFunctions(registrar);
}

}  // namespace braid
