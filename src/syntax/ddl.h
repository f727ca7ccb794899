#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "syntax/query.h"

namespace braid::syntax {

// ---- Parts of a table ----

/// `c TYPE [NOT NULL] [DEFAULT x] [PRIMARY KEY NOT ENFORCED] [COMMENT '…']`.
struct PhysicalColumn {
  TypeName type;
  ExpressionPtr default_value = {};
  bool primary_key = false;                     ///< PRIMARY KEY as a suffix of the column
  bool unique = false;                          ///< UNIQUE as a suffix; analysis refuses it
  std::optional<bool> enforced = std::nullopt;  ///< of that key; Flink wants NOT ENFORCED
  friend bool operator==(const PhysicalColumn&, const PhysicalColumn&) = default;
};

/// `c TYPE METADATA [FROM 'key'] [VIRTUAL]`.
struct MetadataColumn {
  TypeName type;
  std::optional<std::string> key = std::nullopt;  ///< absent: the column's name
  bool is_virtual = false;
  friend bool operator==(const MetadataColumn&, const MetadataColumn&) = default;
};

/// `c AS expression`.
struct ComputedColumn {
  ExpressionPtr value;
  friend bool operator==(const ComputedColumn&, const ComputedColumn&) = default;
};

/// `c` alone: in CREATE TABLE … (a, b) AS SELECT, and in DROP.
struct BareColumn {
  friend bool operator==(const BareColumn&, const BareColumn&) = default;
};

struct ColumnDefinition {
  Identifier name;
  std::variant<PhysicalColumn, MetadataColumn, ComputedColumn, BareColumn> kind;
  std::optional<std::string> comment = std::nullopt;
  friend bool operator==(const ColumnDefinition&, const ColumnDefinition&) = default;
};

/// [CONSTRAINT name] PRIMARY KEY (a, b) [[NOT] ENFORCED], or UNIQUE (…), which analysis refuses.
struct KeyConstraint {
  Position position;
  std::optional<Identifier> name = std::nullopt;
  std::vector<Identifier> columns;
  std::optional<bool> enforced = std::nullopt;  ///< Flink wants NOT ENFORCED
  bool unique = false;
  friend bool operator==(const KeyConstraint&, const KeyConstraint&) = default;
};

/// WATERMARK FOR column AS expression.
struct Watermark {
  Position position;
  QualifiedName column;
  ExpressionPtr value;
  friend bool operator==(const Watermark&, const Watermark&) = default;
};

/// DISTRIBUTED [BY [HASH|RANGE] (a, b)] [INTO n BUCKETS].
struct Distribution {
  Position position;
  std::optional<std::string> kind = std::nullopt;  ///< HASH or RANGE
  std::vector<Identifier> columns = {};
  std::optional<std::int64_t> buckets = std::nullopt;
  friend bool operator==(const Distribution&, const Distribution&) = default;
};

enum class LikeMerging : std::uint8_t { kIncluding, kExcluding, kOverwriting };
enum class LikeFeature : std::uint8_t {
  kAll,
  kConstraints,
  kDistribution,
  kGenerated,
  kMetadata,
  kOptions,
  kPartitions,
  kWatermarks
};

struct LikeOption {
  LikeMerging merging;
  LikeFeature feature;
  friend bool operator==(const LikeOption&, const LikeOption&) = default;
};

/// LIKE t (INCLUDING ALL EXCLUDING OPTIONS).
struct LikeClause {
  QualifiedName table;
  std::vector<LikeOption> options = {};
  friend bool operator==(const LikeClause&, const LikeClause&) = default;
};

// ---- Tables ----

struct CreateTable {
  QualifiedName name;
  bool temporary = false;
  bool if_not_exists = false;
  bool or_replace = false;  ///< [CREATE OR] REPLACE TABLE … AS
  std::vector<ColumnDefinition> columns = {};
  std::vector<KeyConstraint> constraints = {};  ///< table constraints; suffixes of columns stay with their column
  std::vector<Watermark> watermarks = {};       ///< analysis refuses a second one
  std::optional<std::string> comment = std::nullopt;
  std::optional<Distribution> distribution = std::nullopt;
  std::vector<Identifier> partitioned_by = {};
  std::vector<Property> options = {};
  std::optional<LikeClause> like = std::nullopt;
  QueryPtr query = {};  ///< AS query
  friend bool operator==(const CreateTable&, const CreateTable&) = default;
};

enum class ObjectKind : std::uint8_t { kTable, kView, kDatabase, kCatalog, kFunction };

/// DROP [TEMPORARY] TABLE | VIEW | DATABASE | CATALOG | FUNCTION.
struct Drop {
  ObjectKind kind;
  QualifiedName name;
  bool temporary = false;
  bool temporary_system = false;  ///< TEMPORARY SYSTEM FUNCTION
  bool if_exists = false;
  bool cascade = false;  ///< CASCADE; RESTRICT is the default
  friend bool operator==(const Drop&, const Drop&) = default;
};

struct RenameTable {
  QualifiedName new_name;
  friend bool operator==(const RenameTable&, const RenameTable&) = default;
};

/// RENAME a TO b; `a.b` names a field of a row.
struct RenameColumn {
  QualifiedName column;
  Identifier new_name;
  friend bool operator==(const RenameColumn&, const RenameColumn&) = default;
};

struct ColumnPlace {
  bool first = false;
  std::optional<QualifiedName> after = std::nullopt;
  friend bool operator==(const ColumnPlace&, const ColumnPlace&) = default;
};

/// One column of ADD or MODIFY. `parents` lead to a field of a row: ADD a.b INT has the parent a and the column b.
struct ColumnChange {
  std::vector<Identifier> parents = {};
  ColumnDefinition column;
  std::optional<ColumnPlace> place = std::nullopt;
  friend bool operator==(const ColumnChange&, const ColumnChange&) = default;
};

/// ADD (…) or MODIFY (…): columns, constraints, a watermark, a distribution, in any mixture.
struct AddOrModify {
  bool modify = false;
  std::vector<ColumnChange> columns = {};
  std::vector<KeyConstraint> constraints = {};
  std::vector<Watermark> watermarks = {};
  std::optional<Distribution> distribution = std::nullopt;
  friend bool operator==(const AddOrModify&, const AddOrModify&) = default;
};

struct DropColumns {
  std::vector<QualifiedName> columns;
  friend bool operator==(const DropColumns&, const DropColumns&) = default;
};

struct DropPrimaryKey {
  friend bool operator==(const DropPrimaryKey&, const DropPrimaryKey&) = default;
};

struct DropConstraint {
  Identifier name;
  friend bool operator==(const DropConstraint&, const DropConstraint&) = default;
};

struct DropWatermark {
  friend bool operator==(const DropWatermark&, const DropWatermark&) = default;
};

struct DropDistribution {
  friend bool operator==(const DropDistribution&, const DropDistribution&) = default;
};

struct SetOptions {
  std::vector<Property> options;
  friend bool operator==(const SetOptions&, const SetOptions&) = default;
};

struct ResetOptions {
  std::vector<std::string> keys;
  friend bool operator==(const ResetOptions&, const ResetOptions&) = default;
};

struct SetComment {
  std::string comment;
  friend bool operator==(const SetComment&, const SetComment&) = default;
};

/// One key of PARTITION (k = 'v', k2): the value is a literal, absent for a key given by name alone.
struct PartitionKey {
  Identifier name;
  ExpressionPtr value = {};
  friend bool operator==(const PartitionKey&, const PartitionKey&) = default;
};

using PartitionSpec = std::vector<PartitionKey>;

struct NewPartition {
  PartitionSpec spec;
  std::vector<Property> options = {};
  friend bool operator==(const NewPartition&, const NewPartition&) = default;
};

struct AddPartitions {
  bool if_not_exists = false;
  std::vector<NewPartition> partitions;
  friend bool operator==(const AddPartitions&, const AddPartitions&) = default;
};

struct DropPartitions {
  bool if_exists = false;
  std::vector<PartitionSpec> partitions;
  friend bool operator==(const DropPartitions&, const DropPartitions&) = default;
};

using TableChange =
    std::variant<RenameTable, RenameColumn, AddOrModify, DropColumns, DropPrimaryKey, DropConstraint, DropWatermark,
                 DropDistribution, SetOptions, ResetOptions, SetComment, AddPartitions, DropPartitions>;

struct AlterTable {
  QualifiedName name;
  bool if_exists = false;
  TableChange change;
  friend bool operator==(const AlterTable&, const AlterTable&) = default;
};

// ---- Views, databases, catalogs, functions ----

struct CreateView {
  QualifiedName name;
  bool temporary = false;
  bool if_not_exists = false;
  std::vector<Identifier> columns = {};
  std::optional<std::string> comment = std::nullopt;
  QueryPtr query;
  friend bool operator==(const CreateView&, const CreateView&) = default;
};

struct RenameView {
  QualifiedName new_name;
  friend bool operator==(const RenameView&, const RenameView&) = default;
};

struct ReplaceViewQuery {
  QueryPtr query;
  friend bool operator==(const ReplaceViewQuery&, const ReplaceViewQuery&) = default;
};

struct AlterView {
  QualifiedName name;
  std::variant<RenameView, ReplaceViewQuery, SetOptions, ResetOptions> change;
  friend bool operator==(const AlterView&, const AlterView&) = default;
};

struct CreateDatabase {
  QualifiedName name;
  bool if_not_exists = false;
  std::optional<std::string> comment = std::nullopt;
  std::vector<Property> options = {};
  friend bool operator==(const CreateDatabase&, const CreateDatabase&) = default;
};

struct AlterDatabase {
  QualifiedName name;
  SetOptions change;
  friend bool operator==(const AlterDatabase&, const AlterDatabase&) = default;
};

struct CreateCatalog {
  Identifier name;
  bool if_not_exists = false;
  std::optional<std::string> comment = std::nullopt;
  std::vector<Property> options = {};
  friend bool operator==(const CreateCatalog&, const CreateCatalog&) = default;
};

struct AlterCatalog {
  Identifier name;
  std::variant<SetOptions, ResetOptions, SetComment> change;
  friend bool operator==(const AlterCatalog&, const AlterCatalog&) = default;
};

/// CREATE | ALTER FUNCTION f AS 'class' LANGUAGE JAVA USING JAR '…'; parsed so that the refusal can name it.
struct CreateFunction {
  QualifiedName name;
  bool alter = false;
  bool temporary = false;
  bool temporary_system = false;
  bool if_not_exists = false;  ///< IF EXISTS for ALTER
  std::string class_name;
  std::optional<std::string> language = std::nullopt;  ///< JAVA, SCALA or PYTHON
  std::vector<std::string> jars = {};
  friend bool operator==(const CreateFunction&, const CreateFunction&) = default;
};

}  // namespace braid::syntax
