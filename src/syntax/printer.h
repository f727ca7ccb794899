#pragma once

#include <string>
#include <string_view>

#include "syntax/statement.h"

namespace braid::syntax {

// Prints trees as Flink SQL on one line. Parsing the result gives an equal tree. Names are in back quotes only where
// Flink needs them.

std::string ToSql(const Statement& statement);
std::string ToSql(const Query& query);
std::string ToSql(const Expression& expression);
std::string ToSql(const TypeName& type);
std::string ToSql(const QualifiedName& name);
/// "DAY(3) TO SECOND(6)".
std::string ToSql(const IntervalQualifier& qualifier);

/// The name, in back quotes if it is a reserved word or no plain identifier.
std::string QuoteIdentifier(std::string_view name);

/// 'text' with its quotes doubled.
std::string QuoteString(std::string_view text);

}  // namespace braid::syntax
