#include "delta/delta_program.h"

#include <fmt/format.h>

#include "delta/compiler_internal.h"

namespace braid {
namespace {

void Print(const DeltaProgram& program, std::size_t number, const std::string& first, const std::string& rest,
           std::string& text) {
  const DeltaNode& node = program.nodes[number];
  text += first + node.text + '\n';
  const std::string indent = rest + (node.inputs.empty() ? "     " : "|    ");
  text += fmt::format("{}rule: {}{}\n", indent, node.rule, node.append_only ? " (append-only)" : "");
  if (!node.fallback_reason.empty()) text += fmt::format("{}because: {}\n", indent, node.fallback_reason);
  for (const std::string& name : node.state) {
    for (const StateTable& state : program.state_tables) {
      if (state.table.name == name) text += fmt::format("{}state: {} ({})\n", indent, name, state.content);
    }
  }
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const bool last = i + 1 == node.inputs.size();
    Print(program, node.inputs[i], rest + (last ? "+- " : ":- "), rest + (last ? "   " : ":  "), text);
  }
}

}  // namespace

Result<DeltaProgram> MakeDeltaProgram(const AnalyzedQuery& query, const DeltaOptions& options) {
  return Compiler(*query.root, options).CompileProgram(query);
}

std::string ExplainDelta(const DeltaProgram& program) {
  std::string text = "== Incremental Plan ==\n";
  if (!program.nodes.empty()) Print(program, program.nodes.size() - 1, "", "", text);
  return text;
}

}  // namespace braid
