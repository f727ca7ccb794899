// Calls with OVER.

#include <utility>

#include <fmt/format.h>

#include "sql/aggregates.h"
#include "sql/expressions.h"

namespace braid {
namespace {

using syntax::FrameBoundKind;
using syntax::WindowSpecification;

/// The window with everything that the windows it names say.
Result<WindowSpecification> Expand(const Analysis& analysis, const ExpressionSite& site,
                                   const WindowSpecification& window, int depth = 0) {
  if (!window.base) return window;
  const syntax::NamedWindow* found = nullptr;
  for (std::size_t i = 0; site.named_windows != nullptr && i < site.named_windows->size(); ++i) {
    if ((*site.named_windows)[i].name.name == window.base->name) found = &(*site.named_windows)[i];
  }
  if (found == nullptr || depth > 100)
    return analysis.ErrorAt(window.base->position, fmt::format("Window '{}' not found", window.base->name));
  BRAID_TRY_ASSIGN(WindowSpecification base, Expand(analysis, site, found->specification, depth + 1));
  if (!window.partition_by.empty()) {
    return analysis.ErrorAt(
        window.position,
        fmt::format("a window that extends '{}' cannot have a PARTITION BY of its own", window.base->name));
  }
  if (!window.order_by.empty()) base.order_by = window.order_by;
  if (window.frame) base.frame = window.frame;
  return base;
}

/// An interval as DuckDB takes it in a frame.
void ToDuckInterval(Scalar& offset) {
  if (offset.type.kind() == SqlType::Kind::kMillis) offset.sql = fmt::format("to_milliseconds({})", offset.sql);
  if (offset.type.kind() == SqlType::Kind::kMonths)
    offset.sql = fmt::format("to_months(CAST({} AS INTEGER))", offset.sql);
}

Result<WindowBound> AnalyzeBound(Analysis& analysis, const syntax::FrameBound& bound) {
  WindowBound result{.kind = bound.kind, .offset = {}};
  if (!bound.offset) return result;
  // Constants alone: what Flink takes, and what keeps frames the same for every row.
  const ExpressionSite constant{.clause = "a window frame"};
  BRAID_TRY_ASSIGN(Scalar offset, AnalyzeExpression(analysis, constant, *bound.offset));
  const bool number = offset.type.is_value() && offset.type.data().is_numeric();
  if (!number && !offset.type.is_interval())
    return analysis.ErrorAt(bound.offset->position, "a frame's bound is a number or an interval");
  ToDuckInterval(offset);
  result.offset = std::move(offset);
  return result;
}

Result<WindowCall> AnalyzeWindow(Analysis& analysis, const ExpressionSite& site, const WindowSpecification& window) {
  WindowCall call;
  for (const syntax::ExpressionPtr& key : window.partition_by) {
    BRAID_TRY_ASSIGN(Scalar value, AnalyzeExpression(analysis, site, *key));
    call.partition_by.push_back(std::move(value));
  }
  for (const syntax::OrderItem& item : window.order_by) {
    BRAID_TRY_ASSIGN(SortKey key, AnalyzeSortKey(analysis, site, item));
    call.order_by.push_back(std::move(key));
  }
  if (!window.frame) return call;
  if (call.order_by.empty()) return analysis.ErrorAt(window.frame->position, "a window frame needs an ORDER BY");
  BRAID_TRY_ASSIGN(WindowBound start, AnalyzeBound(analysis, window.frame->start));
  BRAID_TRY_ASSIGN(WindowBound end, AnalyzeBound(analysis, window.frame->end));
  call.frame = WindowCall::Frame{.rows = window.frame->rows, .start = std::move(start), .end = std::move(end)};
  return call;
}

std::vector<WindowCall>& CallsOf(std::vector<AppendedStep>& steps) {
  if (steps.empty() || !std::holds_alternative<WindowStep>(steps.back())) steps.emplace_back(WindowStep{});
  return std::get<WindowStep>(steps.back()).calls;
}

}  // namespace

Result<Scalar> AnalyzeWindowCall(Analysis& analysis, const ExpressionSite& site, const syntax::Expression& expression,
                                 const WindowSpecification& over) {
  if (!site.allows_windows || site.appended == nullptr) {
    return analysis.ErrorAt(expression.position,
                            fmt::format("Windowed aggregate expression is illegal in {}", site.clause));
  }
  BRAID_TRY_ASSIGN(const WindowSpecification window, Expand(analysis, site, over));
  ExpressionSite inside = site;
  inside.allows_windows = false;
  inside.clause = "a window";
  BRAID_TRY_ASSIGN(const WindowCall frame, AnalyzeWindow(analysis, inside, window));
  BRAID_TRY_ASSIGN(AggregateRequest request, AnalyzeAggregateRequest(analysis, inside, expression));
  const bool ranks = IsWindowOnlyName(request.name);
  if (!ranks && !IsAggregateName(request.name) && !request.name.starts_with("JSON_")) {
    return analysis.ErrorAt(expression.position, fmt::format("{} is no function for OVER", request.name))
        .Hint("use an aggregate or a ranking function");
  }
  if (ranks && frame.order_by.empty()) {
    return analysis.ErrorAt(expression.position, fmt::format("{} requires an ORDER BY in its window", request.name));
  }
  // Its own row is in every frame that has none of its own, and in most others; a frame may still be empty.
  request.never_empty = !frame.frame.has_value();
  std::vector<WindowCall>& calls = CallsOf(*site.appended);
  const std::size_t first = calls.size();
  const CallSink add = [&](AggregateCall call) {
    for (std::size_t i = first; i < calls.size(); ++i) {
      if (SameCall(calls[i].call, call)) return ColumnScalar(calls[i].call.output);
    }
    call.output.id = analysis.NextColumn();
    WindowCall whole = frame;
    whole.call = std::move(call);
    calls.push_back(std::move(whole));
    return ColumnScalar(calls.back().call.output);
  };
  return ranks ? ResolveWindowFunction(analysis, request, add) : ResolveAggregate(analysis, request, add);
}

}  // namespace braid
