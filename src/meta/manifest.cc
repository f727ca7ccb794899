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

void AppendOptional(const OptionalBox<std::string>& text, std::string& out) {
  out.push_back(text ? '\1' : '\0');
  if (text) AppendText(*text, out);
}

void AppendFileIdentity(const DataFileMeta& file, std::string& out) {
  AppendNumber(file.level, out);
  AppendText(file.file_name, out);
  AppendNumber(static_cast<std::uint32_t>(file.extra_files.size()), out);
  for (const std::string& extra : file.extra_files) AppendText(extra, out);
  AppendOptional(file.embedded_index, out);
  AppendOptional(file.external_path, out);
}

}  // namespace

std::string EntryIdentity(const ManifestEntry& entry) {
  std::string identity;
  identity.reserve(64 + entry.partition.bytes().size() + entry.file.file_name.size());
  AppendText(entry.partition.bytes(), identity);
  AppendNumber(entry.bucket.value(), identity);
  AppendFileIdentity(entry.file, identity);
  return identity;
}

std::string FileIdentity(const DataFileMeta& file) {
  std::string identity;
  identity.reserve(32 + file.file_name.size());
  AppendFileIdentity(file, identity);
  return identity;
}

}  // namespace braid
