#include "delta/delta_program.h"

namespace braid {

Result<DeltaProgram> MakeDeltaProgram(const AnalyzedQuery& /*query*/, const DeltaOptions& /*options*/) {
  return Error(ErrorCode::kUnsupported, "queries cannot be run incrementally yet");
}

std::string ExplainDelta(const DeltaProgram& /*program*/) {
  return {};
}

}  // namespace braid
