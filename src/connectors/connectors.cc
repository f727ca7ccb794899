#include "connectors/connectors.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "connectors/connector_internal.h"

namespace braid {

namespace {

const std::map<std::string, OpenConnector, std::less<>>& AllConnectors() {
  static const std::map<std::string, OpenConnector, std::less<>> connectors = {
      {"blackhole", OpenBlackhole},
      {"datagen", OpenDatagen},
      {"filesystem", OpenFilesystem},
      {"print", OpenPrint},
  };
  return connectors;
}

class RegisteredConnectors : public Connectors {
 public:
  explicit RegisteredConnectors(const Clock& clock) : clock_(clock) {}

  Result<std::shared_ptr<const ConnectorTable>> Open(const ConnectorTableDefinition& definition) const override {
    const std::string name = definition.options.Get("connector", "");
    const auto found = AllConnectors().find(name);
    if (found != AllConnectors().end()) return found->second(definition, clock_);
    std::vector<std::string> names;
    for (const auto& [known, open] : AllConnectors()) names.push_back(known);
    return Error(ErrorCode::kUnsupported, fmt::format("the connector '{}' is not supported", name))
        .Hint("there are " + Join(names, ", "));
  }

 private:
  const Clock& clock_;
};

}  // namespace

std::shared_ptr<const Connectors> StandardConnectors(const Clock& clock) {
  return std::make_shared<RegisteredConnectors>(clock);
}

Status CheckOptionNames(const ConnectorTableDefinition& definition, std::initializer_list<std::string_view> known) {
  for (const auto& option : definition.options.values()) {
    const std::string& key = option.first;
    const bool found = key == "connector" || std::any_of(known.begin(), known.end(), [&](std::string_view name) {
                         return name.ends_with('.') ? key.starts_with(name) : key == name;
                       });
    if (found) continue;
    const std::vector<std::string> names(known.begin(), known.end());
    Error error(ErrorCode::kInvalidArgument,
                fmt::format("the connector '{}' has no option '{}'", definition.options.Get("connector", ""), key));
    if (const auto nearest = NearestName(key, names))
      return std::move(error).Hint(fmt::format("did you mean '{}'?", *nearest));
    if (names.empty()) return std::move(error).Hint("it has none");
    return std::move(error).Hint("its options are " + Join(names, ", "));
  }
  return Ok();
}

Status RefusePartitions(const ConnectorTableDefinition& definition) {
  if (definition.partition_keys.empty()) return Ok();
  return Error(ErrorCode::kUnsupported, fmt::format("PARTITIONED BY is not supported by the connector '{}'",
                                                    definition.options.Get("connector", "")))
      .Hint("leave it out");
}

Error NotReadable(std::string_view connector) {
  return Error(ErrorCode::kUnsupported,
               fmt::format("a table of the connector '{}' can be written but not read", connector))
      .Hint("name it in INSERT INTO alone");
}

Error NotWritable(std::string_view connector) {
  return Error(ErrorCode::kUnsupported,
               fmt::format("a table of the connector '{}' can be read but not written", connector))
      .Hint("name it in FROM alone");
}

}  // namespace braid
