#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "meta/stores.h"
#include "table/branch_files_internal.h"

namespace braid {

namespace {

constexpr std::size_t kMaxNameBytes = 128;
constexpr std::string_view kJsonSuffix = ".json";

Error BadName(std::string_view name, std::string_view reason) {
  return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' cannot be the name of a branch: {}", name, reason))
      .Id("branch.name")
      .Hint("a name has 1 to 128 bytes, is not 'main' and not a number, and has none of / \\ $ : * ? \" < > | in it");
}

bool IsUtf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
    if (length == 0 || lead > 0xf4 || i + length > text.size()) return false;
    for (std::size_t j = 1; j < length; ++j) {
      if ((static_cast<unsigned char>(text[i + j]) & 0xc0) != 0x80) return false;
    }
    i += length;
  }
  return true;
}

}  // namespace

Status CheckBranchName(std::string_view name) {
  if (name.empty()) return BadName(name, "it is empty");
  if (name.size() > kMaxNameBytes) return BadName(name, fmt::format("it has {} bytes", name.size()));
  if (IsMainName(name)) return BadName(name, "main is always there");
  if (!IsUtf8(name)) return BadName(ToHex(name), "it is not UTF-8");
  if (std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return BadName(name, "it is a number");
  for (const char c : name) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return BadName(ToHex(name), "it has a control character");
    if (std::string_view("/\\$:*?\"<>|").find(c) != std::string_view::npos) {
      return BadName(name, fmt::format("it has '{}' in it", c));
    }
  }
  if (Trim(name).size() != name.size()) return BadName(name, "it begins or ends with white space");
  if (name.front() == '.' || name.back() == '.') return BadName(name, "it begins or ends with a dot");
  if (name.find("..") != std::string_view::npos) return BadName(name, "it has two dots in a row");
  return Ok();
}

Status CopyMetadataFile(FileSystem& fs, const std::string& source, const std::string& target) {
  BRAID_TRY_ASSIGN(const std::string content, fs.ReadAll(source));
  const Status created = fs.CreateAtomically(target, content);
  if (created || created.error().code() == ErrorCode::kIo) return created;
  const Result<std::string> present = fs.ReadAll(target);
  if (!present) return created;
  if (*present == content) return Ok();
  return Error(ErrorCode::kAlreadyExists, fmt::format("{} exists already and differs from {}", target, source));
}

Status StageCopy(FileSystem& fs, const std::string& source, const std::string& target) {
  BRAID_TRY_ASSIGN(const std::string content, fs.ReadAll(source));
  return fs.Replace(target, content);
}

Status WriteGuardTag(FileSystem& fs, const TablePaths& line, const std::string& name, const Snapshot& snapshot) {
  const Result<Tag> present = ReadTag(fs, line, name);
  if (present && RefOf(present->snapshot) == RefOf(snapshot)) return Ok();
  if (!present && present.error().code() != ErrorCode::kNotFound) return present.error();
  // Left over from a branch of that name which is gone: nothing needs it.
  if (present) BRAID_TRY(DeleteTagFile(fs, line, name));
  return WriteTag(fs, line, {.name = name, .snapshot = snapshot, .create_time = {}, .time_retained = {}});
}

const ForkRecord* LowestForkBelow(const TableLines& lines, const Line& line, std::string_view ancestor_id) {
  const ForkRecord* lowest = nullptr;
  const Line* at = &line;
  for (std::size_t steps = 0; steps <= lines.lines.size() && at != nullptr; ++steps) {
    if (!at->record || !at->record->anchor) return nullptr;
    const ForkRecord& record = *at->record;
    if (lowest == nullptr || record.anchor->snapshot.id < lowest->anchor->snapshot.id) lowest = &record;
    if (record.parent_line_id == ancestor_id) return lowest;
    at = lines.FindById(record.parent_line_id);
  }
  return nullptr;
}

Result<UnderId> LookUnderId(const FileSystem& fs, const TablePaths& line, const Snapshot& snapshot) {
  const Result<Snapshot> present = ReadSnapshot(fs, line, snapshot.id);
  if (!present && present.error().code() == ErrorCode::kNotFound) return UnderId::kNothing;
  if (!present) return present.error();
  return RefOf(*present) == RefOf(snapshot) ? UnderId::kThatSnapshot : UnderId::kAnother;
}

