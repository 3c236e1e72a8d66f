import { createHash } from 'node:crypto';

/** Sigma of the log-normal distribution of space sizes. With this value, 5 % of the spaces have half of the load. */
const SIGMA = 1.5;
/** Shards per database. Spaces are hashed to shards, and shards can be moved between databases. */
export const SHARDS_OF_DATABASE = 32;

const sizes = new Map<number, Float64Array>();

/** Returns the share of each space in the total load, largest first. */
export function partsOf(spaces: number): Float64Array {
  const known = sizes.get(spaces);
  if (known !== undefined) return known;
  const parts = Float64Array.from({ length: spaces }, (_, index) =>
    Math.exp(SIGMA * normalQuantile(1 - (index + 0.5) / spaces)),
  );
  const sum = parts.reduce((a, b) => a + b, 0);
  const shares = parts.map((part) => part / sum);
  sizes.set(spaces, shares);
  return shares;
}

/**
 * Simulates the distribution of spaces of unequal size. Each space is hashed to a shard. Then each shard is moved to the database with
 * the least load, starting with the largest shard.
 *
 * @returns the load of the fullest database as a multiple of the mean, and the share of the largest space in the total load.
 */
export function fullestOf(spaces: number, databases: number): { fullest: number; largest: number } {
  const shards = new Float64Array(databases * SHARDS_OF_DATABASE);
  const parts = partsOf(spaces);
  for (const [space, part] of parts.entries()) {
    const index = hashOf(space) % shards.length;
    shards[index] = (shards[index] ?? 0) + part;
  }
  const filled = new Float64Array(databases);
  for (const shard of shards.toSorted().reverse()) {
    let emptiest = 0;
    for (let index = 1; index < databases; index += 1)
      if ((filled[index] ?? 0) < (filled[emptiest] ?? 0)) emptiest = index;
    filled[emptiest] = (filled[emptiest] ?? 0) + shard;
  }
  const most = filled.reduce((a, b) => Math.max(a, b), 0);
  return { fullest: most * databases, largest: parts[0] ?? 0 };
}

const hashes: number[] = [];

function hashOf(space: number): number {
  hashes[space] ??= createHash('sha256').update(`space ${space}`).digest().readUInt32LE(0);
  return hashes[space];
}

/** Returns a quantile of the standard normal distribution with an error below 4.5e-4 (Abramowitz and Stegun, 26.2.23). */
export function normalQuantile(p: number): number {
  if (p < 0.5) return -normalQuantile(1 - p);
  const t = Math.sqrt(-2 * Math.log(1 - p));
  const above = 2.515517 + t * (0.802853 + t * 0.010328);
  const below = 1 + t * (1.432788 + t * (0.189269 + t * 0.001308));
  return t - above / below;
}
