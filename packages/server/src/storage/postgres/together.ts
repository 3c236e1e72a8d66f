import type { WriteTogether } from '../ports/transactions.ts';
import { retryConflicts } from '../ports/transactions.ts';
import type { Pool } from './pool.ts';

/** Writes that stand or fall together; see `WriteTogether`. One that came in another's way is run again. */
export function createWriteTogether(pool: Pool): WriteTogether {
  return (writes) => {
    const compiled = writes.map((write) => write.compile());
    return retryConflicts(() =>
      pool.hold(async (session) => {
        await session.run('begin isolation level serializable');
        // What fails leaves the transaction open, and it is rolled back.
        for (const { sql, parameters } of compiled) await session.run(sql, parameters);
        await session.run('commit');
      }),
    );
  };
}
