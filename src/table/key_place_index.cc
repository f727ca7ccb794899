#include "table/key_place_index.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/uuid.h"
#include "io/file_system.h"

namespace braid {

namespace {

constexpr std::size_t kBlockBytes = 4096;  // a block ends with the entry that reaches this
constexpr std::size_t kMostRuns = 8;

// An entry as it lies in memory and in files; the key's bytes follow.
struct EntryHead {
  std::uint64_t hash = 0;
  std::uint32_t key_bytes = 0;
  KeyPlace place{};
};
constexpr std::size_t kHeadBytes = sizeof(std::uint64_t) + sizeof(std::uint32_t) + sizeof(KeyPlace);

struct Entry {
  EntryHead head;
  std::string_view key;

  std::size_t size() const { return kHeadBytes + key.size(); }
  friend bool operator<(const Entry& a, const Entry& b) {
    return std::tie(a.head.hash, a.key) < std::tie(b.head.hash, b.key);
  }
  bool IsOf(std::uint64_t hash, std::string_view other) const { return head.hash == hash && key == other; }
};

std::uint64_t HashOf(std::string_view key) {
  return std::hash<std::string_view>()(key);
}

void AppendEntry(const Entry& entry, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(&entry.head.hash), sizeof(entry.head.hash));
  bytes.append(reinterpret_cast<const char*>(&entry.head.key_bytes), sizeof(entry.head.key_bytes));
  bytes.append(reinterpret_cast<const char*>(&entry.head.place), sizeof(entry.head.place));
  bytes.append(entry.key);
}

// Precondition: the head is there. The key is a part of `bytes`, if it is there too.
Entry EntryAt(const char* bytes) {
  Entry entry;
  std::memcpy(&entry.head.hash, bytes, sizeof(entry.head.hash));
  bytes += sizeof(entry.head.hash);
  std::memcpy(&entry.head.key_bytes, bytes, sizeof(entry.head.key_bytes));
  bytes += sizeof(entry.head.key_bytes);
  std::memcpy(&entry.head.place, bytes, sizeof(entry.head.place));
  entry.key = {bytes + sizeof(entry.head.place), entry.head.key_bytes};
  return entry;
}

}  // namespace

// Entries one after the other, and a hash table of where they begin. A key that gets another place keeps its entry.
class KeyPlaceIndex::Recent {
 public:
  std::optional<KeyPlace> Find(std::uint64_t hash, std::string_view key) const {
    const std::size_t slot = SlotOf(hash, key);
    if (slots_.empty() || slots_[slot] == 0) return std::nullopt;
    return EntryAt(bytes_.data() + slots_[slot] - 1).head.place;
  }

  void Put(std::uint64_t hash, std::string_view key, KeyPlace place) {
    if ((count_ + 1) * 2 > slots_.size()) Grow();
    std::uint32_t& slot = slots_[SlotOf(hash, key)];
    if (slot != 0) {
      std::memcpy(bytes_.data() + slot - 1 + kHeadBytes - sizeof(place), &place, sizeof(place));
      return;
    }
    slot = static_cast<std::uint32_t>(bytes_.size() + 1);
    AppendEntry({{hash, static_cast<std::uint32_t>(key.size()), place}, key}, bytes_);
    ++count_;
  }

  std::int64_t memory_bytes() const {
    return static_cast<std::int64_t>(bytes_.capacity() + slots_.capacity() * sizeof(std::uint32_t));
  }
  // Offsets are 32 bits.
  bool IsFull(std::int64_t limit) const {
    return static_cast<std::int64_t>(bytes_.size() + slots_.size() * sizeof(std::uint32_t)) >=
           std::min<std::int64_t>(limit, std::int64_t{1} << 31);
  }

  std::vector<Entry> Sorted() const {
    std::vector<Entry> entries;
    entries.reserve(count_);
    for (std::size_t at = 0; at < bytes_.size(); at += entries.back().size())
      entries.push_back(EntryAt(bytes_.data() + at));
    std::sort(entries.begin(), entries.end());
    return entries;
  }

 private:
  // The key's slot, or the free one where it would be.
  std::size_t SlotOf(std::uint64_t hash, std::string_view key) const {
    if (slots_.empty()) return 0;
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash & mask;
    while (slots_[slot] != 0 && !EntryAt(bytes_.data() + slots_[slot] - 1).IsOf(hash, key)) slot = (slot + 1) & mask;
    return slot;
  }

