import type { Field, FilterNode, Scalar } from '../language/ast.ts';
import type { Filter } from '../language/filter.ts';
import { indexedPath, indexedScalar } from './stored-values.ts';

/** A query of the table of `indexedValues`: the documents that have one of the values at a path. */
export interface ValueLookup {
  readonly path: string;
  readonly values: readonly string[];
}

/** How to find the documents that a filter accepts without reading all documents. */
export interface Narrowing {
  /** All lookups of the filter. Empty: the table has nothing about it. */
  readonly lookups: readonly ValueLookup[];
  /**
   * Returns the lookups that together find every document that the filter accepts, and the fewest others; null if no
   * lookups find them all.
   *
   * @param counts the number of documents that each of `lookups` finds, or an upper bound.
   */
  narrowest(
    counts: readonly number[],
  ): { readonly lookups: readonly ValueLookup[]; readonly count: number } | null;
}

/** Indexes of lookups: a single one, alternatives, or several that are all needed. */
type Plan = number | { readonly kind: 'one of' | 'all of'; readonly plans: readonly Plan[] };

/**
 * Chooses the lookups of a filter. The planner of the database cannot choose them, because its statistics describe the
 * whole table, not one space: it mistakes a lookup of thousands of rows for one of a single row, and repeats it for each
 * document.
 */
export function narrowing(filter: Filter): Narrowing {
  const lookups: ValueLookup[] = [];
  const plan = planOf(filter, lookups);
  return {
    lookups,
    narrowest(counts) {
      if (plan === null) return null;
      const { places, count } = cheapest(plan, counts);
      return { lookups: places.flatMap((place) => lookups[place] ?? []), count };
    },
  };
}

/** Returns null if the node may accept a document that has none of its values. */
function planOf(node: FilterNode, lookups: ValueLookup[]): Plan | null {
  switch (node.kind) {
    case 'eq':
      return lookUp(node.field, [node.value], lookups);
    case 'in':
      return lookUp(node.field, node.values, lookups);
    case 'and': {
      const plans = node.members.flatMap((member) => planOf(member, lookups) ?? []);
      return plans.length === 0 ? null : { kind: 'one of', plans };
    }
    case 'or': {
      const plans = node.members.map((member) => planOf(member, lookups));
      return plans.every((plan) => plan !== null) ? { kind: 'all of', plans } : null;
    }
    default:
      return null;
  }
}

function lookUp(field: Field, scalars: readonly Scalar[], lookups: ValueLookup[]): Plan | null {
  // The table contains neither nulls nor absent fields.
  if (field.source !== 'metadata' || scalars.includes(null)) return null;
  const values = [...new Set(scalars.map(indexedScalar))];
  return lookups.push({ path: indexedPath(field.path), values }) - 1;
}

interface Choice {
  readonly places: readonly number[];
  readonly count: number;
}

function cheapest(plan: Plan, counts: readonly number[]): Choice {
  if (typeof plan === 'number')
    return { places: [plan], count: counts[plan] ?? Number.POSITIVE_INFINITY };
  const choices = plan.plans.map((one) => cheapest(one, counts));
  return plan.kind === 'one of'
    ? choices.reduce((best, next) => (next.count < best.count ? next : best))
    : {
        places: choices.flatMap(({ places }) => places),
        count: choices.reduce((sum, { count }) => sum + count, 0),
      };
}
