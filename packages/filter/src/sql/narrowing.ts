import type { Field, FilterNode, Scalar } from '../ast.ts';
import type { Filter } from '../filter.ts';
import { indexedPath, indexedScalar } from './indexed-values.ts';

/** What the table of `indexedValues` can be asked for: documents that have one of the values at a path. */
export interface ValueLookup {
  readonly path: string;
  readonly values: readonly string[];
}

/** How documents that a filter accepts are found without a look at all that there are. */
export interface Narrowing {
  /** All that is worth counting. Empty: the filter says nothing that could be looked up. */
  readonly lookups: readonly ValueLookup[];
  /**
   * The lookups that together find every document which the filter accepts, and the fewest others; null when there
   * are none that find them all.
   *
   * @param counts how many documents each of `lookups` finds, or a bound on it.
   */
  narrowest(
    counts: readonly number[],
  ): { readonly lookups: readonly ValueLookup[]; readonly count: number } | null;
}

/** Places of lookups: one, any of which does, or all of which are needed. */
type Plan = number | { readonly kind: 'one of' | 'all of'; readonly plans: readonly Plan[] };

/**
 * Of a planner it is not asked, since what it knows of a table says little of one space in it: it takes a lookup
 * of thousands for one of a single row, and then makes it anew for each document.
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

/** Null: what it accepts may have none of the values that it names. */
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
  // Whether a value is null or not there at all, the table does not say.
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
