#pragma once

#include <functional>

#include "syntax/expression.h"

namespace braid {

/// Visits the expressions directly below this one, in the order of the text; not those of inner queries. OVER's own
/// expressions and those of FILTER and WITHIN GROUP are among them.
void ForEachChild(const syntax::Expression& expression, const std::function<void(const syntax::Expression&)>& visit);

/// Whether an aggregate call stands in the expression: of an OVER window only its arguments count.
bool ContainsAggregate(const syntax::Expression& expression);

/// Whether the node itself is an aggregate call without OVER.
bool IsAggregateCall(const syntax::Expression& expression);

}  // namespace braid
