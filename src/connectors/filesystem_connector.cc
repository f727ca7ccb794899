// 'connector' = 'filesystem': the records of a folder's files. A stream remembers every file by path, size and time of
// change; files must appear whole, by a rename.

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "connectors/connector_internal.h"
#include "connectors/record_reader.h"
#include "io/file_system.h"

namespace braid {

namespace {

// What one epoch reads at most, unless one file is larger.
constexpr std::int64_t kBytesPerStep = std::int64_t{256} << 20;

struct FileState {
  std::int64_t size_bytes = 0;
  std::int64_t modified_ms = 0;
  friend bool operator==(const FileState&, const FileState&) = default;
};
using FileSet = std::map<std::string, FileState>;

enum class ChangedFiles { kError, kIgnore, kReadAgain };

struct FilesystemSettings {
  std::string name;
  std::vector<DataField> fields;
  std::string path;  // absolute
  std::shared_ptr<const RowFormat> format;
  std::optional<std::int64_t> monitor_interval_ms;
  std::optional<std::regex> pattern;  // of whole paths
  ChangedFiles changed = ChangedFiles::kError;
};

Status AddFiles(const std::string& path, const FilesystemSettings& settings, FileSet& files) {
  Result<FileStatus> status = LocalFileSystem()->Stat(path);
  if (!status) {
    if (status.error().code() == ErrorCode::kNotFound) return Ok();  // renamed meanwhile
    return std::move(status).error();
  }
  if (!status->is_directory) {
    if (!settings.pattern || std::regex_match(path, *settings.pattern))
      files.emplace(path, FileState{status->size_bytes, status->modified_ms});
    return Ok();
  }
  BRAID_TRY_ASSIGN(const std::vector<FileInfo> children, LocalFileSystem()->List(path));
  for (const FileInfo& child : children) {
    // Hidden files are those that somebody is still writing.
    if (child.name.starts_with('.') || child.name.starts_with('_')) continue;
    BRAID_TRY(AddFiles(JoinPath(path, child.name), settings, files));
  }
  return Ok();
}

Result<FileSet> ListFiles(const FilesystemSettings& settings) {
  FileSet files;
  BRAID_TRY(AddFiles(settings.path, settings, files));
  return files;
}

Result<FileSet> FilesOf(const Json& position) {
  FileSet files;
  if (position.is_null()) return files;
  if (!position.is_object()) return Error(ErrorCode::kCorruption, "the files that were read are no object");
  for (const auto& [path, state] : position.as_object()) {
    if (!state.is_array() || state.as_array().size() != 2 || !state.as_array()[0].is_integer() ||
        !state.as_array()[1].is_integer())
      return Error(ErrorCode::kCorruption, fmt::format("what is known of {} is damaged", path));
    files.emplace(path, FileState{state.as_array()[0].as_integer(), state.as_array()[1].as_integer()});
  }
  return files;
}

Json ToPosition(const FileSet& files) {
  Json position{Json::Object()};
  for (const auto& [path, state] : files)
    position.Add(path, Json::Array{Json(state.size_bytes), Json(state.modified_ms)});
  return position;
}

// FNV-1a, 64 bits: tells sets of files apart; nobody gains by forging it.
std::string DigestOf(const FileSet& files) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const auto& [path, state] : files) {
    for (const char c : fmt::format("{}\n{}\n{}\n", path, state.size_bytes, state.modified_ms))
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  return fmt::format("{:016x}", hash);
}

Json LineageOf(const FilesystemSettings& settings, const FileSet& files) {
  Json lineage;
  lineage.Add("dataset", Json::Array{Json("file"), Json(settings.path)});
  lineage.Add("mode", "files");
  lineage.Add("count", static_cast<std::int64_t>(files.size()));
  lineage.Add("digest", DigestOf(files));
  return lineage;
}

std::unique_ptr<BatchReader> ReadFiles(const FilesystemSettings& settings, const FileSet& files) {
  std::vector<FilePart> parts;
  for (const auto& [path, state] : files) parts.push_back({.path = path, .size_bytes = state.size_bytes});
  return MakeRecordReader(*LocalFileSystem(), std::move(parts), settings.format);
}

class FilesystemStream : public ConnectorStream {
 public:
  explicit FilesystemStream(std::shared_ptr<const FilesystemSettings> settings) : settings_(std::move(settings)) {}

  Result<std::optional<StreamStep>> Next(const Json& position) override {
    BRAID_TRY_ASSIGN(FileSet read, FilesOf(position));
    BRAID_TRY_ASSIGN(const FileSet present, ListFiles(*settings_));
    FileSet fresh;
    std::int64_t bytes = 0;
    for (const auto& [path, state] : present) {
      const auto known = read.find(path);
      if (known != read.end()) {
        if (known->second == state || settings_->changed == ChangedFiles::kIgnore) continue;
        if (settings_->changed == ChangedFiles::kError) return Changed(path, known->second, state);
      }
      if (!fresh.empty() && bytes + state.size_bytes > kBytesPerStep) break;
      bytes += state.size_bytes;
      fresh.emplace(path, state);
    }
    if (fresh.empty()) return std::optional<StreamStep>();
    for (const auto& [path, state] : fresh) read.insert_or_assign(path, state);
    return std::optional(StreamStep{
        .to = ToPosition(read), .lineage = LineageOf(*settings_, fresh), .rows = ReadFiles(*settings_, fresh)});
  }

