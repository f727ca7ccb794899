#pragma once

// The rows of the function table.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "duck/function_table.h"

namespace braid {

using Arguments = std::vector<CallArgument>;

/// When a result may be NULL.
enum class Nulls {
  kFromArguments,  ///< if an argument may be
  kAlways,
  kNever,
  kFromRule,  ///< as `rule` says
};

/// A function, or one of several with the same name. Adding a function = one of these, a native function if DuckDB has
/// none that agrees, and a line in the tests.
struct FunctionEntry {
  std::string_view name;  ///< upper case
  /// One word for each argument, `?` behind one that may be left out, `*` behind the last one if it may come any number
  /// of times. text, bytes, textbytes, bool, int (cast to INT), bigint (cast to BIGINT), exact (integer or decimal),
  /// numeric, double (cast to DOUBLE), date, time, timestamp, ltz, instant (timestamp or ltz), datetime (instant or
  /// date), temporal (that or time), interval, array, map, row, symbol, any; `~` before one that may be a bare NULL.
  std::string_view arguments;
  /// A type; `=N`: that of argument N; `varchar N`: VARCHAR of its length; empty: `rule` says.
  std::string_view result = {};
  Nulls nulls = Nulls::kFromArguments;
  /// SQL with {0} … for arguments, {*} for all, separated by commas, {zone} for the zone's name as a literal.
  std::string_view emission = {};
  /// For what the fields above cannot say: gets arguments that fit `arguments` and are cast as it says.
  Result<EmittedCall> (*rule)(Arguments& arguments, const CallContext& context) = nullptr;
};

// Operators and special forms.
std::span<const FunctionEntry> ArithmeticEntries();
std::span<const FunctionEntry> ComparisonEntries();
std::span<const FunctionEntry> LogicalEntries();
// Functions.
std::span<const FunctionEntry> ConditionEntries();
std::span<const FunctionEntry> NumberEntries();
std::span<const FunctionEntry> TextEntries();
std::span<const FunctionEntry> TimeEntries();
std::span<const FunctionEntry> CollectionEntries();
std::span<const FunctionEntry> JsonEntries();

// Parts that rules share.

/// Whether one of the arguments may be NULL.
bool AnyNullable(std::span<const CallArgument> arguments);
/// Fills {0} …, {*} and {zone}.
std::string FillTemplate(std::string_view emission, std::span<const CallArgument> arguments,
                         const CallContext& context);
/// "(INT, STRING)".
std::string DescribeTypes(std::span<const CallArgument> arguments);
Error WrongArguments(std::string_view name, std::span<const CallArgument> arguments, std::string_view wanted);

bool IsText(const SqlType& type);
bool IsNumeric(const SqlType& type);
bool IsKind(const SqlType& type, TypeKind kind);
/// The value cast to the type, its nullability kept. Errors as for ResolveCast.
Result<CallArgument> CastArgument(const CallArgument& value, const DataType& type, const CallContext& context);
/// All values cast to the type that they have in common, in place; that type. Errors: kInvalidArgument naming `what`.
Result<SqlType> CastToCommonType(std::string_view what, std::span<CallArgument> values, const CallContext& context);
/// `a op b` after the conversions that Flink makes for comparisons.
Result<EmittedCall> Compare(std::string_view op, CallArgument a, CallArgument b, const CallContext& context);
/// The DuckDB type of a column type that SQL can hold, which arguments always have.
std::string DuckTypeOf(const DataType& type);

}  // namespace braid
