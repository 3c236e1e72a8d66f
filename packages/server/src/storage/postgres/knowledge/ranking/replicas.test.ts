import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { roundsOf, SEED } from '@gatehouse/filter/tests/campaign';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { seeded } from '../../../../../tests/support/seeded.ts';
import { metadataColumns } from '../../../../knowledge/documents/document.rules.ts';
import { filterOf } from '../../../../lib/filters/filter-of.suite.ts';
import { readQuery } from '../../../../lib/text/index.ts';
import { addSpace } from '../../../ports/add-space.suite.ts';
import type { KnowledgeEngine, RankedPassage } from '../../../ports/knowledge-engine.ts';
import { addDocument } from '../../../ports/knowledge-engine-under-test.suite.ts';
import { KnowledgeScope } from '../../../ports/knowledge-scope.ts';
import { largeFilter } from '../../../ports/large-filter.suite.ts';
import type { Store } from '../../../ports/store.ts';
import { newDatabase } from '../../database.suite.ts';
import { openStore } from '../../open-store.suite.ts';
import { openPool, type Pool, type Session } from '../../pool.ts';

const SPACE = 'space';
const DOCUMENTS = 40;
const WRITERS = 6;
const MODEL = 'small';
const VECTOR = Float32Array.from({ length: 8 }, (_, at) => Math.sin(at + 1));

const random = seeded(SEED);

interface TestedDocument {
  readonly number: number;
  isFound: boolean;
  /** Number of transactions that changed the document and have started to commit. */
  commits: number;
  isBusy: boolean;
}

/** Reads that evaluate a scope. Each returns the IDs of all visible documents. */
type Read = 'search' | 'search in a large scope' | 'nearest' | 'nearest in a large scope' | 'list';

type Change = 'hide' | 'show' | 'delete' | 'restore';

const idsOf = (hits: readonly RankedPassage[]) => hits.map(({ documentId }) => documentId);

