import type { FilterNode } from '../language/ast.ts';
import { type Filter, seal } from '../language/filter.ts';

/** The part of a filter that the table of values can evaluate. */
export interface IndexedPart {
  /** Accepts every document that the whole filter accepts, and possibly others. */
  readonly filter: Filter;
  /** Number of operators of the whole filter that read the document itself. If 0, `filter` accepts the same documents as the whole filter. */
  readonly omitted: number;
}

const always: FilterNode = { kind: 'and', members: [] };
const never: FilterNode = { kind: 'or', members: [] };

/**
 * Returns the part of a filter that consists of `eq`, `ne` and `in` with scalars of the metadata. Use it to select candidates by index
 * before each candidate is tested against the whole filter.
 *
 * @example
 *   indexedPart(filter); // { team: { eq: 'a' }, title: { like: 'b%' } } becomes { team: { eq: 'a' } }
 */
export function indexedPart(filter: Filter): IndexedPart {
  let omitted = 0;
  /** Returns a weaker condition, or a stronger condition inside an odd number of `not`s. */
  function indexed(node: FilterNode, isNegated: boolean): FilterNode {
    switch (node.kind) {
      case 'and':
      case 'or':
        return joined(
          node.kind,
          node.members.map((member) => indexed(member, isNegated)),
        );
      case 'not':
        return complement(indexed(node.member, !isNegated));
      default:
        if (isIndexed(node)) return node;
        omitted += 1;
        return isNegated ? never : always;
    }
  }
  return { filter: seal(indexed(filter, false)), omitted };
}

function isIndexed(node: FilterNode): boolean {
  switch (node.kind) {
    case 'eq':
    case 'ne':
      return node.field.source === 'metadata' && node.value !== null;
    case 'in':
      return node.field.source === 'metadata' && !node.values.includes(null);
    default:
      return false;
  }
}

/** Joins members. Simplifies constant members, because SQL would evaluate the other members before the constants. */
function joined(kind: 'and' | 'or', members: readonly FilterNode[]): FilterNode {
  const [neutral, absorbing] = kind === 'and' ? [always, never] : [never, always];
  if (members.some((member) => isSame(member, absorbing))) return absorbing;
  return { kind, members: members.filter((member) => !isSame(member, neutral)) };
}

function complement(node: FilterNode): FilterNode {
  if (isSame(node, always)) return never;
  return isSame(node, never) ? always : { kind: 'not', member: node };
}

function isSame(node: FilterNode, constant: FilterNode): boolean {
  return 'members' in node && node.kind === constant.kind && node.members.length === 0;
}
