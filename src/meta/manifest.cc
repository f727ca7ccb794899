#include "meta/manifest.h"

namespace braid {
namespace {

template <typename Number>
void AppendNumber(Number value, std::string& out) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// Lengths before texts keep different fields from running into one another.
void AppendText(std::string_view text, std::string& out) {
  AppendNumber(static_cast<std::uint32_t>(text.size()), out);
  out.append(text);
}

void AppendOptional(const std::optional<std::string>& text, std::string& out) {
  out.push_back(text ? '\1' : '\0');
  if (text) AppendText(*text, out);
}

}  // namespace

std::string EntryIdentity(const ManifestEntry& entry) {
  const DataFileMeta& file = entry.file;
  std::string identity;
  identity.reserve(64 + entry.partition.bytes().size() + file.file_name.size());
  AppendText(entry.partition.bytes(), identity);
  AppendNumber(entry.bucket.value(), identity);
  AppendNumber(file.level, identity);
  AppendText(file.file_name, identity);
  AppendNumber(static_cast<std::uint32_t>(file.extra_files.size()), identity);
  for (const std::string& extra : file.extra_files) AppendText(extra, identity);
  AppendOptional(file.embedded_index, identity);
  AppendOptional(file.external_path, identity);
  return identity;
}

}  // namespace braid
