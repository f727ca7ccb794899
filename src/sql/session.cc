#include "sql/session.h"

#include <utility>
#include <variant>

#include "sql/statement_internal.h"
#include "syntax/parser.h"

namespace braid {

class Session::Impl {
 public:
  explicit Impl(SessionSettings settings) : state(std::move(settings)) {}
  SessionState state;
};

Session::Session(SessionSettings settings) : impl_(std::make_unique<Impl>(std::move(settings))) {}
Session::~Session() = default;

Result<StatementResult> Session::Execute(std::string_view statement) {
  const auto started = std::chrono::steady_clock::now();
  impl_->state.Begin();
  BRAID_TRY_ASSIGN(const syntax::Statement tree, syntax::ParseStatement(statement));
  const StatementContext context{.session = impl_->state, .text = statement};
  if (impl_->state.statement_set() && !std::holds_alternative<syntax::Insert>(tree.node) &&
      !std::holds_alternative<syntax::EndStatementSet>(tree.node)) {
    return Error(ErrorCode::kInvalidArgument, "only INSERT can stand in a statement set")
        .Hint("END ends the set and runs it");
  }
  Result<StatementResult> result = RunStatement(tree, context);
  if (!result) return result;
  result->started = started;
  for (std::string& notice : impl_->state.TakeNotices()) result->notices.push_back(std::move(notice));
  return result;
}

Result<JobPlan> Session::PlanJob(std::string_view statement) {
  impl_->state.Begin();
  BRAID_TRY_ASSIGN(const syntax::Statement tree, syntax::ParseStatement(statement));
  impl_->state.PlanForJobs(true);
  Result<JobPlan> plan = PlanJobStatement(tree, {.session = impl_->state, .text = statement});
  impl_->state.PlanForJobs(false);
  return plan;
}

std::string Session::time_zone() const {
  return impl_->state.time_zone();
}
const Options& Session::options() const {
  return impl_->state.options();
}
std::string Session::Option(std::string_view key) const {
  return impl_->state.Option(key);
}
bool Session::in_statement_set() const {
  return impl_->state.statement_set().has_value();
}
void Session::Cancel() {
  impl_->state.Cancel();
}

Result<StatementResult> RunStatement(const syntax::Statement& statement, const StatementContext& context) {
  return std::visit([&](const auto& node) { return Run(node, context); }, statement.node);
}

}  // namespace braid
