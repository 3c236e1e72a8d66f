import type { Field, FilterNode, Scalar } from '../language/ast.ts';
import type { Filter } from '../language/filter.ts';
import { indexedPath, indexedScalar } from './stored-values.ts';

/** A query of the `indexedValues` table. Finds the documents that have one of the values at a path. */
export interface ValueLookup {
  readonly path: string;
  readonly values: readonly string[];
}

/** Lookups that find the documents that a filter can match, so that a store need not read all documents. */
export interface Narrowing {
  /** All lookups of the filter. Empty if the table cannot narrow the filter. */
  readonly lookups: readonly ValueLookup[];
  /**
   * Returns the lookups that together find every matching document and as few other documents as possible. Returns
   * `null` if the lookups cannot find every matching document.
   *
   * @param counts the number of documents that each of `lookups` finds, or an upper bound.
   */
  narrowest(
    counts: readonly number[],
  ): { readonly lookups: readonly ValueLookup[]; readonly count: number } | null;
}

/** The index of a lookup, alternative plans (`one of`), or plans that are all required (`all of`). */
type Plan = number | { readonly kind: 'one of' | 'all of'; readonly plans: readonly Plan[] };

/**
 * Determines the lookups of a filter. The database planner cannot choose the lookups, because its statistics cover the
 * whole table instead of one space. The planner can mistake a lookup of thousands of rows for a lookup of one row and
 * repeat that lookup for each document.
 *
 * @example
 *   const { lookups, narrowest } = narrowing(filter);
 *   const counts = await Promise.all(lookups.map(countDocuments));
 *   const chosen = narrowest(counts); // null: read all documents
 */
export function narrowing(filter: Filter): Narrowing {
  const lookups: ValueLookup[] = [];
  const plan = planOf(filter, lookups);
  return {
    lookups,
    narrowest(counts) {
      if (plan === null) return null;
      const { indexes, count } = cheapest(plan, counts);
      return { lookups: indexes.flatMap((index) => lookups[index] ?? []), count };
    },
  };
}

/** Returns `null` if the node can match a document that none of the node's lookups finds. */
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
  // The table does not contain nulls or absent fields.
  if (field.source !== 'metadata' || scalars.includes(null)) return null;
  const values = [...new Set(scalars.map(indexedScalar))];
  return lookups.push({ path: indexedPath(field.path), values }) - 1;
}

interface Choice {
  readonly indexes: readonly number[];
  readonly count: number;
}

function cheapest(plan: Plan, counts: readonly number[]): Choice {
  if (typeof plan === 'number')
    return { indexes: [plan], count: counts[plan] ?? Number.POSITIVE_INFINITY };
  const choices = plan.plans.map((part) => cheapest(part, counts));
  return plan.kind === 'one of'
    ? choices.reduce((best, next) => (next.count < best.count ? next : best))
    : {
        indexes: choices.flatMap(({ indexes }) => indexes),
        count: choices.reduce((sum, { count }) => sum + count, 0),
      };
}
