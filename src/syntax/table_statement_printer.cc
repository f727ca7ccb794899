#include <fmt/format.h>

#include "syntax/printer_internal.h"

namespace braid::syntax {
namespace {

std::string_view FeatureWord(LikeFeature feature) {
  switch (feature) {
    case LikeFeature::kAll: return "ALL";
    case LikeFeature::kConstraints: return "CONSTRAINTS";
    case LikeFeature::kDistribution: return "DISTRIBUTION";
    case LikeFeature::kGenerated: return "GENERATED";
    case LikeFeature::kMetadata: return "METADATA";
    case LikeFeature::kOptions: return "OPTIONS";
    case LikeFeature::kPartitions: return "PARTITIONS";
    case LikeFeature::kWatermarks: return "WATERMARKS";
  }
  return "";
}

std::string_view MergingWord(LikeMerging merging) {
  switch (merging) {
    case LikeMerging::kIncluding: return "INCLUDING ";
    case LikeMerging::kExcluding: return "EXCLUDING ";
    case LikeMerging::kOverwriting: return "OVERWRITING ";
  }
  return "";
}

}  // namespace

// ---- Parts ----

void Printer::PrintComment(const std::optional<std::string>& comment) {
  if (comment) Add(" COMMENT " + QuoteString(*comment));
}

void Printer::PrintColumnNames(const std::vector<QualifiedName>& names) {
  Add("(");
  AddList(names, [this](const QualifiedName& name) { Print(name); });
  Add(")");
}

void Printer::PrintPartition(const PartitionSpec& spec) {
  Add("(");
  AddList(spec, [this](const PartitionKey& key) {
    Add(key.name);
    if (!key.value) return;
    Add(" = ");
    Print(*key.value);
  });
  Add(")");
}

void Printer::PrintEnforced(const std::optional<bool>& enforced) {
  if (enforced) Add(*enforced ? " ENFORCED" : " NOT ENFORCED");
}

void Printer::PrintColumn(const ColumnDefinition& column) {
  Add(column.name);
  if (const auto* physical = std::get_if<PhysicalColumn>(&column.kind)) {
    Add(" ");
    Print(physical->type);
    if (physical->default_value) {
      Add(" DEFAULT ");
      Print(*physical->default_value);
    }
    if (physical->primary_key) Add(" PRIMARY KEY");
    if (physical->unique) Add(" UNIQUE");
    PrintEnforced(physical->enforced);
  } else if (const auto* metadata = std::get_if<MetadataColumn>(&column.kind)) {
    Add(" ");
    Print(metadata->type);
    Add(" METADATA");
    if (metadata->key) Add(" FROM " + QuoteString(*metadata->key));
    if (metadata->is_virtual) Add(" VIRTUAL");
  } else if (const auto* computed = std::get_if<ComputedColumn>(&column.kind)) {
    Add(" AS ");
    Print(*computed->value);
  }
  PrintComment(column.comment);
}

void Printer::PrintConstraint(const KeyConstraint& constraint) {
  if (constraint.name) {
    Add("CONSTRAINT ");
    Add(*constraint.name);
    Add(" ");
  }
  Add(constraint.unique ? "UNIQUE " : "PRIMARY KEY ");
  AddNames(constraint.columns);
  PrintEnforced(constraint.enforced);
}

void Printer::PrintWatermark(const Watermark& watermark) {
  Add("WATERMARK FOR ");
  Print(watermark.column);
  Add(" AS ");
  Print(*watermark.value);
}

void Printer::PrintDistribution(const Distribution& distribution) {
  if (!distribution.columns.empty()) {
    Add(" BY ");
    if (distribution.kind) Add(*distribution.kind);
    AddNames(distribution.columns);
  }
  if (distribution.buckets) Add(fmt::format(" INTO {} BUCKETS", *distribution.buckets));
}

void Printer::PrintElements(const CreateTable& table) {
  if (table.columns.empty() && table.constraints.empty() && table.watermarks.empty()) return;
  Add(" (");
  AddList(table.columns, [this](const ColumnDefinition& column) { PrintColumn(column); });
  std::string_view separator = table.columns.empty() ? "" : ", ";
  for (const Watermark& watermark : table.watermarks) {
    Add(std::exchange(separator, ", "));
    PrintWatermark(watermark);
  }
  for (const KeyConstraint& constraint : table.constraints) {
    Add(std::exchange(separator, ", "));
    PrintConstraint(constraint);
  }
  Add(")");
}

void Printer::PrintLike(const LikeClause& like) {
  Add(" LIKE ");
  Print(like.table);
  if (like.options.empty()) return;
  Add(" (");
  for (std::size_t i = 0; i < like.options.size(); ++i) {
    if (i > 0) Add(" ");
    Add(MergingWord(like.options[i].merging));
    Add(FeatureWord(like.options[i].feature));
  }
  Add(")");
}

void Printer::PrintStatement(const CreateTable& table) {
  Add(table.or_replace ? "CREATE OR REPLACE " : table.temporary ? "CREATE TEMPORARY " : "CREATE ");
  Add(table.if_not_exists ? "TABLE IF NOT EXISTS " : "TABLE ");
  Print(table.name);
  PrintElements(table);
  PrintComment(table.comment);
  if (table.distribution) {
    Add(" DISTRIBUTED");
    PrintDistribution(*table.distribution);
  }
  if (!table.partitioned_by.empty()) {
    Add(" PARTITIONED BY ");
    AddNames(table.partitioned_by);
  }
  AddWith(table.options);
  if (table.like) PrintLike(*table.like);
  if (!table.query) return;
  Add(" AS ");
  Print(*table.query);
}

// ---- ALTER TABLE ----

void Printer::PrintStatement(const AlterTable& alter) {
  Add(alter.if_exists ? "ALTER TABLE IF EXISTS " : "ALTER TABLE ");
  Print(alter.name);
  Add(" ");
  std::visit([this](const auto& change) { PrintChange(change); }, alter.change);
}

void Printer::PrintChange(const RenameTable& change) {
  Add("RENAME TO ");
  Print(change.new_name);
}

void Printer::PrintChange(const RenameColumn& change) {
  Add("RENAME ");
  Print(change.column);
  Add(" TO ");
  Add(change.new_name);
}

void Printer::PrintChange(const AddOrModify& change) {
  Add(change.modify ? "MODIFY (" : "ADD (");
  AddList(change.columns, [this](const ColumnChange& column) {
    for (const Identifier& parent : column.parents) {
      Add(parent);
      Add(".");
    }
    PrintColumn(column.column);
    if (!column.place) return;
    if (column.place->first) return Add(" FIRST");
    Add(" AFTER ");
    Print(*column.place->after);
  });
  std::string_view separator = change.columns.empty() ? "" : ", ";
  for (const KeyConstraint& constraint : change.constraints) {
    Add(std::exchange(separator, ", "));
    PrintConstraint(constraint);
  }
  for (const Watermark& watermark : change.watermarks) {
    Add(std::exchange(separator, ", "));
    PrintWatermark(watermark);
  }
  if (change.distribution) {
    Add(separator);
    Add("DISTRIBUTION");
    PrintDistribution(*change.distribution);
  }
  Add(")");
}

void Printer::PrintChange(const DropColumns& change) {
  Add("DROP ");
  PrintColumnNames(change.columns);
}

void Printer::PrintChange(const DropPrimaryKey&) {
  Add("DROP PRIMARY KEY");
}

void Printer::PrintChange(const DropConstraint& change) {
  Add("DROP CONSTRAINT ");
  Add(change.name);
}

void Printer::PrintChange(const DropWatermark&) {
  Add("DROP WATERMARK");
}
void Printer::PrintChange(const DropDistribution&) {
  Add("DROP DISTRIBUTION");
}

void Printer::PrintChange(const SetOptions& change) {
  Add("SET ");
  AddProperties(change.options);
}

void Printer::PrintChange(const ResetOptions& change) {
  Add("RESET (");
  AddList(change.keys, [this](const std::string& key) { AddString(key); });
  Add(")");
}

void Printer::PrintChange(const SetComment& change) {
  Add("COMMENT " + QuoteString(change.comment));
}

void Printer::PrintChange(const AddPartitions& change) {
  Add(change.if_not_exists ? "ADD IF NOT EXISTS" : "ADD");
  for (const NewPartition& partition : change.partitions) {
    Add(" PARTITION ");
    PrintPartition(partition.spec);
    AddWith(partition.options);
  }
}

void Printer::PrintChange(const DropPartitions& change) {
  Add(change.if_exists ? "DROP IF EXISTS " : "DROP ");
  AddList(change.partitions, [this](const PartitionSpec& spec) {
    Add("PARTITION ");
    PrintPartition(spec);
  });
}

}  // namespace braid::syntax