  bool IsEnd(const Json& /*position*/) const override { return !settings_->monitor_interval_ms.has_value(); }
  std::vector<std::string> WatchedFolders() const override { return {settings_->path}; }
  std::int64_t poll_interval_ms() const override { return settings_->monitor_interval_ms.value_or(1000); }

 private:
  static Error Changed(const std::string& path, const FileState& before, const FileState& now) {
    return Error(ErrorCode::kConflict, fmt::format("{} changed after it was read: it had {} bytes and has {}", path,
                                                   before.size_bytes, now.size_bytes))
        .Hint(
            "files must appear whole, by a rename, and stay; 'source.changed-files' = 'ignore' or 'read-again' goes "
            "on");
  }

  std::shared_ptr<const FilesystemSettings> settings_;
};

class FilesystemTable : public ConnectorTable {
 public:
  explicit FilesystemTable(FilesystemSettings settings)
      : settings_(std::make_shared<FilesystemSettings>(std::move(settings))) {}

  std::string_view connector() const override { return "filesystem"; }
  const std::vector<DataField>& fields() const override { return settings_->fields; }

  Result<std::unique_ptr<BatchReader>> Open(const ReadRequest& /*request*/) const override {
    BRAID_TRY_ASSIGN(const FileSet files, ListFiles(*settings_));
    if (files.empty()) {
      BRAID_TRY_ASSIGN(const bool exists, LocalFileSystem()->Exists(settings_->path));
      if (!exists) {
        return Error(ErrorCode::kNotFound,
                     fmt::format("{}, the path of {}, does not exist", settings_->path, settings_->name))
            .Hint("make the folder, or correct the option 'path'");
      }
    }
    return ReadFiles(*settings_, files);
  }

  Result<std::unique_ptr<ConnectorStream>> OpenStream() const override {
    return std::unique_ptr<ConnectorStream>(new FilesystemStream(settings_));
  }
  Result<std::unique_ptr<ConnectorSink>> OpenSink(std::string_view writer) const override {
    return MakeFileSink(settings_->format, {.directory = settings_->path, .writer = std::string(writer)});
  }

 private:
  std::shared_ptr<const FilesystemSettings> settings_;
};

Result<std::string> AbsolutePath(const ConnectorTableDefinition& definition) {
  std::string path = definition.options.Get("path", "");
  if (path.empty()) {
    return Error(ErrorCode::kInvalidArgument, "a table of the connector 'filesystem' needs the option 'path'")
        .Hint("'path' = '/folder/of/files'");
  }
  const std::size_t scheme = path.find("://");
  if (scheme != std::string::npos && ToLower(path.substr(0, scheme)) != "file") {
    return Error(ErrorCode::kUnsupported,
                 fmt::format("the connector 'filesystem' reads no {}: files", path.substr(0, scheme)))
        .Hint("files of this machine can be read");
  }
  if (scheme != std::string::npos) path = path.substr(scheme + 3);
  if (ToLower(path).starts_with("file:")) path = path.substr(5);
  // A job runs in another folder than the session that made it.
  path = std::filesystem::absolute(path).lexically_normal().string();
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

Result<ChangedFiles> ChangedFilesOf(const Options& options) {
  const std::string policy = ToLower(options.Get("source.changed-files", "error"));
  if (policy == "error") return ChangedFiles::kError;
  if (policy == "ignore") return ChangedFiles::kIgnore;
  if (policy == "read-again") return ChangedFiles::kReadAgain;
  return Error(ErrorCode::kInvalidArgument, fmt::format("'source.changed-files' is '{}'", policy))
      .Hint("it is error, ignore or read-again");
}

}  // namespace

Result<std::shared_ptr<const ConnectorTable>> OpenFilesystem(const ConnectorTableDefinition& definition,
                                                             const Clock& /*clock*/) {
  BRAID_TRY(CheckOptionNames(definition, {"path", "format", "csv.", "json.", "raw.", "source.monitor-interval",
                                          "source.path.regex-pattern", "source.changed-files"}));
  BRAID_TRY(RefusePartitions(definition));
  FilesystemSettings settings{.name = definition.name,
                              .fields = definition.fields,
                              .path = {},
                              .format = {},
                              .monitor_interval_ms = {},
                              .pattern = {}};
  BRAID_TRY_ASSIGN(settings.path, AbsolutePath(definition));
  BRAID_TRY_ASSIGN(settings.format, MakeRowFormat({.fields = definition.fields, .options = definition.options}));
  BRAID_TRY_ASSIGN(settings.changed, ChangedFilesOf(definition.options));
  if (definition.options.Has("source.monitor-interval")) {
    BRAID_TRY_ASSIGN(const auto interval,
                     definition.options.GetDuration("source.monitor-interval", std::chrono::seconds(1)));
    if (interval.count() < 1) return Error(ErrorCode::kInvalidArgument, "'source.monitor-interval' is below 1 ms");
    settings.monitor_interval_ms = interval.count();
  }
  if (const auto pattern = definition.options.Find("source.path.regex-pattern")) {
    try {
      settings.pattern.emplace(*pattern);
    } catch (const std::regex_error& error) {
      return Error(ErrorCode::kInvalidArgument,
                   fmt::format("'source.path.regex-pattern' is no pattern: {}", error.what()));
    }
  }
  return std::shared_ptr<const ConnectorTable>(new FilesystemTable(std::move(settings)));
}

}  // namespace braid
