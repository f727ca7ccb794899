#include <utility>

#include <arrow/filesystem/azurefs.h>
#include <arrow/filesystem/filesystem.h>
#include <arrow/io/interfaces.h>
#include <fmt/format.h>

#include "io/arrow_file_system_internal.h"
#include "io/arrow_objects_internal.h"
#include "io/read_ahead_file_internal.h"
#include "io/storage_traits.h"

namespace braid {

namespace {

constexpr int kParallelCalls = 64;

class ArrowFileSystem : public FileSystem, public StorageTraits {
 public:
  ArrowFileSystem(std::shared_ptr<arrow::fs::FileSystem> files, std::string root, std::string arrow_root)
      : root_(root),
        objects_(std::move(files), [root = std::move(root), arrow_root = std::move(arrow_root)](std::string_view path) -> Result<std::string> {
          if (!path.starts_with(root)) return Error(ErrorCode::kInvalidArgument, fmt::format("{} does not lie below {}", path, root));
          return arrow_root + std::string(path.substr(root.size()));
        }) {}

  Result<std::string> ReadAll(std::string_view path) const override {
    BRAID_TRY_ASSIGN(const std::unique_ptr<InputFile> file, Open(path));
    std::string content(static_cast<std::size_t>(file->size_bytes()), '\0');
    BRAID_TRY(file->ReadAt(0, std::as_writable_bytes(std::span(content))));
    return content;
  }

  Result<std::unique_ptr<InputFile>> Open(std::string_view path) const override {
    BRAID_TRY_ASSIGN(const std::shared_ptr<arrow::io::RandomAccessFile> file, objects_.OpenInput(path));
    const arrow::Result<std::int64_t> size = file->GetSize();
    if (!size.ok()) return ArrowError("open", path, size.status());
    auto fetch = [file, name = std::string(path)](std::int64_t offset, std::int64_t byte_count) -> Result<std::string> {
      std::string bytes(static_cast<std::size_t>(byte_count), '\0');
      const arrow::Result<std::int64_t> read = file->ReadAt(offset, byte_count, bytes.data());
      if (!read.ok()) return ArrowError("read", name, read.status());
      if (*read == byte_count) return bytes;
      return Error(ErrorCode::kCorruption, fmt::format("{} ends at byte {}, but {} are needed", name, offset + *read, offset + byte_count));
    };
    return std::make_unique<ReadAheadFile>(std::string(path), *size, std::string(), std::move(fetch));
  }

  Result<std::vector<FileInfo>> List(std::string_view directory) const override { return objects_.List(directory); }
  Result<FileStatus> Stat(std::string_view path) const override { return objects_.Stat(path); }

  Result<std::unique_ptr<OutputFile>> Create(std::string_view path) override { return ReadOnly(path); }
  Status CreateAtomically(std::string_view path, std::string_view) override { return ReadOnly(path); }
  Status Replace(std::string_view path, std::string_view) override { return ReadOnly(path); }
  Status Delete(std::string_view path) override { return ReadOnly(path); }
  Status DeleteTree(std::string_view directory) override { return ReadOnly(directory); }
  Result<bool> DeleteEmptyDirectory(std::string_view directory) override { return ReadOnly(directory); }
  Status Rename(std::string_view from, std::string_view) override { return ReadOnly(from); }
  Status CreateDirectories(std::string_view directory) override { return ReadOnly(directory); }
  Status SyncFiles(std::span<const std::string>) override { return ReadOnly(root_); }

  bool CanRename() const override { return false; }
  int ParallelCalls() const override { return kParallelCalls; }
  void Expect(std::span<const std::string>) const override {}
  Result<bool> Has(std::string_view path) const override {
    const Result<FileStatus> status = Stat(path);
    if (!status && status.error().code() != ErrorCode::kNotFound) return status.error();
    return status.has_value();
  }

 private:
  static Error ReadOnly(std::string_view path) {
    return Error(ErrorCode::kUnsupported,
                 fmt::format("cannot change {}: stores of scheme '{}' can be read, not written, since no creation of a file that one of two writers wins is to be had there",
                             path, path.substr(0, path.find(':'))))
        .Hint("write to a local folder or an S3-compatible store; Google's stores have such an endpoint too");
  }

  const std::string root_;
  const ArrowObjects objects_;
};

// Azure's key of the account, else the chain of the environment.
arrow::Result<std::shared_ptr<arrow::fs::FileSystem>> OpenAzure(const std::string& root, const Options& options, std::string* path) {
  ARROW_ASSIGN_OR_RAISE(arrow::fs::AzureOptions azure, arrow::fs::AzureOptions::FromUri(root, path));
  if (const auto key = options.Find("fs.azure.account.key")) ARROW_RETURN_NOT_OK(azure.ConfigureAccountKeyCredential(*key));
  return arrow::fs::AzureFileSystem::Make(azure);
}

}  // namespace

Result<std::shared_ptr<FileSystem>> OpenArrowFileSystem(const std::string& root, const Options& options) {
  std::string arrow_root;
  arrow::Result<std::shared_ptr<arrow::fs::FileSystem>> files =
      root.starts_with("abfs") ? OpenAzure(root, options, &arrow_root) : arrow::fs::FileSystemFromUri(root, &arrow_root);
  const bool lacks_hadoop =
      root.starts_with("hdfs") && files.status().message().find("Unable to load") != std::string::npos;
  if (lacks_hadoop) {
    return Error(ErrorCode::kUnsupported, fmt::format("cannot open {}: HDFS is reached through Hadoop's libhdfs.so and "
                                                      "a Java machine's libjvm.so, which are not both here",
                                                      root))
        .Hint("set JAVA_HOME and HADOOP_HOME, and CLASSPATH to what `hadoop classpath --glob` prints");
  }
  if (!files.ok()) return ArrowError("open", root, files.status());
  return std::make_shared<ArrowFileSystem>(*std::move(files), root, std::move(arrow_root));
}

}  // namespace braid
