// Tags: create_tag, create_tag_from_timestamp, create_tag_from_watermark, replace_tag, rename_tag, delete_tag,
// expire_tags, trigger_tag_automatic_creation.

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "base/options.h"
#include "base/option_lists.h"
#include "sql/procedure.h"
#include "table/operation.h"
#include "table/snapshot_selector.h"
#include "table/tag_change.h"
#include "table/tag_correction.h"
#include "table/tag_creation.h"
#include "table/tag_removal.h"
#include "types/local_time.h"

namespace braid {

namespace {

Result<NewTag> NewTagOf(const Table& table, const ProcedureArguments& arguments) {
  SnapshotSelector selector;
  if (const auto id = arguments.Int("snapshot_id")) selector.id = SnapshotId(*id);
  selector.timestamp_ms = arguments.Int("timestamp");
  selector.watermark = arguments.Int("watermark");
  NewTag tag{.name = *arguments.Text("tag"), .snapshot = {}};
  BRAID_TRY_ASSIGN(tag.snapshot, SelectSnapshot(table, selector));
  if (const auto retained = arguments.Text("time_retained")) {
    BRAID_TRY_ASSIGN(tag.time_retained, ParseDuration(*retained).Context("in argument 'time_retained'"));
  }
  return tag;
}

Result<StatementResult> Create(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Table table, OpenTableArgument(arguments, context));
  BRAID_TRY_ASSIGN(const NewTag tag, NewTagOf(table, arguments));
  BRAID_TRY(CreateTag(table, tag, context.session.clock()));
  return ProcedureSuccess();
}

// The answers of the procedures that take a time or watermark name what they found.
Result<StatementResult> CreateFound(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Table table, OpenTableArgument(arguments, context));
  BRAID_TRY_ASSIGN(const NewTag tag, NewTagOf(table, arguments));
  BRAID_TRY(CreateTag(table, tag, context.session.clock()));
  const Snapshot& snapshot = tag.snapshot;
  return RowsResult({{"tagName", DataType::String()},
                     {"snapshot", DataType::BigInt()},
                     {"commit_time", DataType::BigInt()},
                     {"watermark", DataType::String()}},
                    {{tag.name, snapshot.id.value(), snapshot.time_millis,
                      snapshot.watermark ? std::to_string(*snapshot.watermark) : std::string("null")}});
}

Result<StatementResult> Replace(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Table table, OpenTableArgument(arguments, context));
  if (const auto branch = arguments.Text("branch")) {
    CorrectTagRequest request{.tag = *arguments.Text("tag"), .branch = *branch};
    if (const auto id = arguments.Int("snapshot_id")) request.snapshot = SnapshotId(*id);
    request.assume_exclusive = arguments.Bool("assume_exclusive").value_or(false);
    OperationContext operation = ContextOf(table);
    operation.clock = &context.session.clock();
    BRAID_TRY(CorrectTag(operation, request));
    return ProcedureSuccess();
  }
  BRAID_TRY_ASSIGN(const NewTag tag, NewTagOf(table, arguments));
  BRAID_TRY(MoveTag(table, tag, context.session.clock()));
  return ProcedureSuccess();
}

Result<StatementResult> Rename(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Table table, OpenTableArgument(arguments, context));
  const std::string from = *arguments.Text("tagName");
  const std::string to = *arguments.Text("targetTagName");
  BRAID_TRY(RenameTag(table, from, to));
  return TextResult("result", {fmt::format("Rename [{}] to [{}] successfully.", from, to)});
}

Result<StatementResult> Delete(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Table table, OpenTableArgument(arguments, context));
  BRAID_TRY(DeleteTags(table, ParseList(*arguments.Text("tag")), {}, context.session.clock()));
  return ProcedureSuccess();
}

Result<StatementResult> Expire(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Table table, OpenTableArgument(arguments, context));
  std::optional<std::int64_t> older_than_ms;
  if (const auto text = arguments.Text("older_than")) {
    BRAID_TRY_ASSIGN(older_than_ms, ParseLocalTime(*text).Context("in argument 'older_than'"));
  }
  BRAID_TRY_ASSIGN(const TagRemoval removal, ExpireTags(table, older_than_ms, {}, context.session.clock()));
  return TextResult("expired_tags", removal.tags.empty() ? std::vector<std::string>{"No expired tags."} : removal.tags);
}

Result<StatementResult> CreateAutomatic(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Table table, OpenTableArgument(arguments, context));
  BRAID_TRY(CreateAutomaticTags(table, context.session.clock()));
  return ProcedureSuccess();
}

std::vector<ProcedureParameter> TagParameters(const char* source, bool source_is_optional) {
  return {{"table", DataType::String()},
          {"tag", DataType::String()},
          {source, DataType::BigInt(), source_is_optional},
          {"time_retained", DataType::String(), true}};
}

}  // namespace

Procedure CreateTagProcedure() {
  return {"create_tag", TagParameters("snapshot_id", true), Create};
}

Procedure CreateTagFromTimestampProcedure() {
  return {"create_tag_from_timestamp", TagParameters("timestamp", false), CreateFound};
}

Procedure CreateTagFromWatermarkProcedure() {
  return {"create_tag_from_watermark", TagParameters("watermark", false), CreateFound};
}

Procedure ReplaceTagProcedure() {
  std::vector<ProcedureParameter> parameters = TagParameters("snapshot_id", true);
  parameters.push_back({"branch", DataType::String(), true});
  parameters.push_back({"assume_exclusive", DataType::Boolean(), true});
  return {"replace_tag", std::move(parameters), Replace};
}

Procedure RenameTagProcedure() {
  return {"rename_tag",
          {{"table", DataType::String()}, {"tagName", DataType::String()}, {"targetTagName", DataType::String()}},
          Rename};
}

Procedure DeleteTagProcedure() {
  return {"delete_tag", {{"table", DataType::String()}, {"tag", DataType::String()}}, Delete};
}

Procedure ExpireTagsProcedure() {
  return {"expire_tags", {{"table", DataType::String()}, {"older_than", DataType::String(), true}}, Expire};
}

Procedure TriggerTagAutomaticCreationProcedure() {
  return {"trigger_tag_automatic_creation", {{"table", DataType::String()}}, CreateAutomatic};
}

}  // namespace braid