describe(`two replicas that search while transactions commit in random order (seed ${SEED})`, {
  skip: postgresIsMissing,
}, () => {
  let replicas: Store[] = [];
  let pool: Pool;
  /** The columns of `documents` that are not generated. */
  let columns = '';
  const documents: TestedDocument[] = [];
  const scopeOf = (filter: object) => new KnowledgeScope(SPACE, filterOf(filter));
  const scope = scopeOf({ level: { eq: 'open' } });
  const largeScope = scopeOf(largeFilter('level', 'open'));

  const search = async (engine: KnowledgeEngine, within: KnowledgeScope) =>
    idsOf(await engine.search(within, readQuery('amber '), 1000));
  const nearest = async (engine: KnowledgeEngine, within: KnowledgeScope) =>
    idsOf(await engine.nearest(within, { model: MODEL, vector: VECTOR }, 1000));
  const reads: Record<Read, (engine: KnowledgeEngine) => Promise<string[]>> = {
    search: (engine) => search(engine, scope),
    'search in a large scope': (engine) => search(engine, largeScope),
    nearest: (engine) => nearest(engine, scope),
    'nearest in a large scope': (engine) => nearest(engine, largeScope),
    async list(engine) {
      const page = { after: null, count: 1000 };
      const listed = await engine.documents(largeScope, (inScope) => inScope.select('id'), page);
      return listed.map(({ id }) => id);
    },
  };
  const allReads = Object.keys(reads) as Read[];

  before(async () => {
    const url = await newDatabase();
    // The last test closes connections, which the stores report.
    const options = { onError: () => {} };
    replicas = [await openStore(url, options), await openStore(url, options)];
    pool = openPool({ url, connections: WRITERS + 1, onError: () => {} });
    const [first = assert.fail()] = replicas;
    await addSpace(first, SPACE);
    for (let count = 0; count < DOCUMENTS; count += 1) {
      const metadata = { level: 'open' };
      const document = { spaceId: SPACE, id: `${count}`, metadata, texts: [`amber ${count}`] };
      const number = await addDocument(first.knowledge, document);
      const vectors = [Float32Array.from({ length: 8 }, () => random.next() - 0.5)];
      const chunk = { spaceId: SPACE, number, first: 0, isLast: true, vectors };
      await first.knowledge.vectors.insert(MODEL, [chunk]);
      documents.push({ number, isFound: true, commits: 0, isBusy: false });
    }
    const { rows } = await pool.run(
      `select string_agg(column_name, ',') as columns from information_schema.columns
       where table_name = 'documents' and is_generated = 'NEVER'`,
    );
    columns = String(rows[0]?.['columns']);
    await pool.run('create table removed as select * from documents limit 0');
  });
  after(async () => {
    await pool?.[Symbol.asyncDispose]();
    for (const store of replicas) await store[Symbol.asyncDispose]();
  });

  /** Changes a document in the session's transaction, which may stay open for a long time. */
  async function change(session: Session, what: Change, number: number): Promise<void> {
    const where = `where space_id = '${SPACE}' and number = $1`;
    const move = async (from: string, to: string) => {
      await session.run(`insert into ${to} (${columns}) select ${columns} from ${from} ${where}`, [
        number,
      ]);
      await session.run(`delete from ${from} ${where}`, [number]);
    };
    if (what === 'delete') return move('documents', 'removed');
    if (what === 'restore') return move('removed', 'documents');
    const level = what === 'hide' ? 'closed' : 'open';
    const { metadata, metadata_folded: folded } = metadataColumns({ level });
    await session.run(`update documents set metadata = $2, metadata_folded = $3::jsonb ${where}`, [
      number,
      metadata,
      folded,
    ]);
  }

  async function found(store: Store, read: Read = 'search'): Promise<ReadonlySet<number>> {
    return new Set((await reads[read](store.knowledge)).map(Number));
  }

  /** Checks the documents that no transaction changed during a search. */
  async function check(store: Store, read: Read): Promise<number> {
    const commits = documents.map((document) => document.commits);
    const expected = documents.map(({ isFound }) => isFound);
    const result = await found(store, read);
    let checked = 0;
    for (const [index, document] of documents.entries()) {
      if (document.commits !== commits[index] || document.commits % 2 === 1) continue;
      assert.equal(result.has(index), expected[index], `${read}: document ${index}`);
      checked += 1;
    }
    return checked;
  }

  /** Runs a transaction that changes a few documents. `hold` runs between the changes and the commit. */
  async function write(hold: () => Promise<void>): Promise<void> {
    const idle = documents.filter(({ isBusy }) => !isBusy);
    const chosen = new Set(
      Array.from({ length: 1 + random.below(3) }, () => random.pick(idle)).filter(Boolean),
    );
    for (const document of chosen) document.isBusy = true;
    await pool.hold(async (session) => {
      await session.run('begin');
      for (const document of chosen) {
        const isDeleting = random.next() < 0.5;
        const { rows } = await session.run('select 1 from removed where number = $1', [
          document.number,
        ]);
        const isDeleted = rows.length > 0;
        if (isDeleted) await change(session, 'restore', document.number);
        if (document.isFound)
          await change(session, isDeleting ? 'delete' : 'hide', document.number);
        else await change(session, 'show', document.number);
      }
      await hold();
      for (const document of chosen) document.commits += 1;
      await session.run('commit');
    });
    for (const document of chosen) {
      document.isFound = !document.isFound;
      document.commits += 1;
      document.isBusy = false;
    }
  }

  test('each search finds exactly the documents that are visible when it starts', async (t) => {
    let commits = 0;
    let checked = 0;
    const rounds = roundsOf(150, 5000);
    const writers = Array.from({ length: WRITERS }, async () => {
      while (commits < rounds) {
        await write(async () => {
          const until = commits + random.below(WRITERS);
          // The other writers commit in the meantime, unless all of them wait.
          for (let turn = 0; turn < 20 && commits < until; turn += 1) await pool.run('select 1');
        });
        commits += 1;
      }
    });
    const readers = replicas.flatMap((store) =>
      allReads.map(async (read) => {
        while (commits < rounds) checked += await check(store, read);
      }),
    );
    await Promise.all([...writers, ...readers]);
    for (const store of replicas)
      for (const read of allReads) assert.equal(await check(store, read), DOCUMENTS);
    t.diagnostic(`${commits} transactions, ${checked} documents checked`);
    assert.ok(checked > 0);
  });

  test('the next search of each replica sees a commit, and a rollback changes nothing', async () => {
    const visible = documents.findIndex(({ isFound }) => isFound);
    const { number } = documents[visible] ?? assert.fail();
    const assertFound = async (isFound: boolean) => {
      for (const store of replicas)
        for (const read of allReads)
          assert.equal((await found(store, read)).has(visible), isFound, read);
    };
    const hide = (end: 'commit' | 'rollback') =>
      pool.hold(async (session) => {
        await session.run('begin');
        await change(session, 'hide', number);
        await assertFound(true);
        await session.run(end);
      });
    await assertFound(true);
    await hide('rollback');
    await assertFound(true);
    await hide('commit');
    await assertFound(false);
  });

  test('searches continue after the server closed the connections of the replicas', async () => {
    const before = await found(replicas[0] as Store);
    await pool.run(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`);
    for (const store of replicas)
      for (const read of allReads) assert.deepEqual(await found(store, read), before, read);
  });
});
