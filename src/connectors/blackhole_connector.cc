// 'connector' = 'blackhole': takes every row and keeps none.

#include <utility>

#include "connectors/connector_internal.h"

namespace braid {

namespace {

class BlackholeSink : public ConnectorSink {
 public:
  Status Write(const Batch& /*batch*/) override { return Ok(); }
  Result<Json> Prepare(std::int64_t /*barrier*/) override { return Json(); }
  Status Commit(const Json& /*prepared*/) override { return Ok(); }
};

class BlackholeTable : public ConnectorTable {
 public:
  explicit BlackholeTable(std::vector<DataField> fields) : fields_(std::move(fields)) {}

  std::string_view connector() const override { return "blackhole"; }
  const std::vector<DataField>& fields() const override { return fields_; }
  Result<std::unique_ptr<BatchReader>> Open(const ReadRequest& /*request*/) const override {
    return NotReadable(connector());
  }
  Result<std::unique_ptr<ConnectorStream>> OpenStream() const override { return NotReadable(connector()); }
  Result<std::unique_ptr<ConnectorSink>> OpenSink(std::string_view /*writer*/) const override {
    return std::unique_ptr<ConnectorSink>(new BlackholeSink);
  }

 private:
  std::vector<DataField> fields_;
};

}  // namespace

Result<std::shared_ptr<const ConnectorTable>> OpenBlackhole(const ConnectorTableDefinition& definition,
                                                            const Clock& /*clock*/) {
  BRAID_TRY(CheckOptionNames(definition, {"property-version"}));
  return std::shared_ptr<const ConnectorTable>(new BlackholeTable(definition.fields));
}

}  // namespace braid
