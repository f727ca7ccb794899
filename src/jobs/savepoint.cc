#include "jobs/savepoint.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "jobs/epoch_runner.h"
#include "jobs/fault_point.h"
#include "lineage/snapshot_lineage.h"
#include "meta/stores.h"
#include "table/rollback.h"

namespace braid {

namespace {

constexpr const char* kManifest = "/manifest.json";
constexpr const char* kState = "/state.duckdb";
constexpr std::size_t kListedSnapshots = 5;

Status CopySynced(const std::string& from, const std::string& to) {
  std::error_code error;
  std::filesystem::copy_file(from, to, std::filesystem::copy_options::overwrite_existing, error);
  if (error) return Error(ErrorCode::kIo, fmt::format("cannot copy {} to {}: {}", from, to, error.message()));
  const std::vector<std::string> files = {to};
  return LocalFileSystem()->SyncFiles(files);
}

// The newest snapshot of a sink, as the manifest has it.
Result<Json> HeadOf(const Table& table) {
  Json head;
  BRAID_TRY_ASSIGN(const std::optional<Snapshot> latest, ReadLatestSnapshot(table.file_system(), table.paths()));
  head.Add("snapshot", latest ? latest->id.value() : 0);
  head.Add("identity", latest ? IdentityOf(*latest) : std::string());
  head.Add("branch", table.paths().branch());
  head.Add("schemaId", table.schema().id.value());
  return head;
}

Result<Json> ManifestOf(const SavepointContent& content, const Clock& clock) {
  Json manifest;
  manifest.Add("formatVersion", 1);
  manifest.Add("job", content.job);
  manifest.Add("run", content.identity.run);
  manifest.Add("generation", content.identity.generation);
  manifest.Add("barrier", content.identity.barrier);
  manifest.Add("createdMillis", clock.NowMs());
  manifest.Add("statement", content.statement);
  manifest.Add("plan", content.identity.plan);
  Json::Array sources;
  for (const SavepointContent::Source& source : content.sources) {
    Json one;
    one.Add("table", source.source->name());
    one.Add("position", source.position);
    sources.emplace_back(std::move(one));
  }
  manifest.Add("sources", std::move(sources));
  Json::Array sinks;
  for (const SavepointContent::Sink& sink : content.sinks) {
    Json one;
    one.Add("table", sink.name);
    one.Add("commitUser", content.identity.commit_user);
    if (sink.table != nullptr) {
      BRAID_TRY_ASSIGN(Json head, HeadOf(*sink.table));
      one.Add("head", std::move(head));
    }
    sinks.emplace_back(std::move(one));
  }
  manifest.Add("sinks", std::move(sinks));
  return manifest;
}

// A name that no savepoint there has: nothing may have been committed since the last one.
Result<std::string> FreeName(const std::string& directory, const std::string& name) {
  for (int number = 1;; ++number) {
    std::string candidate = number == 1 ? name : fmt::format("{}-{}", name, number);
    BRAID_TRY_ASSIGN(const bool taken, LocalFileSystem()->Exists(JoinPath(directory, candidate)));
    if (!taken) return candidate;
  }
}

Status TagSink(const Table& table, const std::string& name) {
  BRAID_TRY_ASSIGN(std::optional<Snapshot> snapshot, ReadLatestSnapshot(table.file_system(), table.paths()));
  if (!snapshot) return Ok();
  Status written = WriteTag(table.file_system(), table.paths(),
                            {.name = name, .snapshot = *std::move(snapshot), .create_time = {}, .time_retained = {}});
  // Of a savepoint that a crash left half made.
  if (!written && written.error().code() == ErrorCode::kAlreadyExists) return Ok();
  return written;
}

Status CheckSink(const Json& saved, const PlannedInsert& insert, const std::string& savepoint) {
  const Json* head = saved.Find("head");
  const auto* table = std::get_if<Table>(&insert.table);
  if (head == nullptr || table == nullptr) return Ok();
  BRAID_TRY_ASSIGN(const std::int64_t id, head->GetInteger("snapshot"));
  BRAID_TRY_ASSIGN(const std::string identity, head->GetString("identity"));
  BRAID_TRY_ASSIGN(const Json now, HeadOf(*table));
  BRAID_TRY_ASSIGN(const std::int64_t latest, now.GetInteger("snapshot"));
  BRAID_TRY_ASSIGN(const std::string latest_identity, now.GetString("identity"));
  if (latest == id && latest_identity == identity) return Ok();
  std::vector<std::string> made;
  for (std::int64_t next = id + 1; next <= latest; ++next) {
    const Result<Snapshot> snapshot = ReadSnapshot(table->file_system(), table->paths(), SnapshotId(next));
    if (snapshot && made.size() < kListedSnapshots)
      made.push_back(fmt::format("{} by {}", next, snapshot->commit_user));
  }
  const std::string list = made.empty() ? "snapshot " + std::to_string(id) + " is not its newest any more"
                                        : "snapshot " + Join(made, ", snapshot ");
  return Error(ErrorCode::kConflict, fmt::format("{} has moved on since the savepoint: {}", insert.name, list))
      .Context("while restoring " + savepoint)
      .Hint(
          "--rollback-sinks gives the table its content of then by a new snapshot, --rebuild-state instead of the "
          "savepoint writes the difference");
}

Result<Json> ReadManifest(const std::string& savepoint, const JobPlan& plan) {
  Result<std::string> text = LocalFileSystem()->ReadAll(savepoint + kManifest);
  if (!text && text.error().code() == ErrorCode::kNotFound) {
    return Error(ErrorCode::kNotFound, fmt::format("there is no savepoint at {}", savepoint))
        .Hint("`braid job show` lists those of a job");
  }
  if (!text) return std::move(text).error();
  BRAID_TRY_ASSIGN(Json manifest, ParseJson(*text).Context("while reading " + savepoint + kManifest));
  BRAID_TRY_ASSIGN(const std::int64_t version, manifest.GetInteger("formatVersion"));
  if (version != 1) {
    return Error(ErrorCode::kUnsupported,
                 fmt::format("the savepoint {} has format version {}; this program knows 1", savepoint, version))
        .Hint("use a newer Braid");
  }
  const Json* sinks = manifest.Find("sinks");
  if (sinks == nullptr || !sinks->is_array() || sinks->as_array().size() != plan.inserts.size()) {
    return Error(ErrorCode::kConflict, fmt::format("the savepoint {} is of another statement", savepoint))
        .Hint("give one of this job");
  }
  return manifest;
}

}  // namespace

Result<std::string> WriteSavepoint(const SavepointContent& content, const std::string& state_file,
                                   const std::string& directory, const Clock& clock) {
  const std::string base = fmt::format("savepoint-{}-g{}-{}", NameInTables(content.job), content.identity.generation,
                                       content.identity.barrier);
  BRAID_TRY(LocalFileSystem()->CreateDirectories(directory));
  BRAID_TRY_ASSIGN(const std::string name, FreeName(directory, base));
  const std::string path = JoinPath(directory, name);
  const std::string temporary = JoinPath(directory, "." + name + ".tmp");
  BRAID_TRY(LocalFileSystem()->DeleteTree(temporary));
  BRAID_TRY(LocalFileSystem()->CreateDirectories(temporary));
  BRAID_TRY(CopySynced(state_file, temporary + kState));
  FaultPoint("savepoint.copied");
  BRAID_TRY_ASSIGN(const Json manifest, ManifestOf(content, clock));
  BRAID_TRY(LocalFileSystem()->CreateAtomically(temporary + kManifest, PrintJsonPretty(manifest)));
  FaultPoint("savepoint.described");
  for (const SavepointContent::Source& source : content.sources) BRAID_TRY(source.source->Tag(name, source.position));
  for (const SavepointContent::Sink& sink : content.sinks) {
    if (sink.table != nullptr) BRAID_TRY(TagSink(*sink.table, name));
  }
  FaultPoint("savepoint.tagged");
  BRAID_TRY(LocalFileSystem()->Rename(temporary, path));
  const std::vector<std::string> renamed = {path + kManifest};
  BRAID_TRY(LocalFileSystem()->SyncFiles(renamed));
  FaultPoint("savepoint.named");
  return path;
}

Status RestoreSavepoint(const JobFolder& folder, const std::string& savepoint, const JobPlan& plan, bool check_sinks) {
  BRAID_TRY_ASSIGN(const Json manifest, ReadManifest(savepoint, plan));
  for (std::size_t i = 0; check_sinks && i < plan.inserts.size(); ++i)
    BRAID_TRY(CheckSink(manifest.Find("sinks")->as_array()[i], plan.inserts[i], savepoint));
  BRAID_TRY(folder.RemoveState());
  const std::string temporary = folder.StateFile() + ".restored";
  BRAID_TRY(CopySynced(savepoint + kState, temporary));
  FaultPoint("restart.restored");
  return LocalFileSystem()->Rename(temporary, folder.StateFile());
}

Status RollBackSinks(const std::string& savepoint, const JobPlan& plan, const Clock& clock) {
  BRAID_TRY_ASSIGN(const Json manifest, ReadManifest(savepoint, plan));
  const std::string tag(BaseName(savepoint));
  for (std::size_t i = 0; i < plan.inserts.size(); ++i) {
    const Status stands = CheckSink(manifest.Find("sinks")->as_array()[i], plan.inserts[i], savepoint);
    if (stands) continue;
    if (stands.error().code() != ErrorCode::kConflict) return stands;
    BRAID_TRY(RollbackAsLatest(std::get<Table>(plan.inserts[i].table), {.tag = tag}, clock)
                  .Context("while rolling back " + plan.inserts[i].name));
  }
  return Ok();
}

}  // namespace braid
