// make_seeds OUT WAREHOUSES: writes inputs that fuzzers start from, those that need an encoder, into OUT/<target>. WAREHOUSES:
// the golden tables, unpacked. Avro files are taken apart, so that the fuzzers change records and not compressed bytes.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <string>

#include <arrow/record_batch.h>

#include "format/avro_container.h"
#include "format/blob_format.h"
#include "format/deletion_vector.h"
#include "format/file_index.h"
#include "format/file_index_writer.h"
#include "format/orc_format.h"
#include "fuzz/avro_records.h"
#include "fuzz/columns.h"
#include "io/memory_file_system.h"
#include "meta/manifest_codec.h"
#include "types/binary_row.h"

using namespace braid;
namespace files = std::filesystem;

namespace {

constexpr std::size_t kMostBytes = 8192;
constexpr int kMostSeeds = 60;  // of one kind

class Seeds {
 public:
  explicit Seeds(files::path out) : out_(std::move(out)) {}

  /// One input: bytes that choose, then the rest. What was kept already, is too long or one too many is left out.
  void Add(const std::string& target, const std::string& kind, const std::vector<int>& choices, const std::string& bytes) {
    if (bytes.size() > kMostBytes || !kept_.insert(target + kind + bytes).second || counts_[target + kind] >= kMostSeeds) return;
    files::create_directories(out_ / target);
    std::ofstream file(out_ / target / (kind + "-" + std::to_string(counts_[target + kind]++)), std::ios::binary);
    for (const int choice : choices) file.put(static_cast<char>(choice));
    file << bytes;
  }

