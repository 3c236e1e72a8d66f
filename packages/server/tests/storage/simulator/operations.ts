import assert from 'node:assert/strict';
import { matchAll } from '@gatehouse/filter';
import { StorageUnavailable } from '../../../src/lib/threads/index.ts';
import { actingFrom, NO_CREATION, OPERATOR } from '../../../src/platform/audit/index.ts';
import { batchOfTexts } from '../../../src/storage/ports/event-batch.suite.ts';
import { type EventBatch, KnowledgeScope } from '../../../src/storage/ports/index.ts';
import type { Application } from './application.ts';
import { type Operation, SPACE_A, SPACES } from './history.ts';
import { type EventOracle, SOURCE, textOf } from './oracle.ts';
import { scheduler } from './os/scheduler.ts';
import { contentOf, type RowOracle } from './row-oracle.ts';

const SPACE = SPACE_A;
const MAX_EVENTS = 10_000;

export interface Oracles {
  readonly events: EventOracle;
  readonly rows: RowOracle;
}

/** Lets time pass. */
export async function passTime(
  operation: Extract<Operation, { kind: 'run' | 'wait' | 'jump' }>,
): Promise<void> {
  if (operation.kind === 'run') await scheduler.run(operation.tasks);
  else if (operation.kind === 'wait') await scheduler.advance(operation.ms);
  else scheduler.jump(operation.ms);
}

/** An operation of a client. */
export type Request = Exclude<Operation, { kind: 'target' | 'run' | 'wait' | 'jump' }>;

/** Performs an operation of a client. Tells the oracles what is sent and, if `isAlive`, what was acknowledged. */
export async function request(
  application: Application,
  oracles: Oracles,
  operation: Request,
  isAlive: () => boolean,
): Promise<void> {
  const { store, links, idempotency, documents, retention } = application;
  switch (operation.kind) {
    case 'append':
      await append(application, oracles, operation, isAlive);
      return;
    case 'create-link': {
      const id = `${operation.key}.${operation.number}`;
      oracles.rows.link(operation.key).ids.add(id);
      const outcome = await idempotency.run(
        {
          caller: 'key simulated',
          key: operation.key,
          apiKey: null,
          requestHash: () => '',
          restore: null,
          fingerprint: async () => 'same',
          authorize: async () => {},
          isOneTransaction: true,
        },
        async (attempt) => {
          const answer = { status: 201, headers: {}, text: id };
          await store.writeAtomically([
            links.insertion(linkOf(id)),
            ...attempt.writes('same', answer, { spaceId: SPACE }),
          ]);
          return answer;
        },
      );
      if (isAlive()) oracles.rows.answered(operation.key, String(outcome.response.text));
      return;
    }
    case 'revoke-link': {
      const link = oracles.rows.link(operation.key);
      const { answer } = link;
      if (answer === null) return;
      link.isRevocationSent = true;
      const done = await actingFrom(OPERATOR, () => links.revoke(SPACE, answer, scheduler.now));
      if (done && isAlive()) link.isRevoked = true;
      return;
    }
    case 'add-document': {
      const { id } = operation;
      const document = oracles.rows.document(id);
      const added = await actingFrom(OPERATOR, () =>
        documents.insert(documentOf(id), contentOf(id), []),
      );
      if (added && isAlive()) document.isAdded = true;
      return;
    }
    case 'remove-document': {
      const document = oracles.rows.document(operation.id);
      if (!document.isAdded) return;
      document.isRemovalSent = true;
      await actingFrom(OPERATOR, () =>
        documents.remove(new KnowledgeScope(SPACE, matchAll), operation.id),
      );
      if (isAlive()) document.isRemoved = true;
      return;
    }
    case 'erase': {
      const { space, subject } = operation;
      const erasure = oracles.events.erasing(space, subject);
      let after = 0;
      for (;;) {
        const { through, more } = await store.events.eraseSubject(space, subject, after);
        if (!more) break;
        after = through;
      }
      if (isAlive()) erasure.isAcknowledged = true;
      return;
    }
    case 'retain': {
      const { space, bytes } = operation;
      oracles.events.retains(space);
      await store.db
        .updateTable('spaces')
        .set({ events_max_bytes: bytes })
        .where('id', '=', space)
        .execute();
      retention.recheck(space);
      return;
    }
  }
}

async function append(
  application: Application,
  oracles: Oracles,
  { batches, repeats }: Operation & { kind: 'append' },
  isAlive: () => boolean,
): Promise<void> {
  for (let left = repeats; ; left -= 1) {
    const call = oracles.events.sending(batches);
    try {
      const { stored } = await application.store.events.append(batches.map(toBatch));
      if (isAlive()) oracles.events.acknowledged(call, stored);
      return;
    } catch (error) {
      if (left === 0 || !(error instanceof StorageUnavailable)) throw error;
    }
  }
}

export function toBatch({
  space,
  ids,
}: {
  readonly space: string;
  readonly ids: readonly string[];
}): EventBatch {
  const events = ids.map((id) => ({ id, source: SOURCE, text: textOf(space, id) }));
  return batchOfTexts(space, events, scheduler.now);
}

/** Asserts that a started process has all acknowledged data. */
export async function assertKept(application: Application, oracles: Oracles): Promise<void> {
  const { store } = application;
  for (const space of SPACES) {
    // A single page is a snapshot, while retention may remove events between two pages.
    const page = await store.events.read({ spaceId: space, after: 0, limit: MAX_EVENTS });
    assert.ok(!page.more);
    oracles.events.assertFeed(space, page.events);
    const newest = await store.events.newest(space);
    assert.ok(newest >= oracles.events.highestOf(space), `the head of ${space} moved back`);
  }
  await oracles.rows.assertRows(application);
}

function linkOf(id: string) {
  return {
    id,
    space_id: SPACE,
    token_hash: `hash of ${id}`,
    token_prefix: 'gh_',
    sub: null,
    payload: '{}',
    user_information: null,
    bot_id: null,
    exp: 4_000_000_000,
    created_at: scheduler.now,
    restricted: 0,
    warnings: '[]',
    ...NO_CREATION,
  };
}

function documentOf(id: string) {
  const time = new Date(scheduler.now).toISOString();
  return {
    id,
    space_id: SPACE,
    file_name: `${id}.txt`,
    file_name_folded: `${id}.txt`,
    mime_type: 'text/plain',
    language: null,
    size: contentOf(id).length,
    sha256: id,
    metadata: '{}',
    metadata_folded: '{}',
    metadata_collected: null,
    updated_at: time,
    created_at: time,
  };
}
