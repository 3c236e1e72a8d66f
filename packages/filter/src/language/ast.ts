/** Members of a filter object that are not field names. */
export const connectives = ['and', 'or', 'not', 'search'] as const;

export const documentFields = [
  'fileName',
  'mimeType',
  'language',
  'createdAt',
  'updatedAt',
] as const;
export type DocumentField = (typeof documentFields)[number];

export const operators = ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte', 'like', 'tp'] as const;
export type Operator = (typeof operators)[number];

/** Operands of `tp`: the JSON types, and `absent` for a field that does not exist. */
export const fieldTypes = [
  'string',
  'number',
  'boolean',
  'null',
  'array',
  'object',
  'absent',
] as const;
export type FieldType = (typeof fieldTypes)[number];

export type Scalar = string | number | boolean | null;

/** A field of the document itself, or a path of keys into its metadata. */
export type Field =
  | { readonly source: 'document'; readonly name: DocumentField }
  | { readonly source: 'metadata'; readonly path: readonly string[] };

/** One operator on one field. Numbers are finite and never -0. Strings are well-formed and do not contain U+0000. */
export type Comparison =
  | { readonly kind: 'eq' | 'ne'; readonly field: Field; readonly value: Scalar }
  | { readonly kind: 'in'; readonly field: Field; readonly values: readonly Scalar[] }
  | {
      readonly kind: 'gt' | 'gte' | 'lt' | 'lte';
      readonly field: Field;
      readonly value: number | string;
    }
  | { readonly kind: 'like'; readonly field: Field; readonly pattern: string }
  | { readonly kind: 'tp'; readonly field: Field; readonly type: FieldType };

/**
 * A node of a parsed filter. An object with several members becomes an `and`, and so does a predicate with several
 * operators.
 */
export type FilterNode =
  | { readonly kind: 'and' | 'or'; readonly members: readonly FilterNode[] }
  | { readonly kind: 'not'; readonly member: FilterNode }
  | { readonly kind: 'search'; readonly text: string }
  | Comparison;
