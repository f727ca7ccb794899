// A connector's table as the source of a job.

#include <utility>

#include "jobs/job_source.h"
#include "jobs/weighted_scan.h"

namespace braid {

namespace {

class OutsideSource : public JobSource {
 public:
  OutsideSource(std::string name, std::shared_ptr<const ConnectorTable> table, std::unique_ptr<ConnectorStream> stream)
      : name_(std::move(name)), table_(std::move(table)), stream_(std::move(stream)) {}

  const std::string& name() const override { return name_; }
  SourceTraits traits() const override { return {.append_only = true, .time_travel = false}; }

  // Nothing is there before the first step.
  Result<SourceStep> Start(const SourceStart& /*start*/) override {
    return SourceStep{.to = Json(), .changes = nullptr, .table = {}, .outside = {}};
  }

  Result<std::optional<SourceStep>> Next(const Json& position) override {
    BRAID_TRY_ASSIGN(std::optional<StreamStep> step, stream_->Next(position));
    if (!step) return std::optional<SourceStep>();
    return std::optional(SourceStep{.to = std::move(step->to),
                                    .changes = MakeWeightedStream(name_, table_->fields(), std::move(step->rows)),
                                    .table = {},
                                    .outside = std::move(step->lineage)});
  }

  Result<bool> Stands(const Json& /*position*/) const override { return true; }
  bool HasMoved() const override { return false; }
  bool CanStartAgain() const override { return false; }
  bool IsEnd(const Json& position) const override { return stream_->IsEnd(position); }
  Status Pin(const std::string& /*consumer*/, const Json& /*position*/, bool /*whole*/) override { return Ok(); }
  Result<bool> Tag(const std::string& /*name*/, const Json& /*position*/) override { return false; }
  Result<std::int64_t> Lag(const Json& /*position*/) const override { return 0; }
  std::vector<std::string> WatchedFolders() const override { return stream_->WatchedFolders(); }
  std::int64_t poll_interval_ms() const override { return stream_->poll_interval_ms(); }

 private:
  std::string name_;
  std::shared_ptr<const ConnectorTable> table_;
  std::unique_ptr<ConnectorStream> stream_;
};

}  // namespace

Result<std::unique_ptr<JobSource>> OpenOutsideSource(const ResolvedTable& table,
                                                     std::shared_ptr<const ConnectorTable> connector) {
  const std::string name = table.catalog + "." + table.identifier.ToString();
  BRAID_TRY_ASSIGN(auto stream, connector->OpenStream().Context("while opening " + name));
  return std::unique_ptr<JobSource>(new OutsideSource(name, std::move(connector), std::move(stream)));
}

std::string NameInTables(const std::string& job) {
  std::string name = job.substr(0, 64);
  for (char& c : name) {
    const bool kept =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
    if (!kept) c = '-';
  }
  return name;
}

Result<std::unique_ptr<JobSource>> OpenJobSource(const ResolvedTable& table) {
  if (table.relation && std::holds_alternative<Table>(*table.relation)) return OpenTableSource(table);
  if (table.relation) {
    const auto& virtual_table = std::get<std::shared_ptr<const VirtualTable>>(*table.relation);
    if (auto connector = std::dynamic_pointer_cast<const ConnectorTable>(virtual_table))
      return OpenOutsideSource(table, std::move(connector));
  }
  return Error(ErrorCode::kUnsupported, table.identifier.ToString() + " cannot be read by a streaming job")
      .Hint("SET 'execution.runtime-mode' = 'batch' reads it as it is now");
}

}  // namespace braid
