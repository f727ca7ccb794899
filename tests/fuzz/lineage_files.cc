// What lineage reads back from files of its own: the catalog's identity and a table's UUID (lineage/catalog_file.h), and the
// sources that a snapshot names by a hash (lineage/snapshot_lineage.h).

#include "base/sha2.h"
#include "fuzz/fuzz_target.h"
#include "io/memory_file_system.h"
#include "lineage/catalog_file.h"
#include "lineage/snapshot_lineage.h"

using namespace braid;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::size_t choice = input.Choose(4);
  const std::string text(input.rest());
  MemoryFileSystem fs;
  switch (choice) {
    case 0: {
      fuzz::Require(fs.Replace("/w/.braid/catalog.json", text).has_value(), "memory refuses a file");
      const auto identity = SettleCatalogIdentity(fs, "/w", {});
      if (!fuzz::IsRead(identity)) return 0;
      const auto again = SettleCatalogIdentity(fs, "/w", identity->immutable);
      fuzz::Require(!again || again->id == identity->id, "a catalog's identity changes");
      return 0;
    }
    case 1: {
      fuzz::Require(fs.Replace("/t/.braid/table.json", text).has_value(), "memory refuses a file");
      const auto found = FindTableUuid(fs, "/t");
      if (!fuzz::IsRead(found)) return 0;
      const auto uuid = TableUuid(fs, "/t");
      fuzz::Require(uuid.has_value() && *uuid == found->value(), "a table's UUID changes");
      return 0;
    }
    case 2: {
      fuzz::Require(fs.Replace(SideFilePath("/t", "side"), text).has_value(), "memory refuses a file");
      SnapshotLineage named;
      named.job = "j";
      named.sources_ref = "side:" + Sha2Hex(text, 256);
      const auto lineage = LoadSources(fs, "/t", named);
      if (!fuzz::IsRead(lineage)) return 0;
      // Written in the snapshot or beside it, the sources are the same.
      SnapshotLineage own = *lineage;
      own.sources_ref.clear();
      const EncodedLineage encoded = EncodeLineage(own);
      if (!encoded.side_file) return 0;
      fuzz::Require(fs.Replace(SideFilePath("/t", encoded.side_file->name), encoded.side_file->content).has_value(), "memory refuses a file");
      SnapshotLineage beside;
      beside.job = "j";
      beside.sources_ref = encoded.properties.at("braid.lineage.sources-ref");
      const auto again = LoadSources(fs, "/t", beside);
      fuzz::Require(again.has_value() && again->sources == own.sources && again->outside == own.outside, "sources written and read again are others");
      return 0;
    }
    default: {
      SnapshotLineage lineage;
      lineage.sources_ref = text;
      fuzz::Require(fs.Replace("/elsewhere", "[]").has_value(), "memory refuses a file");
      fuzz::IsRead(LoadSources(fs, "/t", lineage));
      return 0;
    }
  }
}
