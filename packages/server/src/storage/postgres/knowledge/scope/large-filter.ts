import type { Filter, FilterNode } from '@gatehouse/filter';
import { indexedPart } from '@gatehouse/filter/sql';

/**
 * Maximum cost of a filter that PostgreSQL evaluates. For each operator, PostgreSQL searches the JSON of the document again, in up to
 * 20 µs for metadata of 25 kB. A compiled filter takes 0.3 ms for such a document, regardless of the number of operators; see
 * docs/filter-sql.md.
 */
const MAX_COST_IN_SQL = 8;
/** Cost of an operator that reads all strings of the metadata, relative to other operators. */
const SEARCH_COST = 8;

/** Reports whether the service evaluates a filter itself, as a compiled filter, instead of converting the whole filter to SQL. */
export function isLarge(filter: Filter): boolean {
  return costOf(filter) > MAX_COST_IN_SQL;
}

/** Returns the part of a large filter that is evaluated in SQL to select candidates. Accepts every document that the filter accepts. */
export function candidatePart(filter: Filter): Filter | null {
  const part = indexedPart(filter).filter;
  return isLarge(part) ? null : part;
}

function costOf(node: FilterNode): number {
  switch (node.kind) {
    case 'and':
    case 'or':
      return node.members.reduce((sum, member) => sum + costOf(member), 0);
    case 'not':
      return costOf(node.member);
    case 'search':
      return SEARCH_COST;
    default:
      return 1;
  }
}
