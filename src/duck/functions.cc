#include <duckdb.hpp>

#include "duck/functions_internal.h"
#include "duck/rows_internal.h"

namespace braid {

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
}

}  // namespace braid
