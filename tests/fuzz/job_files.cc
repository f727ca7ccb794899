// What a streaming job reads back: its record and status (jobs/job_folder.h), the commit messages of an epoch
// (jobs/commit_message_json.h), and the lineage that snapshots carry (lineage/snapshot_lineage.h).

#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "base/json.h"
#include "fuzz/fuzz_target.h"
#include "jobs/commit_message_json.h"
#include "jobs/job_folder.h"
#include "lineage/snapshot_lineage.h"
#include "meta/snapshot_json.h"

using namespace braid;

namespace {

// Job folders are always on the local disk.
class Folder {
 public:
  Folder() : path_("/dev/shm/braid-fuzz-" + std::to_string(::getpid())) { std::filesystem::create_directories(path_); }
  ~Folder() { std::filesystem::remove_all(path_); }
  JobFolder With(const char* name, std::string_view text) const {
    std::ofstream(path_ + "/" + name, std::ios::binary | std::ios::trunc) << text;
    return JobFolder(path_);
  }

 private:
  std::string path_;
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder kFolder;
  fuzz::Input input(data, size);
  switch (input.Choose(4)) {
    case 0: {
      const JobFolder folder = kFolder.With("job.json", input.rest());
      const auto record = folder.ReadRecord();
      if (!fuzz::IsRead(record)) return 0;
      fuzz::Require(folder.WriteRecord(*record).has_value(), "a record cannot be written");
      fuzz::Require(folder.ReadRecord().has_value(), "a written record cannot be read");
      return 0;
    }
    case 1: {
      const JobFolder folder = kFolder.With("status.json", input.rest());
      const auto status = folder.ReadStatus();
      if (!fuzz::IsRead(status)) return 0;
      static_cast<void>(ErrorOf(*status, folder));
      fuzz::Require(folder.WriteStatus(*status).has_value(), "a status cannot be written");
      fuzz::Require(folder.ReadStatus().has_value(), "a written status cannot be read");
      return 0;
    }
    case 2: {
      const auto json = ParseJson(input.rest());
      if (!json) return 0;
      const auto messages = DecodeCommitMessages(*json);
      if (!fuzz::IsRead(messages)) return 0;
      const auto encoded = EncodeCommitMessages(*messages);
      if (!fuzz::IsRead(encoded)) return 0;
      const auto again = DecodeCommitMessages(*encoded);
      fuzz::Require(again.has_value(), "written commit messages cannot be read");
      return 0;
    }
    default: {
      const auto snapshot = ParseSnapshot(input.rest());
      if (!snapshot) return 0;
      static_cast<void>(IdentityOf(*snapshot));
      const auto lineage = DecodeLineage(*snapshot);
      if (!lineage) return 0;
      const auto encoded = EncodeLineage(*lineage);
      Snapshot other = *snapshot;
      for (const auto& [key, value] : encoded.properties) other.properties[key] = value;
      if (!encoded.side_file && lineage->sources_ref.empty()) {
        const auto again = DecodeLineage(other);
        fuzz::Require(again.has_value() && again->sources == lineage->sources, "lineage written and read again is another");
      }
      return 0;
    }
  }
}
