import type { PassageRow, ScopeReads } from '../../../full-text/loaded-spaces/index.ts';
import type { Session } from '../../pool.ts';
import type { CompiledFilters } from './compiled-filters.ts';
import type { ScopeSelects } from './scope-selects.ts';

/** Creates the reads of a scope in the transaction of a session. */
export function scopeReads(
  session: Session,
  { spaceId, filter, candidates, among, passages }: ScopeSelects,
  compiled: CompiledFilters,
): ScopeReads {
  async function documentsAmong(numbers: readonly number[]): Promise<readonly number[]> {
    if (among === null)
      return compiled.acceptedAmong(session, { spaceId, filter, numbers, onlyReady: true });
    const { rows } = await session.run(among.sql, [numbers, ...among.parameters.slice(1)]);
    return rows.map(({ number }) => Number(number));
  }

  return {
    key: filter,

    isExact: among !== null,

    async candidates() {
      if (candidates === null) throw new Error('the statement for a new scope is missing');
      const { rows } = await session.run(candidates.sql, candidates.parameters);
      return numbersOf(rows[0]?.['numbers'] as Buffer | null | undefined);
    },

    documentsAmong,

    async passages(keys) {
      const accepted =
        among === null
          ? new Set(await documentsAmong([...new Set(keys.map(({ number }) => number))]))
          : null;
      const { rows } = await session.run(passages.sql, [
        keys.map(({ number }) => number),
        keys.map(({ position }) => position),
        ...passages.parameters.slice(2),
      ]);
      const found = rows as unknown as readonly PassageRow[];
      if (accepted === null) return found;
      return found.filter(({ rank }) => accepted.has(keys[rank]?.number ?? 0));
    },
  };
}

const BYTES_PER_NUMBER = 8;

/** Reads concatenated results of `int8send`. Document numbers have 47 bits. */
function* numbersOf(bytes: Buffer | null | undefined): Generator<number> {
  if (bytes === null || bytes === undefined) return;
  for (let at = 0; at < bytes.length; at += BYTES_PER_NUMBER)
    yield bytes.readUInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);
}
