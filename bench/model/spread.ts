import { createHash } from 'node:crypto';

/** How unequal spaces are: sizes are log-normal with this sigma, so that a twentieth of them has half of all. */
const SIGMA = 1.5;
/** Shards that spaces are hashed to, for each database; a shard can be moved, a space is in one. */
export const SHARDS_OF_DATABASE = 32;

const sizes = new Map<number, Float64Array>();

/** The parts of the whole load that spaces have, largest first. */
export function partsOf(spaces: number): Float64Array {
  const known = sizes.get(spaces);
  if (known !== undefined) return known;
  const parts = Float64Array.from({ length: spaces }, (_, at) =>
    Math.exp(SIGMA * normalQuantile(1 - (at + 0.5) / spaces)),
  );
  const sum = parts.reduce((a, b) => a + b, 0);
  const shares = parts.map((part) => part / sum);
  sizes.set(spaces, shares);
  return shares;
}

/**
 * Simulates how spaces of unequal size come to lie when they are hashed to shards, and shards are moved until
 * databases are as equally filled as whole shards allow: each to the emptiest, the largest first.
 *
 * @returns the load of the fullest database as a multiple of the mean, and the part of the whole load that the
 *   largest space has.
 */
export function fullestOf(spaces: number, databases: number): { fullest: number; largest: number } {
  const shards = new Float64Array(databases * SHARDS_OF_DATABASE);
  const parts = partsOf(spaces);
  for (const [space, part] of parts.entries()) {
    const at = hashOf(space) % shards.length;
    shards[at] = (shards[at] ?? 0) + part;
  }
  const filled = new Float64Array(databases);
  for (const shard of shards.toSorted().reverse()) {
    let emptiest = 0;
    for (let at = 1; at < databases; at += 1)
      if ((filled[at] ?? 0) < (filled[emptiest] ?? 0)) emptiest = at;
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

/** The standard normal distribution's quantile, to 4.5e-4: Abramowitz and Stegun, 26.2.23. */
export function normalQuantile(p: number): number {
  if (p < 0.5) return -normalQuantile(1 - p);
  const t = Math.sqrt(-2 * Math.log(1 - p));
  const above = 2.515517 + t * (0.802853 + t * 0.010328);
  const below = 1 + t * (1.432788 + t * (0.189269 + t * 0.001308));
  return t - above / below;
}
