import { type Kysely, sql } from 'kysely';
import { hasSub } from '../../links/index.ts';
import { keepCreations, NO_CREATION, recordAction } from '../../platform/audit/index.ts';
import {
  type Database,
  type ErasureRow,
  inTransaction,
  type Tables,
  type Write,
} from '../../storage/ports/index.ts';
import { ownerOfSub, recordedSubsOf } from '../conversations/owner.rules.ts';

export interface ErasedPerson {
  readonly spaceId: string;
  readonly sub: string;
  /** Replaces the `sub` in the audit. */
  readonly pseudonym: string;
  /** Encrypted `sub`, for the last step. */
  readonly sealedSub: string;
  /** Unix milliseconds. */
  readonly now: number;
  /** Remove the stored responses to requests that concern the person. */
  readonly removalsOfResponses: readonly Write[];
  /** Number of events that will be removed afterwards. Null: events are not removed. */
  readonly removedEvents: number | null;
}

/** Erasures are due that ended before the first time, and those that were not noted as erased and ended before the second. Unix milliseconds. */
export interface Due {
  readonly settledBefore: number;
  readonly abandonedBefore: number;
  /** A later end was stored before the clock was set back, so the erasure is due too. */
  readonly latest: number;
}

/** Maximum number of unfinished erasures that are read at a time. */
const MAX_UNFINISHED = 100;

export interface ErasedRows {
  readonly conversations: number;
  readonly messages: number;
  readonly feedback: number;
  readonly attachments: number;
  readonly links: number;
  readonly storedResponses: number;
  readonly auditEntries: number;
}

/** Creates the repository that erases the rows of a person. */
export function createErasureRepository(db: Database) {
  return {
    /**
     * Erases the person in one transaction. Records the erasure in the audit, unless there is nothing to erase, and that it is not
     * finished. A question that is saved concurrently either becomes visible to this transaction or finds its link ended.
     */
    erase: (person: ErasedPerson): Promise<ErasedRows> =>
      inTransaction(db, async (trx) => {
        const { spaceId, pseudonym } = person;
        const removedEvents = person.removedEvents ?? 0;
        const replayable = await countReplayable(trx, person);
        await moveCreations(trx, person);
        await deletePageCalls(trx, person);
        const links = await endLinks(trx, person);
        const attachments = await deleteAttachments(trx, person);
        const conversations = await deleteConversations(trx, person);
        let storedResponses = replayable;
        for (const removal of person.removalsOfResponses) {
          const { numAffectedRows = 0n } = await trx.executeQuery(removal.compile());
          storedResponses += Number(numAffectedRows);
        }
        const auditEntries = await replaceInAudit(trx, person);
        const erased = { ...conversations, attachments, links, storedResponses, auditEntries };
        if (removedEvents > 0 || Object.values(erased).some((count) => count > 0))
          await recordAction(trx, {
            action: 'person.erased',
            spaceId,
            resourceId: null,
            sub: pseudonym,
            details: { ...erased, removedEvents },
          });
        if (links > 0 || person.removedEvents !== null) await noteUnfinished(trx, person);
        return erased;
      }),

    /** Replaces the `sub` in entries of requests that were running during the erasure. */
    eraseInAudit: (person: Pick<ErasedPerson, 'spaceId' | 'sub' | 'pseudonym'>): Promise<number> =>
      inTransaction(db, async (trx) => {
        await moveCreations(trx, person);
        return replaceInAudit(trx, person);
      }),

    /**
     * Notes that a request has ended its part of an erasure.
     *
     * @param endedAt time at which the links of the person had ended. Unix milliseconds.
     * @param through position up to which the events are erased.
     */
    noteErased: async (
      { spaceId, pseudonym, now, removedEvents }: ErasedPerson,
      endedAt: number,
      through: number,
    ): Promise<void> => {
      await db
        .updateTable('erasures')
        .set({ ended_at: endedAt, erased_through: through })
        .where('space_id', '=', spaceId)
        .where('pseudonym', '=', pseudonym)
        .where('with_events', '=', Number(removedEvents !== null))
        // Another request may have erased the person since.
        .where('ended_at', '=', now)
        .execute();
    },

    /** Returns the erasures whose last step is due, oldest first. */
    unfinished: ({ settledBefore, abandonedBefore, latest }: Due): Promise<ErasureRow[]> =>
      db
        .selectFrom('erasures')
        .selectAll()
        .where((where) =>
          where.or([
            where('ended_at', '<=', settledBefore).and('erased_through', 'is not', null),
            where('ended_at', '<=', abandonedBefore),
            where('ended_at', '>', latest),
          ]),
        )
        .orderBy('ended_at')
        .limit(MAX_UNFINISHED)
        .execute(),

    /** Deletes an unfinished erasure, unless the person has been erased again since it was read. */
    finish: async (erasure: ErasureRow): Promise<void> => {
      await db
        .deleteFrom('erasures')
        .where('space_id', '=', erasure.space_id)
        .where('pseudonym', '=', erasure.pseudonym)
        .where('with_events', '=', erasure.with_events)
        .where('ended_at', '=', erasure.ended_at)
        .execute();
    },
  };
}

