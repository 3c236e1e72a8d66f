import { DEFECTS, type Defect } from '../defects.ts';

const LEASES = 'storage/postgres/leases/lease-table.ts';

/** A defect of code that the SQLite simulator runs as well. */
const OF_BOTH = 'a delivery checkpoint saves the position without the pending deliveries';

/** Defects that the simulated replicas must find. */
export const REPLICA_DEFECTS: readonly Defect[] = [
  ...DEFECTS.filter(({ name }) => name === OF_BOTH),
  {
    name: 'a lease is acquired before it has expired',
    replacements: [
      {
        file: LEASES,
        from: 'any($1::text[]) and ends_at > ',
        to: 'any($1::text[]) and false and ends_at > ',
      },
      { file: LEASES, from: 'where leases.ends_at <= ', to: 'where true or leases.ends_at <= ' },
    ],
  },
  {
    name: 'a fence does not check the epoch of the lease',
    replacements: [
      {
        file: LEASES,
        from: 'where name = $1 and epoch = $2 for key share',
        to: 'where name = $1 or epoch = $2 for key share',
      },
    ],
  },
  {
    name: 'a fence does not lock the lease',
    replacements: [
      {
        file: LEASES,
        from: 'where name = $1 and epoch = $2 for key share',
        to: 'where name = $1 and epoch = $2',
      },
    ],
  },
  {
    name: 'a holder works until after its lease has expired',
    replacements: [
      {
        file: 'storage/postgres/leases/held-job.ts',
        from: 'const MARGIN_MS = 1000;',
        to: 'const MARGIN_MS = -3000;',
      },
    ],
  },
  {
    name: 'a transaction is acknowledged without its commit',
    replacements: [
      {
        file: 'storage/postgres/index.ts',
        from: "await session.run('commit');",
        to: '',
      },
    ],
  },
  {
    name: 'the writes of one call are several transactions',
    replacements: [
      {
        file: 'storage/postgres/index.ts',
        from: "await beginTransaction(session, 'serializable');",
        to: '',
      },
    ],
  },
  {
    name: 'an append that fails after a broken connection is acknowledged',
    replacements: [
      {
        file: 'storage/postgres/event-log/writer.ts',
        from: ': await retryOnce(() => this.#appender.append(batches, lockTimeoutMs));',
        to: ': await this.#appender.append(batches, lockTimeoutMs).catch(() => batches.map(() => 0));',
      },
    ],
  },
  {
    name: 'a renewal continues a term that has ended',
    isRare: true,
    replacements: [
      {
        file: 'storage/postgres/leases/held-job.ts',
        from: 'if (this.#deps.now() < tenure.until) this.#extend(tenure, requestedAt);',
        to: 'if (true) this.#extend(tenure, requestedAt);',
      },
    ],
  },
];
