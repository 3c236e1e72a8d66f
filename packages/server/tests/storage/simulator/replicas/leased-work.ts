import assert from 'node:assert/strict';
import { CompiledQuery } from 'kysely';
import type { Store, Term } from '../../../../src/storage/ports/index.ts';
import { scheduler } from '../os/scheduler.ts';
import type { Database } from './database.ts';
import type { Replica } from './pg.ts';

const JOB = 'fenced writes';
/** Not a multiple of the intervals of the store, so that the timer is rarely due together with another. */
const WRITE_EVERY_MS = 287;
const WRITE = 'insert into simulated_writes (epoch, id) values ($1, $2)';

/**
 * A job of the test, which writes with a fence. It asserts what a lease promises: at most one replica holds it, and no write of an earlier
 * holder follows a write of a later one. No acknowledged write is lost.
 */
export class LeasedWork {
  readonly #terms = new Map<Replica, Term>();
  readonly #acknowledged: number[] = [];
  /** False at the end of a history. */
  writes = true;
  #lastId = 0;
  /** Until this time, a jump of the database's clock can have expired a lease that its holder regards as valid. */
  #isUncertainUntil = 0;

  static async addTable(database: Database): Promise<void> {
    await database.query(
      'create table simulated_writes (number bigserial primary key, epoch bigint, id bigint unique)',
    );
  }

  /** The clock of the database jumps forwards. */
  jumped(): void {
    this.#isUncertainUntil = scheduler.elapsed + 10_000;
  }

  async start(replica: Replica, { leases, writeAtomically }: Store): Promise<AsyncDisposable> {
    const job = leases.job(JOB, async (term) => {
      this.#terms.set(replica, term);
      const epoch = epochOf(term);
      const write = () => {
        if (!this.writes || !term.isHeld()) return;
        const id = ++this.#lastId;
        const insertion = { compile: () => CompiledQuery.raw(WRITE, [epoch, id]) };
        writeAtomically([...term.fence, insertion]).then(
          () => this.#acknowledged.push(id),
          // A failed write is no acknowledgement.
          () => {},
        );
      };
      const timer = setInterval(write, WRITE_EVERY_MS);
      return {
        onHint: () => {},
        stop: async () => {
          clearInterval(timer);
          this.#terms.delete(replica);
        },
      };
    });
    await job.start();
    return job;
  }

  /** Asserts that at most one running replica regards itself as the holder. */
  assertExclusive(): void {
    if (scheduler.elapsed < this.#isUncertainUntil) return;
    const holders = [...this.#terms].filter(
      ([replica, term]) => replica.state === 'running' && term.isHeld(),
    );
    assert.ok(holders.length <= 1, `${holders.length} replicas hold a lease at the same time`);
  }

  async assertFenced(database: Database): Promise<void> {
    const rows = await database.query('select epoch, id from simulated_writes order by number');
    const ids = new Set(rows.map(({ id }) => Number(id)));
    for (const id of this.#acknowledged)
      assert.ok(ids.has(id), `the acknowledged write ${id} is lost`);
    let last = 0;
    for (const { epoch } of rows) {
      assert.ok(Number(epoch) >= last, `a write of epoch ${epoch} follows one of epoch ${last}`);
      last = Number(epoch);
    }
  }
}

function epochOf({ fence }: Term): number {
  return Number(fence[0]?.compile().parameters[1]);
}