  void Grow() {
    slots_.assign(std::max<std::size_t>(1024, slots_.size() * 2), 0);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = 0; at < bytes_.size();) {
      const Entry entry = EntryAt(bytes_.data() + at);
      std::size_t slot = entry.head.hash & mask;
      while (slots_[slot] != 0) slot = (slot + 1) & mask;
      slots_[slot] = static_cast<std::uint32_t>(at + 1);
      at += entry.size();
    }
  }

  std::string bytes_;
  std::vector<std::uint32_t> slots_;  // offset + 1; 0: free
  std::size_t count_ = 0;
};

// A file of entries in the order of their hashes, each key once.
class KeyPlaceIndex::Run {
 public:
  ~Run() { static_cast<void>(LocalFileSystem()->Delete(path_)); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // Writes a run, entry by entry.
  class Writer {
   public:
    static Result<Writer> Make(const std::string& directory) {
      BRAID_TRY(LocalFileSystem()->CreateDirectories(directory));
      std::unique_ptr<Run> run(new Run(JoinPath(directory, fmt::format("keys-{}", RandomUuid()))));
      BRAID_TRY_ASSIGN(auto file, LocalFileSystem()->Create(run->path_));
      return Writer(std::move(run), std::move(file));
    }
    Status Add(const Entry& entry) {
      if (block_.empty()) {
        run_->first_hashes_.push_back(entry.head.hash);
        run_->offsets_.push_back(written_);
      }
      AppendEntry(entry, block_);
      return block_.size() >= kBlockBytes ? EndBlock() : Ok();
    }
    Result<std::unique_ptr<Run>> Finish() {
      BRAID_TRY(EndBlock());
      BRAID_TRY(file_->Close());
      run_->offsets_.push_back(written_);
      BRAID_TRY_ASSIGN(run_->file_, LocalFileSystem()->Open(run_->path_));
      return std::move(run_);
    }

   private:
    Writer(std::unique_ptr<Run> run, std::unique_ptr<OutputFile> file) : run_(std::move(run)), file_(std::move(file)) {}
    Status EndBlock() {
      BRAID_TRY(file_->Append(block_));
      written_ += static_cast<std::int64_t>(block_.size());
      block_.clear();
      return Ok();
    }

    std::unique_ptr<Run> run_;
    std::unique_ptr<OutputFile> file_;
    std::string block_;
    std::int64_t written_ = 0;
  };

  // Reads blocks; keeps the last one.
  class Reader {
   public:
    explicit Reader(const Run& run) : run_(run) {}

    Result<std::optional<KeyPlace>> Find(std::uint64_t hash, std::string_view key) {
      // The first block that may hold the hash: the one before the first that begins with it or a greater one.
      const auto begin = run_.first_hashes_.begin();
      const auto bound = std::lower_bound(begin, run_.first_hashes_.end(), hash);
      auto block = static_cast<std::size_t>(bound - begin);
      if (block > 0) --block;
      for (; block < run_.first_hashes_.size() && run_.first_hashes_[block] <= hash; ++block) {
        BRAID_TRY(Load(block));
        for (std::size_t at = 0; at < bytes_.size();) {
          BRAID_TRY_ASSIGN(const Entry entry, WholeEntryAt(at));
          if (entry.IsOf(hash, key)) return std::optional(entry.head.place);
          if (entry.head.hash > hash) return std::optional<KeyPlace>();
          at += entry.size();
        }
      }
      return std::optional<KeyPlace>();
    }

    // Entries in order. The key stays until the next call.
    Result<std::optional<Entry>> Next() {
      if (block_ == kNone || next_ == bytes_.size()) {
        const std::size_t following = block_ == kNone ? 0 : block_ + 1;
        if (following == run_.first_hashes_.size()) return std::optional<Entry>();
        BRAID_TRY(Load(following));
        next_ = 0;
      }
      BRAID_TRY_ASSIGN(const Entry entry, WholeEntryAt(next_));
      next_ += entry.size();
      return std::optional(entry);
    }

   private:
    static constexpr std::size_t kNone = SIZE_MAX;

    // The bytes come from a file, which others could have changed.
    Result<Entry> WholeEntryAt(std::size_t at) const {
      const std::size_t left = bytes_.size() - at;
      if (left >= kHeadBytes) {
        const Entry entry = EntryAt(bytes_.data() + at);
        if (entry.key.size() <= left - kHeadBytes) return entry;
      }
      return Error(ErrorCode::kCorruption, fmt::format("{} was changed while it was in use", run_.path_))
          .Hint("repeat it, and keep others out of the temporary folder");
    }

    Status Load(std::size_t block) {
      if (block == block_) return Ok();
      const std::int64_t offset = run_.offsets_[block];
      bytes_.resize(static_cast<std::size_t>(run_.offsets_[block + 1] - offset));
      block_ = kNone;
      BRAID_TRY(run_.file_->ReadAt(offset, std::as_writable_bytes(std::span(bytes_))));
      block_ = block;
      return Ok();
    }

    const Run& run_;
    std::size_t block_ = kNone;
    std::string bytes_;
    std::size_t next_ = 0;
  };

  std::int64_t memory_bytes() const {
    return static_cast<std::int64_t>((first_hashes_.capacity() + offsets_.capacity()) * sizeof(std::uint64_t));
  }

 private:
  explicit Run(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::unique_ptr<InputFile> file_;
  std::vector<std::uint64_t> first_hashes_;  // of each block
  std::vector<std::int64_t> offsets_;        // of each block, and the end
};

KeyPlaceIndex::KeyPlaceIndex(std::string directory, std::int64_t memory_bytes)
    : directory_(std::move(directory)), memory_limit_(memory_bytes), recent_(std::make_unique<Recent>()) {}

KeyPlaceIndex::~KeyPlaceIndex() = default;

Result<std::vector<std::optional<KeyPlace>>> KeyPlaceIndex::Find(std::span<const std::string> keys) const {
  std::vector<std::optional<KeyPlace>> places(keys.size());
  std::vector<std::pair<std::uint64_t, std::size_t>> wanted;  // hash and position
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::uint64_t hash = HashOf(keys[i]);
    places[i] = recent_->Find(hash, keys[i]);
    if (!places[i] && !runs_.empty()) wanted.emplace_back(hash, i);
  }
  std::sort(wanted.begin(), wanted.end());  // so that a block is read once
  for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
    Run::Reader reader(**run);
    for (const auto& [hash, position] : wanted) {
      if (places[position]) continue;
      BRAID_TRY_ASSIGN(places[position], reader.Find(hash, keys[position]));
    }
  }
  return places;
}

