#include "sql/window_tables.h"

#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "sql/queries.h"
#include "sql/scopes.h"

namespace braid {
namespace {

Error Invalid(std::string message) {
  return Error(ErrorCode::kInvalidArgument, std::move(message));
}

/// A timestamp of this many milliseconds as TIMESTAMP(3).
Scalar FromMillis(const std::string& sql, std::vector<ColumnId> columns) {
  return Scalar{.type = DataType::Timestamp(3).NotNull(),
                .sql = fmt::format("epoch_ms({})", sql),
                .literal = {},
                .is_json = false,
                .columns = std::move(columns)};
}

Result<Scalar> Cast(const Analysis& analysis, const Scalar& value, const DataType& type) {
  BRAID_TRY_ASSIGN(EmittedCall call, ResolveCast(ToArgument(value), type, false, analysis.calls()));
  return ToScalar(std::move(call), std::span(&value, 1));
}

/// The values of the three window columns.
Result<std::vector<Scalar>> WindowValues(const Analysis& analysis, const std::string& start, const std::string& end,
                                         const std::vector<ColumnId>& columns, const DataType& time_type) {
  std::vector<Scalar> values = {FromMillis(start, columns), FromMillis(end, columns)};
  BRAID_TRY_ASSIGN(Scalar window_time,
                   Cast(analysis, FromMillis(fmt::format("({} - 1)", end), columns), time_type.NotNull()));
  values.push_back(std::move(window_time));
  return values;
}

std::vector<OutputColumn> WindowColumns(Analysis& analysis, const std::vector<Scalar>& values) {
  constexpr std::array kNames = {"window_start", "window_end", "window_time"};
  std::vector<OutputColumn> columns;
  for (std::size_t i = 0; i < values.size(); ++i)
    columns.push_back(OutputColumn{.id = analysis.NextColumn(), .name = kNames[i], .type = values[i].type});
  return columns;
}

/// The start of the aligned window of this length that holds the time.
std::string AlignedStart(const std::string& millis, std::int64_t length_ms, std::int64_t offset_ms) {
  return fmt::format("({0} - (({0} - ({1})) % {2} + {2}) % {2})", millis, offset_ms, length_ms);
}

OperatorPtr AddTumbling(Analysis& analysis, const OperatorPtr& input, std::vector<Scalar> values) {
  std::vector<Scalar> all;
  for (const OutputColumn& column : input->columns) all.push_back(ColumnScalar(column));
  std::vector<OutputColumn> columns = input->columns;
  for (OutputColumn& column : WindowColumns(analysis, values)) columns.push_back(std::move(column));
  all.insert(all.end(), std::make_move_iterator(values.begin()), std::make_move_iterator(values.end()));
  return MakeOperator(std::move(columns), op::Project{.input = input, .values = std::move(all)});
}

}  // namespace

Result<WindowShape> MakeWindowShape(std::string_view function, const std::vector<Scalar>& intervals) {
  if (EqualsIgnoreCase(function, "SESSION"))
    return Error(ErrorCode::kUnsupported, "session windows are not supported in batch mode");
  const bool tumbles = EqualsIgnoreCase(function, "TUMBLE");
  const std::size_t needed = tumbles ? 1 : 2;
  if (intervals.size() != needed && intervals.size() != needed + 1) {
    return Invalid(fmt::format("{} takes {} after the time, and an offset if need be", function,
                               tumbles ? "one interval" : "two intervals"));
  }
  std::vector<std::int64_t> millis;
  for (const Scalar& interval : intervals) {
    if (interval.type.kind() != SqlType::Kind::kMillis || !interval.literal || interval.literal->is_null()) {
      return Invalid(fmt::format("the lengths of {} are literal intervals of days or less", function));
    }
    millis.push_back(interval.literal->as_int());
  }
  WindowShape shape;
  shape.kind = tumbles ? WindowShape::Kind::kTumble
                       : (EqualsIgnoreCase(function, "HOP") ? WindowShape::Kind::kHop : WindowShape::Kind::kCumulate);
  shape.size_ms = millis[needed - 1];
  shape.step_ms = millis[0];
  if (millis.size() > needed) shape.offset_ms = millis.back();
  if (shape.size_ms <= 0 || shape.step_ms <= 0)
    return Invalid(fmt::format("the lengths of {} must be positive", function));
  if (shape.kind == WindowShape::Kind::kCumulate && shape.size_ms % shape.step_ms != 0)
    return Invalid("the size of CUMULATE must be a multiple of its step");
  return shape;
}

Result<OperatorPtr> AddWindows(Analysis& analysis, const OperatorPtr& input, const Scalar& time,
                               const WindowShape& shape) {
  if (!time.type.is_value() || !time.type.data().is_timestamp())
    return Invalid(fmt::format("a window needs a TIMESTAMP, not {}", Describe(time.type)));
  BRAID_TRY_ASSIGN(Scalar given, Call(analysis, "IS NOT NULL", {time}));
  const OperatorPtr timed = MakePassing(op::Filter{.input = input, .condition = std::move(given)});
  // Windows of instants are cut in local time.
  BRAID_TRY_ASSIGN(const Scalar local, Cast(analysis, time, DataType::Timestamp(3)));
  const std::string millis = fmt::format("epoch_ms({})", local.sql);
  if (shape.kind == WindowShape::Kind::kTumble) {
    const std::string start = AlignedStart(millis, shape.size_ms, shape.offset_ms);
    BRAID_TRY_ASSIGN(
        std::vector<Scalar> values,
        WindowValues(analysis, start, fmt::format("({} + {})", start, shape.size_ms), time.columns, time.type.data()));
    return AddTumbling(analysis, timed, std::move(values));
  }
  const bool hops = shape.kind == WindowShape::Kind::kHop;
  const std::string start = AlignedStart(millis, hops ? shape.step_ms : shape.size_ms, shape.offset_ms);
  // HOP lists the starts, last first; CUMULATE the ends after the time.
  Scalar list{
      .type = DataType::Array(DataType::BigInt()), .sql = {}, .literal = {}, .is_json = false, .columns = time.columns};
  list.sql = hops ? fmt::format("range({}, {} - {}, -{})", start, millis, shape.size_ms, shape.step_ms)
                  : fmt::format("range({0} + (({1} - {0}) // {2} + 1) * {2}, {0} + {3} + 1, {2})", start, millis,
                                shape.step_ms, shape.size_ms);
  const ColumnId element = analysis.NextColumn();
  std::vector<ColumnId> reads = time.columns;
  reads.push_back(element);
  const std::string first =
      hops ? ColumnSql(element)
           : AlignedStart(fmt::format("({} - 1)", ColumnSql(element)), shape.size_ms, shape.offset_ms);
  const std::string last = hops ? fmt::format("({} + {})", ColumnSql(element), shape.size_ms) : ColumnSql(element);
  BRAID_TRY_ASSIGN(std::vector<Scalar> values, WindowValues(analysis, first, last, {element}, time.type.data()));
  std::vector<OutputColumn> columns = timed->columns;
  for (OutputColumn& column : WindowColumns(analysis, values)) columns.push_back(std::move(column));
  return MakeOperator(std::move(columns), op::Unnest{.input = timed,
                                                     .list = std::move(list),
                                                     .outer = false,
                                                     .element = element,
                                                     .ordinal = {},
                                                     .values = std::move(values)});
}

namespace {

/// The arguments of a windowing table function, by name or by position.
struct WindowArguments {
  const syntax::TableArgument* data = nullptr;
  const syntax::Descriptor* time = nullptr;
  std::vector<Scalar> intervals;
};

/// Names of the interval arguments in their order.
std::vector<std::string> IntervalNames(std::string_view function) {
  if (EqualsIgnoreCase(function, "TUMBLE")) return {"SIZE", "OFFSET"};
  if (EqualsIgnoreCase(function, "HOP")) return {"SLIDE", "SIZE", "OFFSET"};
  if (EqualsIgnoreCase(function, "CUMULATE")) return {"STEP", "SIZE", "OFFSET"};
  return {"GAP"};
}

/// Puts named arguments into the order of positional ones.
Result<std::vector<const syntax::Expression*>> InOrder(const Analysis& analysis, const syntax::FunctionCall& call) {
  std::vector<std::string> names = {"DATA", "TIMECOL"};
  for (std::string& name : IntervalNames(call.name.last())) names.push_back(std::move(name));
  std::vector<const syntax::Expression*> ordered(names.size(), nullptr);
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const syntax::CallArgument& argument = call.arguments[i];
    std::size_t position = i;
    if (argument.name) {
      const auto found = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
        return EqualsIgnoreCase(name, argument.name->name);
      });
      if (found == names.end()) {
        return analysis
            .ErrorAt(argument.name->position,
                     fmt::format("{} has no argument '{}'", call.name.last(), argument.name->name))
            .Hint("its arguments are " + Join(names, ", "));
      }
      position = static_cast<std::size_t>(found - names.begin());
    }
    if (position >= ordered.size())
      return analysis.ErrorAt(argument.value->position,
                              fmt::format("{} has at most {} arguments", call.name.last(), names.size()));
    ordered[position] = argument.value.get();
  }
  while (!ordered.empty() && ordered.back() == nullptr) ordered.pop_back();
  return ordered;
}

