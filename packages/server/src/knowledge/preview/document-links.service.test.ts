import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Link } from '@gatehouse/contract';
import { type FilterRecord, type JsonObject, matchAll } from '@gatehouse/filter';
import type { SpaceAccess } from '../../identity/index.ts';
import { filterOf } from '../../lib/filters/filter-of.suite.ts';
import { StorageTooSlow } from '../../lib/threads/index.ts';
import { createDocumentLinks } from './document-links.service.ts';

const SPACE = { spaceId: 'space' } as unknown as SpaceAccess;
const RECORD: FilterRecord = {
  fileName: 'a.txt',
  mimeType: 'text/plain',
  language: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  metadata: { m: `b${'a'.repeat(20_000)}`, team: 'a' },
};
/** Conditions that nearly match at every position. */
const SLOW = {
  or: Array.from({ length: 200 }, () => ({ m: { like: `%${'_a'.repeat(100)}_b%` } })),
};

interface Options {
  readonly filters: readonly JsonObject[];
  readonly versions?: readonly FilterRecord[];
  readonly clock?: () => number;
  readonly signal?: AbortSignal;
}

/** Lists the links with these permission filters that show a document. The ID of a link is its index. */
async function linksWith({ filters, versions = [RECORD], clock, signal }: Options) {
  const documentLinks = createDocumentLinks({
    repository: { versions: async () => [...versions] },
    links: {
      async *newestActive() {
        for (const [index, json] of filters.entries()) {
          const permissionFilter = filterOf(json);
          const spaceFilter = matchAll;
          yield {
            link: { id: `${index}` } as unknown as Link,
            filters: () => ({
              spaceFilter,
              storedSpaceFilter: null,
              permissionFilter,
              filter: matchAll,
            }),
          };
        }
        return true;
      },
    },
    ...(clock === undefined ? {} : { clock }),
  });
  return documentLinks(SPACE, 'document', signal);
}

test('returns the links whose filters accept all versions of a document', async () => {
  const filters = [
    { team: { eq: 'a' } },
    { team: { eq: 'b' } },
    { not: { team: { eq: 'b' } } },
    SLOW,
  ];
  const { items, examined, isComplete } = await linksWith({ filters });
  assert.deepEqual([items.map(({ id }) => id), examined, isComplete], [['0', '2'], 4, true]);
  const versions = [RECORD, { ...RECORD, metadata: { team: 'b' } }];
  const either = { team: { in: ['a', 'b'] } };
  const ofBoth = await linksWith({
    filters: [{ team: { eq: 'a' } }, either, { team: { eq: 'b' } }],
    versions,
  });
  assert.deepEqual(
    ofBoth.items.map(({ id }) => id),
    ['1'],
  );
});

test('the event loop handles other events while a filter is evaluated', async () => {
  let others = 0;
  const count = () => {
    others += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  try {
    await linksWith({ filters: [SLOW] });
  } finally {
    clearImmediate(counting);
  }
  assert.ok(others >= 5, `${others} other events`);
});

test('an evaluation fails when it has used two seconds', async () => {
  let now = 0;
  const clock = () => {
    now += 50;
    return now;
  };
  await assert.rejects(linksWith({ filters: [SLOW], clock }), StorageTooSlow);
});

test('many links share the two seconds', async () => {
  let now = 0;
  const clock = () => {
    now += 10;
    return now;
  };
  const few = Array.from({ length: 5 }, () => ({ team: { eq: 'a' } }));
  assert.equal((await linksWith({ filters: few, clock })).items.length, 5);
  const many = Array.from({ length: 200 }, () => ({ team: { eq: 'a' } }));
  await assert.rejects(linksWith({ filters: many, clock }), StorageTooSlow);
});

test('an evaluation stops when the client disconnects', async () => {
  const gone = new AbortController();
  const reason = new Error('gone');
  setImmediate(() => gone.abort(reason));
  await assert.rejects(linksWith({ filters: [SLOW], signal: gone.signal }), reason);
});
