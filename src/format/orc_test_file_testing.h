#pragma once

// ORC files put together by hand, for what no writer of ours writes; include only from tests.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "format/orc_numbers.h"
#include "format/orc_proto.h"

namespace braid {

/// A file of one stripe, without compression.
struct OrcTestFile {
  struct Column {
    OrcEncoding encoding = OrcEncoding::kDirect;
    std::uint64_t dictionary_size = 0;
    std::vector<std::pair<OrcStreamKind, std::string>> streams{};
  };
  std::vector<std::string> types;  ///< messages Type, by column id
  std::vector<Column> columns;     ///< by column id, the root's first
  std::uint64_t row_count = 0;
  std::string writer_zone = "UTC";

  std::string Encode() const {
    std::string file = "ORC";
    OrcMessageWriter stripe_footer;
    for (std::size_t id = 0; id < columns.size(); ++id) {
      for (const auto& [kind, bytes] : columns[id].streams) {
        file += bytes;
        OrcMessageWriter stream;
        stream.AddNumber(1, static_cast<std::uint64_t>(kind));
        stream.AddNumber(2, id);
        stream.AddNumber(3, bytes.size());
        stripe_footer.AddBytes(1, stream.bytes());
      }
    }
    for (const Column& column : columns) {
      OrcMessageWriter encoding;
      encoding.AddNumber(1, static_cast<std::uint64_t>(column.encoding));
      encoding.AddNumber(2, column.dictionary_size);
      stripe_footer.AddBytes(2, encoding.bytes());
    }
    stripe_footer.AddBytes(3, writer_zone);
    OrcMessageWriter stripe;
    stripe.AddNumber(1, 3);
    stripe.AddNumber(3, file.size() - 3);
    stripe.AddNumber(4, stripe_footer.bytes().size());
    stripe.AddNumber(5, row_count);
    OrcMessageWriter footer;
    footer.AddBytes(3, stripe.bytes());
    for (const std::string& type : types) footer.AddBytes(4, type);
    OrcMessageWriter postscript;
    postscript.AddNumber(1, footer.bytes().size());
    postscript.AddBytes(8000, "ORC");
    file += stripe_footer.bytes() + footer.bytes() + postscript.bytes();
    return file + static_cast<char>(postscript.bytes().size());
  }
};

}  // namespace braid