Result<Snapshot> ForkPointOf(const FileSystem& fs, const ForkRecord& record, const TablePaths& parent) {
  if (!record.anchor) {
    return Error(ErrorCode::kNotFound, fmt::format("branch {} was not made from a snapshot", record.name));
  }
  const SnapshotRef& fork = record.anchor->snapshot;
  if (record.base && RefOf(*record.base) == fork) return *record.base;
  Result<Snapshot> snapshot = ReadSnapshot(fs, parent, fork.id);
  if (snapshot && RefOf(*snapshot) == fork) return snapshot;
  BRAID_TRY_ASSIGN(const std::vector<std::string> names, ListTags(fs, parent));
  for (const std::string& name : names) {
    Result<Tag> tag = ReadTag(fs, parent, name);
    if (tag && RefOf(tag->snapshot) == fork) return std::move(tag->snapshot);
  }
  return Error(ErrorCode::kNotFound, fmt::format("{} does not have snapshot {} any more, from which {} goes back to it",
                                                 parent.DisplayName(), fork.id, record.name));
}

Status DeleteTagFile(FileSystem& fs, const TablePaths& line, const std::string& name) {
  return fs.Delete(line.TagFile(name));
}

Result<bool> WritesGuardTags(const FileSystem& fs, const TablePaths& line) {
  BRAID_TRY_ASSIGN(const std::optional<TableSchema> schema, ReadLatestSchema(fs, line));
  if (!schema) return true;
  return schema->options.GetBool("branch.guard-tags", true);
}

Result<const Line*> FindLine(const TableLines& lines, std::string_view name, std::string_view table_name) {
  if (const Line* line = lines.Find(name)) return line;
  std::vector<std::string> names;
  for (const Line& line : lines.lines) {
    if (line.kind == LineKind::kBranch && !line.is_retired()) names.push_back(line.name);
  }
  Error error = Error(ErrorCode::kNotFound, fmt::format("{} has no branch '{}'", table_name, name)).Id("branch.not-found");
  if (const auto nearest = NearestName(name, names))
    return std::move(error).Hint(fmt::format("did you mean '{}'?", *nearest));
  return std::move(error).Hint(names.empty() ? "it has no branch but main"
                                             : "it has the branches " + Join(names, ", "));
}

Result<const Line*> FindBranch(const TableLines& lines, std::string_view name, std::string_view table_name) {
  BRAID_TRY_ASSIGN(const Line* line, FindLine(lines, name, table_name));
  if (!line->is_main && line->kind == LineKind::kBranch) return line;
  return Error(ErrorCode::kInvalidArgument, fmt::format("{} is the main branch of {}", name, table_name))
      .Id("branch.is-main")
      .Hint("`braid branch replace-main` puts another branch in its place");
}

Result<std::vector<std::string>> StageSchemas(FileSystem& fs, const TablePaths& from, const TablePaths& to,
                                              std::optional<SchemaId> last) {
  BRAID_TRY_ASSIGN(const std::vector<SchemaId> ids, ListSchemas(fs, from));
  std::vector<std::string> files;
  for (const SchemaId id : ids) {
    if (last && id > *last) break;
    BRAID_TRY(StageCopy(fs, from.SchemaFile(id), to.SchemaFile(id)));
    files.push_back(to.SchemaFile(id));
  }
  return files;
}

Status WriteAlias(FileSystem& fs, const TablePaths& root, std::string_view name, const BranchAlias& alias) {
  Json json;
  json.Add("formatVersion", 1);
  json.Add("lineId", alias.line_id);
  json.Add("branch", alias.branch);
  json.Add("millis", alias.made_ms);
  json.Add("op", alias.operation);
  const std::string path = root.AliasFile(name);
  BRAID_TRY(fs.Replace(path, PrintJsonPretty(json)));
  return fs.SyncFiles(std::vector{path});
}

Result<std::vector<std::pair<std::string, BranchAlias>>> ListAliases(const FileSystem& fs, const TablePaths& root) {
  BRAID_TRY_ASSIGN(const std::vector<FileInfo> files, fs.List(root.AliasDirectory()));
  std::vector<std::pair<std::string, BranchAlias>> aliases;
  for (const FileInfo& file : files) {
    if (file.name.starts_with('.') || !file.name.ends_with(kJsonSuffix)) continue;
    const std::string name = file.name.substr(0, file.name.size() - kJsonSuffix.size());
    BRAID_TRY_ASSIGN(std::optional<BranchAlias> alias, ReadAlias(fs, root, name, 0));
    if (alias) aliases.emplace_back(name, *std::move(alias));
  }
  return aliases;
}

std::string EngineName() {
  return "braid " BRAID_VERSION;
}

}  // namespace braid
