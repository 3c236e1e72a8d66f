import type { IngestResult } from '@gatehouse/contract';
import type { Access, Caller } from '../access/index.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventBatch, EventStore } from '../ports/event-store.ts';
import { readBatch } from './batch.rules.ts';
import { createJudge, type Judgement } from './event-credentials.service.ts';
import { noCredential, noneAccepted, refusedCredential, spaceMissing } from './events.errors.ts';
import { identityOf } from './identity.rules.ts';
import { packEvents } from './pack.rules.ts';
import type { IngestBatch, ValidEvent } from './read-event.rules.ts';

export interface IngestDeps {
  readonly access: Access;
  readonly store: EventStore;
  readonly clock: Clock;
  /** Hears what became of each request: events kept, seen before, and refused. */
  readonly count: (kept: number, known: number, refused: number) => void;
}

export interface IngestCall {
  /** Who the headers say calls; null when they carry no credential. */
  readonly caller: Caller | null;
  /** The space that the query names. */
  readonly spaceId: string | undefined;
  readonly body: Uint8Array;
}

/**
 * The `application/json` door: reads a batch, judges who sends it, keeps what is valid and new, and
 * says what became of each event (interface, 2.5). When it returns, what it counts as processed is
 * on disk. Throws `ApiError` when the request as a whole is refused, and `StorageUnavailable`.
 */
export function createIngest(deps: IngestDeps): (call: IngestCall) => Promise<IngestResult> {
  return async (call) => {
    const known =
      call.caller === null ? null : await spaceOf(deps.access, call.caller, call.spaceId);
    const batch = readBatch(call.body);
    const judgements = known === null ? await judge(deps.access, batch, call.spaceId) : null;
    const spaceOfEvent = (index: number): Judgement =>
      judgements?.[index] ?? { accepted: true, spaceId: known ?? '' };

    const accepted = new Map<string, ValidEvent[]>();
    const eventIds: string[] = [];
    const errors: { index: number; error: string }[] = [];
    for (const event of batch.events) {
      const judgement = spaceOfEvent(event.index);
      if (!judgement.accepted) errors.push({ index: event.index, error: judgement.problem });
      else if (!event.valid) errors.push({ index: event.index, error: event.problems.join('; ') });
      else {
        eventIds.push(event.id);
        const events = accepted.get(judgement.spaceId);
        if (events === undefined) accepted.set(judgement.spaceId, [event]);
        else events.push(event);
      }
    }
    const receivedAt = deps.clock();
    const batches = [...accepted].map(([spaceId, events]) =>
      toBatch(spaceId, receivedAt, call.body, events),
    );
    const { stored } = batches.length === 0 ? { stored: 0 } : await deps.store.append(batches);
    deps.count(stored, eventIds.length - stored, errors.length);
    return toResult(eventIds, errors);
  };
}

async function spaceOf(
  access: Access,
  caller: Caller,
  spaceId: string | undefined,
): Promise<string> {
  const wanted = spaceId ?? (caller.kind === 'key' ? caller.spaceId : undefined);
  if (wanted === undefined) throw spaceMissing();
  const granted = await access.space(caller, wanted, { role: 'editor', scope: 'events:write' });
  return granted.spaceId;
}

/** A judgement for each event, when no header says who sends. */
async function judge(
  access: Access,
  batch: IngestBatch,
  spaceId: string | undefined,
): Promise<readonly Judgement[]> {
  const judge = createJudge(access, spaceId);
  if (batch.auth !== null) {
    const judgement = await judge.judge(batch.auth);
    if (!judgement.accepted) throw refusedCredential(judgement.problem);
    return batch.events.map(() => judgement);
  }
  if (batch.events.length === 0) throw noCredential();
  const judgements = await judge.judgeEach(batch.events);
  if (judgements.some((judgement) => judgement.accepted)) return judgements;
  throw noneAccepted(
    judgements.flatMap((judgement, index) =>
      judgement.accepted ? [] : [{ message: `events[${index}].${judgement.problem}` }],
    ),
  );
}

function toBatch(
  spaceId: string,
  receivedAt: number,
  body: Uint8Array,
  events: readonly ValidEvent[],
): EventBatch {
  let identities = '';
  for (const event of events) identities += identityOf(spaceId, event.source, event.id);
  return { spaceId, receivedAt, ...packEvents(body, events), identities };
}

function toResult(eventIds: string[], errors: { index: number; error: string }[]): IngestResult {
  return {
    success: errors.length === 0,
    processed: eventIds.length,
    failed: errors.length,
    eventIds,
    ...(errors.length === 0 ? {} : { errors }),
  };
}