Result<WindowArguments> ReadArguments(Analysis& analysis, const syntax::FunctionCall& call, syntax::Position position) {
  BRAID_TRY_ASSIGN(const auto ordered, InOrder(analysis, call));
  WindowArguments arguments;
  const Error wanted = analysis.ErrorAt(
      position, fmt::format("{} takes TABLE t, DESCRIPTOR(time) and intervals", ToUpper(call.name.last())));
  if (ordered.size() < 3 || ordered[0] == nullptr || ordered[1] == nullptr) return wanted;
  arguments.data = std::get_if<syntax::TableArgument>(&ordered[0]->node);
  arguments.time = std::get_if<syntax::Descriptor>(&ordered[1]->node);
  if (arguments.data == nullptr || arguments.time == nullptr || arguments.time->columns.size() != 1) return wanted;
  const ExpressionSite constant{.clause = "a window"};
  for (std::size_t i = 2; i < ordered.size(); ++i) {
    if (ordered[i] == nullptr) return wanted;
    BRAID_TRY_ASSIGN(Scalar interval, AnalyzeExpression(analysis, constant, *ordered[i]));
    arguments.intervals.push_back(std::move(interval));
  }
  return arguments;
}

Result<OperatorPtr> ReadData(Analysis& analysis, const syntax::TableArgument& data, const Surroundings& around) {
  if (data.query) return AnalyzeRelation(analysis, *data.query, around);
  const syntax::TableExpression table{.position = data.table->position(),
                                      .node = syntax::NamedTable{.name = *data.table}};
  BRAID_TRY_ASSIGN(FromClause from, AnalyzeFrom(analysis, table, around));
  return std::move(from.source);
}

}  // namespace

