// The places of keys (table/key_place_index.h): against a model, and with the local files that hold most of them damaged.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include <unistd.h>

#include "fuzz/fuzz_target.h"
#include "table/key_place_index.h"

using namespace braid;
namespace files = std::filesystem;

namespace {

constexpr std::int64_t kMemoryBytes = 5000;  // just above what an empty index takes: files are many and small

// Keys of 0 to 4,500 bytes, so that some fill a block.
std::string KeyOf(std::size_t number) {
  constexpr std::size_t kLengths[] = {0, 1, 4, 40, 400, 4500};
  std::string key(kLengths[number % 6], static_cast<char>('a' + number % 23));
  return key.empty() ? key : key + static_cast<char>(number);
}

void Damage(const std::string& folder, std::size_t which, std::size_t offset, char byte) {
  std::vector<std::string> paths;
  for (const auto& file : files::directory_iterator(folder)) paths.push_back(file.path());
  if (paths.empty()) return;
  std::sort(paths.begin(), paths.end());
  const std::string& path = paths[which % paths.size()];
  const std::size_t size = files::file_size(path);
  if (size == 0) return;
  if (offset == 0) {
    files::resize_file(path, size / 2);
    return;
  }
  std::fstream stream(path, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(static_cast<std::streamoff>(offset % size));
  stream.put(byte);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string kFolder = "/dev/shm/braid-fuzz-keys-" + std::to_string(::getpid());
  files::create_directories(kFolder);
  fuzz::Input input(data, size);
  {
    KeyPlaceIndex index(kFolder, kMemoryBytes);
    std::map<std::string, KeyPlace> model;
    bool is_damaged = false;
    while (!input.rest().empty()) {
      const std::size_t choice = input.Choose(16);
      if (choice == 15) {
        const std::size_t which = input.Choose(8);
        const std::size_t offset = input.Choose(256) * 256 + input.Choose(256);
        Damage(kFolder, which, offset, static_cast<char>(input.Choose(256)));
        is_damaged = true;
      } else if (choice >= 8) {
        const std::string key = KeyOf(input.Choose(256));
        const KeyPlace place{.partition = static_cast<std::int32_t>(choice), .bucket = static_cast<std::int32_t>(input.Choose(256))};
        const Status put = index.Put(key, place);
        fuzz::Require(put.has_value() || is_damaged, "a place cannot be put");
        if (!put) break;
        model[key] = place;
      } else {
        std::vector<std::string> keys;
        for (std::size_t i = 0; i <= choice; ++i) keys.push_back(KeyOf(input.Choose(256)));
        const auto places = index.Find(keys);
        fuzz::Require(places.has_value() || is_damaged, "places cannot be found");
        if (!fuzz::IsRead(places) || is_damaged) continue;
        for (std::size_t i = 0; i < keys.size(); ++i) {
          const auto known = model.find(keys[i]);
          fuzz::Require((*places)[i] == (known == model.end() ? std::nullopt : std::optional(known->second)), "a key has another place");
        }
      }
    }
  }
  fuzz::Require(files::is_empty(kFolder), "a file is left");
  return 0;
}