type Transaction = Kysely<Tables>;
type Person = Pick<ErasedPerson, 'spaceId' | 'sub'>;

async function noteUnfinished(trx: Transaction, person: ErasedPerson): Promise<void> {
  await trx
    .insertInto('erasures')
    .values({
      space_id: person.spaceId,
      pseudonym: person.pseudonym,
      sealed_sub: person.sealedSub,
      with_events: Number(person.removedEvents !== null),
      ended_at: person.now,
      erased_through: null,
    })
    .onConflict((conflict) =>
      conflict.columns(['space_id', 'pseudonym', 'with_events']).doUpdateSet(({ ref }) => ({
        sealed_sub: ref('excluded.sealed_sub'),
        ended_at: ref('excluded.ended_at'),
        erased_through: null,
      })),
    )
    .execute();
}

/**
 * Ends the links of a person and removes all given members, because filters, texts and URLs may also name the person. Returns the
 * number of links.
 */
async function endLinks(trx: Transaction, { spaceId, sub, now }: ErasedPerson): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable('links')
    .set({
      sub: null,
      user_information: null,
      payload: sql<string>`'{"v":1,"spaceId":"' || space_id || '","exp":' || cast(exp as text) || '}'`,
      warnings: null,
      token_check: null,
      // A link of an earlier release has no stored checks, and its payload no longer contains its filter.
      restricted: sql<number>`coalesce(restricted, 1)`,
      revoked_at: sql<number>`coalesce(revoked_at, cast(${now} as bigint))`,
    })
    .where('space_id', '=', spaceId)
    .where(hasSub(sub))
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** Deletes the results of tools of the page that no answer has taken. The links must still have the `sub`. */
async function deletePageCalls(trx: Transaction, { spaceId, sub }: Person): Promise<void> {
  await trx
    .deleteFrom('page_tool_calls')
    .where('space_id', '=', spaceId)
    .where('link_id', 'in', ({ selectFrom }) =>
      selectFrom('links').select('id').where('space_id', '=', spaceId).where(hasSub(sub)),
    )
    .execute();
}

/** Returns the number of links that are returned again to a request with the same `Idempotency-Key`. */
async function countReplayable(trx: Transaction, { spaceId, sub }: Person): Promise<number> {
  const { count } = await trx
    .selectFrom('links')
    .where('space_id', '=', spaceId)
    .where(hasSub(sub))
    .where('token_check', 'is not', null)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The messages are deleted with their conversation. */
async function deleteConversations(trx: Transaction, { spaceId, sub }: Person) {
  const { name } = ownerOfSub(spaceId, sub);
  const { messages, feedback } = await trx
    .selectFrom('conversations')
    // SQLite reads the tables of a cross join in this order. Otherwise it would read all messages of the space.
    .crossJoin('messages')
    .whereRef('messages.space_id', '=', 'conversations.space_id')
    .whereRef('messages.conversation_id', '=', 'conversations.id')
    .where('conversations.space_id', '=', spaceId)
    .where('conversations.owner', '=', name)
    .select(({ fn }) => [
      fn.count<number>('messages.id').as('messages'),
      fn.count<number>('messages.rating').as('feedback'),
    ])
    .executeTakeFirstOrThrow();
  const { numDeletedRows } = await trx
    .deleteFrom('conversations')
    .where('space_id', '=', spaceId)
    .where('owner', '=', name)
    .executeTakeFirst();
  return {
    conversations: Number(numDeletedRows),
    messages: Number(messages),
    feedback: Number(feedback),
  };
}

/** Includes attachments that were not sent, and attachments of chats that are not stored. */
async function deleteAttachments(trx: Transaction, { spaceId, sub }: Person): Promise<number> {
  const { numDeletedRows } = await trx
    .deleteFrom('attachments')
    .where('space_id', '=', spaceId)
    .where('owner', '=', ownerOfSub(spaceId, sub).name)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Moves the recorded creations of the person's links to the audit entries, which keep the pseudonym. */
async function moveCreations(trx: Transaction, { spaceId, sub }: Person): Promise<void> {
  await keepCreations(trx, sql`space_id = ${spaceId} and ${hasSub(sub)}`);
  await trx
    .updateTable('links')
    .set(NO_CREATION)
    .where('space_id', '=', spaceId)
    .where(hasSub(sub))
    .execute();
}

async function replaceInAudit(
  trx: Transaction,
  { spaceId, sub, pseudonym }: Person & Pick<ErasedPerson, 'pseudonym'>,
): Promise<number> {
  let replaced = 0;
  for (const recorded of recordedSubsOf(spaceId, sub)) {
    const { numUpdatedRows } = await trx
      .updateTable('audit_entries')
      .set({ sub: pseudonym })
      .where('resource_space_id', '=', spaceId)
      .where(hasSub(recorded))
      .executeTakeFirst();
    replaced += Number(numUpdatedRows);
  }
  return replaced;
}