Result<FromClause> AnalyzeWindowTable(Analysis& analysis, const syntax::FunctionCall& call, syntax::Position position,
                                      const Surroundings& around) {
  const std::string name = ToUpper(call.name.last());
  if (name != "TUMBLE" && name != "HOP" && name != "CUMULATE" && name != "SESSION") {
    return analysis
        .ErrorAt(position, fmt::format("there is no table function {}", call.name.last()), ErrorCode::kNotFound)
        .Hint("table functions are TUMBLE, HOP and CUMULATE");
  }
  BRAID_TRY_ASSIGN(const WindowArguments arguments, ReadArguments(analysis, call, position));
  Result<WindowShape> shape = MakeWindowShape(name, arguments.intervals);
  if (!shape) return analysis.Place(position, shape.error());
  BRAID_TRY_ASSIGN(const OperatorPtr input, ReadData(analysis, *arguments.data, around));
  const Scope scope = ScopeOf({}, input->columns);
  BRAID_TRY_ASSIGN(const ResolvedColumn time,
                   ResolveColumn(analysis, scope, syntax::QualifiedName{.parts = {arguments.time->columns.front()}}));
  Result<OperatorPtr> windowed = AddWindows(analysis, input, ColumnScalar(time.column->id, time.column->type), *shape);
  if (!windowed) return analysis.Place(arguments.time->columns.front().position, windowed.error());
  Scope all = ScopeOf({}, (*windowed)->columns);
  return FromClause{.source = *std::move(windowed), .scope = std::move(all)};
}

}  // namespace braid