Status KeyPlaceIndex::Put(std::string_view key, KeyPlace place) {
  recent_->Put(HashOf(key), key, place);
  return recent_->IsFull(memory_limit_) ? Spill() : Ok();
}

// Writes the recent entries to a file; all files into one when there are too many.
Status KeyPlaceIndex::Spill() {
  {
    BRAID_TRY_ASSIGN(auto writer, Run::Writer::Make(directory_));
    for (const Entry& entry : recent_->Sorted()) BRAID_TRY(writer.Add(entry));
    BRAID_TRY_ASSIGN(auto run, writer.Finish());
    runs_.push_back(std::move(run));
    recent_ = std::make_unique<Recent>();
  }
  if (runs_.size() < kMostRuns) return Ok();
  struct Head {
    Entry entry;
    std::size_t run;
    // The least entry first, of equal keys the newest.
    bool operator<(const Head& other) const {
      if (other.entry < entry) return true;
      return !(entry < other.entry) && run < other.run;
    }
  };
  std::vector<Run::Reader> readers;
  for (const auto& run : runs_) readers.emplace_back(*run);
  std::priority_queue<Head> heads;
  const auto advance = [&](std::size_t run) -> Status {
    BRAID_TRY_ASSIGN(const std::optional<Entry> entry, readers[run].Next());
    if (entry) heads.push({*entry, run});
    return Ok();
  };
  for (std::size_t run = 0; run < readers.size(); ++run) BRAID_TRY(advance(run));
  BRAID_TRY_ASSIGN(auto writer, Run::Writer::Make(directory_));
  std::string last_key;
  std::optional<std::uint64_t> last_hash;
  while (!heads.empty()) {
    const Head head = heads.top();
    heads.pop();
    if (!last_hash || !head.entry.IsOf(*last_hash, last_key)) {
      BRAID_TRY(writer.Add(head.entry));
      last_hash = head.entry.head.hash;
      last_key.assign(head.entry.key);
    }
    BRAID_TRY(advance(head.run));
  }
  BRAID_TRY_ASSIGN(auto merged, writer.Finish());
  runs_.clear();
  runs_.push_back(std::move(merged));
  return Ok();
}

std::int64_t KeyPlaceIndex::memory_bytes() const {
  std::int64_t bytes = recent_->memory_bytes();
  for (const auto& run : runs_) bytes += run->memory_bytes();
  return bytes;
}

}  // namespace braid
