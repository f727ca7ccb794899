// Avro containers (format/avro_container.h), their blocks with every codec, and Avro schemas as JSON.

#include "format/avro_container.h"
#include "format/avro_schema.h"
#include "fuzz/fuzz_target.h"

using namespace braid;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  switch (input.Choose(3)) {
    case 0: {
      const auto container = AvroContainer::Open(std::string(input.rest()));
      if (!fuzz::IsRead(container)) return 0;
      fuzz::IsRead(AvroSchema::Parse(container->header().schema_json));
      AvroDecompressor decompressor;
      for (const AvroBlock& block : container->blocks()) fuzz::IsRead(decompressor.Decompress(container->header().codec, block.bytes));
      return 0;
    }
    case 1: fuzz::IsRead(AvroSchema::Parse(input.rest())); return 0;
    default: {
      const auto codec = static_cast<AvroCodec>(input.Choose(4));
      AvroDecompressor decompressor;
      const auto records = decompressor.Decompress(codec, input.rest());
      if (!fuzz::IsRead(records) || records->size() > (1 << 20)) return 0;
      const std::string kept(*records);
      AvroCompressor compressor;
      std::string compressed;
      fuzz::Require(compressor.Compress(codec, 1, kept, compressed).has_value(), "records cannot be compressed");
      const auto again = decompressor.Decompress(codec, compressed);
      fuzz::Require(again.has_value() && *again == kept, "records compressed and decompressed are others");
      return 0;
    }
  }
}
