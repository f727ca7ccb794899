#include "catalog/catalog.h"
namespace braid { std::vector<std::shared_ptr<const SystemTableProvider>> StandardSystemTables() { return {}; } }