 private:
  files::path out_;
  std::set<std::string> kept_;
  std::map<std::string, int> counts_;
};

std::string ReadFile(const files::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The records of at most seven values, as the target wants them: their number, then the bytes.
template <typename Value, typename Encode>
void AddRecords(Seeds& seeds, const std::string& kind, int choice, const std::vector<Value>& values, const Encode& encode) {
  std::string records;
  int count = 0;
  for (const Value& value : values) {
    if (count == 7) break;
    encode(value, records);
    ++count;
  }
  seeds.Add("manifest", kind, {choice, count}, records);
}

void AddAvro(Seeds& seeds, const files::path& path) {
  const std::string bytes = ReadFile(path);
  const auto container = AvroContainer::Open(bytes);
  if (!container) return;
  const std::string name = path.filename().string();
  seeds.Add("avro_container", "file", {0}, bytes);
  seeds.Add("avro_container", "schema", {1}, std::string(container->header().schema_json));
  for (const AvroBlock& block : container->blocks()) {
    seeds.Add("avro_container", "block", {2, static_cast<int>(container->header().codec)}, std::string(block.bytes));
  }
  std::string plain;
  std::string records;
  std::int64_t record_count = 0;
  if (!container->blocks().empty()) {
    AvroDecompressor decompressor;
    const AvroBlock& block = container->blocks().front();
    if (const auto decompressed = decompressor.Decompress(container->header().codec, block.bytes)) {
      records = *decompressed;
      record_count = block.record_count;
      plain = fuzz::AvroFileOf(container->header().schema_json, record_count, records);
    }
  }
  if (name.starts_with("manifest-list-")) {
    seeds.Add("manifest", "list", {2}, plain);
    if (const auto values = DecodeManifestList(*container)) AddRecords(seeds, "list-records", 3, *values, EncodeManifestFileMeta);
  } else if (name.starts_with("index-manifest-")) {
    seeds.Add("manifest", "index", {4}, plain);
    if (const auto values = DecodeIndexManifest(*container)) AddRecords(seeds, "index-records", 5, *values, EncodeIndexManifestEntry);
  } else if (name.starts_with("manifest-")) {
    seeds.Add("manifest", "entries", {0}, plain);
    std::vector<ManifestEntry> entries;
    if (DecodeManifest(*container, 0, container->blocks().size(), {}, [&](ManifestEntry& entry) { entries.push_back(entry); })) {
      AddRecords(seeds, "entry-records", 1, entries, EncodeManifestEntry);
    }
  } else {
    const bool nested = path.string().find("nested") != std::string::npos;
    const int set = nested ? 2 : 0;
    seeds.Add("avro_file", "file", {set}, bytes);
    seeds.Add("avro_file", "plain", {set}, plain);
    if (record_count < 8) seeds.Add("avro_file", "records", {set + 1, static_cast<int>(record_count)}, records);
  }
}

// The rows of an ORC file of Java's once more without compression, and with integers and dictionaries of their own.
void AddOrc(Seeds& seeds, const files::path& path) {
  const int set = path.string().find("nested") != std::string::npos ? 1 : 0;
  const std::vector<DataField> fields = fuzz::Columns(static_cast<std::size_t>(set), 9);
  MemoryFileSystem fs;
  if (!fs.Replace("/java.orc", ReadFile(path))) return;
  const auto reader = OrcFormat().OpenReader(fs, "/java.orc", {.columns = fields, .filter = nullptr});
  if (!reader) return;
  const Options options(Options::Map{{"file.compression", "none"}, {"orc.create.index", "false"}});
  const auto writer = OrcFormat().OpenWriter(fs, "/plain.orc", fields, options);
  if (!writer) return;
  for (;;) {
    const auto batch = (*reader)->Next();
    if (!batch || !(*batch && (*writer)->Write(**batch))) break;
  }
  if ((*writer)->Finish()) seeds.Add("orc_file", "plain" + std::to_string(set), {set}, *fs.ReadAll("/plain.orc"));
}

void AddDeletionVectors(Seeds& seeds) {
  std::vector<std::int64_t> dense;
  for (std::int64_t row = 0; row < 20'000; row += row < 7000 ? 3 : 1) dense.push_back(row);
  const std::vector<std::vector<std::int64_t>> cases = {{}, {2, 3}, {1, 70'000, 140'000}, {1, std::int64_t{3} << 32}, dense};
  for (const auto& positions : cases) {
    const DeletionVector vector = DeletionVector().With(positions);
    for (const bool bitmap64 : {false, true}) {
      const auto encoded = EncodeDeletionVector(vector, bitmap64);
      if (!encoded) continue;
      seeds.Add("deletion_vector", "file", {0, 2}, "\1" + encoded->bytes);
      const std::string body = encoded->bytes.substr(4, encoded->bytes.size() - 8);
      seeds.Add("deletion_vector", "body", {1}, body);
      if (!bitmap64 && body.size() < 4000) {
        std::string bitmap = body.substr(4);
        const std::size_t sixteens = (bitmap.size() + 15) / 16;
        seeds.Add("roaring_union", "twice", {static_cast<int>(bitmap.size() / 16)}, bitmap + bitmap);
        if (bitmap.size() % 16 == 0) seeds.Add("roaring_union", "even", {static_cast<int>(sixteens)}, bitmap + bitmap);
      }
    }
  }
}

void AddFileIndexes(Seeds& seeds) {
  const std::vector<std::pair<DataType, std::function<Datum(int)>>> columns = {
      {DataType::Int(), [](int i) { return Datum(i % 11); }},
      {DataType::String(), [](int i) { return Datum("c" + std::to_string(i % 9)); }},
      {DataType::BigInt(), [](int i) { return Datum(-i); }},
      {DataType::Boolean(), [](int i) { return Datum(i % 2 == 0); }},
      {DataType::Double(), [](int i) { return Datum(0.5 * i); }},
      {DataType::Timestamp(6), [](int i) { return Datum(Timestamp{1'700'000'000'000 + i, 1000}); }},
      {DataType::Decimal(10, 2), [](int i) { return Datum(Decimal{i * 5}); }},
      {DataType::TinyInt(), [](int i) { return Datum(i); }},
      {DataType::Bytes(), [](int i) { return Datum(std::string(static_cast<std::size_t>(i % 3), 'x')); }}};
  const std::vector<std::string> kinds = {"bloom-filter", "bitmap", "bsi", "range-bitmap"};
  for (std::size_t column = 0; column < columns.size(); ++column) {
    const std::vector<DataField> fields = {{FieldId(0), "c", columns[column].first, {}, {}}};
    std::vector<DatumList> rows;
    for (int i = 0; i < 50; ++i) rows.emplace_back(1, i % 7 == 6 ? Datum() : columns[column].second(i));
    const auto batch = MakeBatch(fields, rows);
    if (!batch) continue;
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      for (const char* version : {"1", "2"}) {
        Options::Map options = {{"file-index." + kinds[kind] + ".columns", "c"}};
        if (kinds[kind] == "bloom-filter") options["file-index.bloom-filter.c.items"] = "50";
        if (kinds[kind] == "bitmap") options["file-index.bitmap.c.version"] = version;
        const auto wanted = FileIndexOptions::Parse(Options(options), fields);
        if (!wanted) continue;
        const auto writer = FileIndexWriter::Make(*wanted, fields);
        if (!writer || *writer == nullptr) continue;
        (*writer)->Add(batch->rows->columns());
        const auto container = (*writer)->Finish();
        if (!container || !*container) continue;
        const int number = static_cast<int>(column);
        seeds.Add("file_index", "container", {0, number}, **container);
        const auto parts = ParseFileIndexParts(**container);
        if (parts && !parts->empty() && parts->front().body) {
          seeds.Add("file_index", "body", {1, number, static_cast<int>(kind)}, *parts->front().body);
        }
      }
    }
  }
}

void AddBlobs(Seeds& seeds) {
  const std::vector<DataField> fields = {{FieldId(0), "b", DataType::Blob(), {}, {}}};
  const std::vector<std::vector<DatumList>> cases = {{}, {{"a"}, {Datum()}, {"some bytes"}}, {{""}, {std::string(300, 'x')}, {Datum()}}};
  for (const auto& rows : cases) {
    MemoryFileSystem fs;
    const auto batch = MakeBatch(fields, rows);
    const auto writer = BlobFormat().OpenWriter(fs, "/f", fields, Options());
    if (batch && writer && (*writer)->Write(*batch) && (*writer)->Finish()) seeds.Add("blob_file", "file", {0}, *fs.ReadAll("/f"));
  }
}

// clang takes a DatumList in braces for a copy of it, not for a list of one.
Datum List(std::initializer_list<Datum> items) {
  return Datum(DatumList(items));
}

void AddRows(Seeds& seeds) {
  const DataType text = DataType::String();
  const auto field = [](int id, const char* name, DataType type) { return DataField{FieldId(id), name, std::move(type), {}, {}}; };
  const auto add = [&](int choice, const std::vector<DataType>& types, const DatumList& values) {
    seeds.Add("binary_row", "row", {choice}, BinaryRow::Make(types, values).Serialize());
    seeds.Add("binary_row", "row", {choice}, BinaryRow::Make(types, DatumList(types.size())).Serialize());
  };
  add(0, {DataType::Int(), text, DataType::Decimal(30, 2), DataType::Timestamp(9), DataType::Array(text),
          DataType::Map(text, DataType::BigInt()), DataType::Boolean(), DataType::Bytes()},
      {7, "a text that is longer than seven bytes", Decimal{Int128{1} << 90}, Timestamp{1'700'000'000'000, 5},
       List({"x", Datum(), "a longer element"}), List({List({"k", 1})}), true, std::string(20, '\xFF')});
  add(1, {text}, DatumList(1, "short"));
  add(2, {DataType::Date(), DataType::TinyInt(), DataType::SmallInt(), DataType::Float(), DataType::Double(), DataType::Time(3)},
      {19782, -1, 300, 0.5F, -0.5, 86'399'999});
  const DataType row = DataType::Row({field(0, "x", text), field(1, "y", DataType::Array(DataType::Decimal(38, 0)))});
  add(3, {row, DataType::Variant()}, {List({"inner", List({Decimal{5}})}), List({std::string("\x0c\x05", 2), std::string("\x01\0\0", 3)})});
  add(4, {DataType::Array(DataType::Array(DataType::TinyInt())), DataType::Multiset(text), DataType::Vector(DataType::Float(), 3)},
      {List({List({1, 2}), List({})}), List({List({"m", 2})}), List({0.5F, 1.5F, 2.5F})});
  add(5, {DataType::Array(DataType::Boolean()), DataType::TimestampLtz(3), DataType::Decimal(5, 2), DataType::Char(3)},
      {List({true, false, Datum()}), Timestamp{1, 0}, Decimal{125}, "abc"});
  const DataType inner = DataType::Row({field(0, "a", DataType::TimestampLtz(9)), field(1, "b", DataType::Map(text, text))});
  add(6, {DataType::Array(inner)}, DatumList(1, List({List({Timestamp{5, 7}, List({List({"k", "v"})})})})));
  add(7, {}, {});
  const std::string names("\x01\x02\x00\x01\x02" "ab", 7);
  const std::string value("\x02\x02\x00\x01\x00\x0d\x0e" "\x03\x02\x00\x02\x07\x0c\x01\x11text" "\x00", 21);
  seeds.Add("variant", "object", {7}, names + value);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: make_seeds OUT WAREHOUSES\n");
    return 2;
  }
  Seeds seeds(arguments[1]);
  std::vector<files::path> avro;
  std::vector<files::path> orc;
  for (const auto& entry : files::recursive_directory_iterator(arguments[2])) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file()) continue;
    const bool is_manifest = name.starts_with("manifest-") || name.starts_with("index-manifest-");
    if (is_manifest || name.ends_with(".avro")) avro.push_back(entry.path());
    if (name.ends_with(".orc")) orc.push_back(entry.path());
  }
  // Not in the order of their tables, so that the first ones come from many.
  for (std::vector<files::path>* paths : {&avro, &orc}) {
    std::sort(paths->begin(), paths->end(), [](const files::path& a, const files::path& b) {
      return std::pair(std::hash<std::string>()(a.filename().string()), a) < std::pair(std::hash<std::string>()(b.filename().string()), b);
    });
  }
  for (const files::path& path : avro) AddAvro(seeds, path);
  for (const files::path& path : orc) AddOrc(seeds, path);
  AddDeletionVectors(seeds);
  AddFileIndexes(seeds);
  AddBlobs(seeds);
  AddRows(seeds);
  return 0;
}
