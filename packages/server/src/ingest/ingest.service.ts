import type { IngestResult } from '@gatehouse/contract';
import type { Access, Caller } from '../identity/index.ts';
import { parse } from '../lib/json/index.ts';
import { releaseBytes } from '../lib/memory/index.ts';
import type { Clock } from '../lib/scheduling/index.ts';
import { ThreadScheduler } from '../lib/scheduling/index.ts';
import {
  inSpan,
  isTracing,
  mayHaveTrace,
  type TraceHeaders,
  traceOfEvent,
} from '../platform/traces/index.ts';
import type { EventBatch, EventStore } from '../storage/ports/index.ts';
import { identityOf } from '../storage/ports/index.ts';
import { spaceMissing } from '../streams/feed/index.ts';
import type { Answered, Tally } from '../streams/statistics/index.ts';
import type { Authorisation } from './credentials/authorisation.ts';
import { createEventCredentials } from './credentials/event-credentials.service.ts';
import { createProofs, type Proofs, type SignedBody } from './credentials/proofs.service.ts';
import { rejectUnlessMayWriteKnowledge, rejectUnsigned } from './credentials/requirements.ts';
import { packEvents } from './formats/pack.rules.ts';
import type { IngestBatch, ReadEvent, ValidEvent } from './formats/read-event.rules.ts';
import {
  dataAloneIsSigned,
  noCredential,
  noneAccepted,
  rejectedCredential,
  signatureRejected,
} from './ingest.errors.ts';
import type { IngestLimits } from './limits/ingest-limits.ts';
import { attributesOf, type Rejection, type RejectionLog, senderOf } from './rejections/index.ts';
import type { Registry, WebhookHeaders } from './sources/index.ts';

/** Maximum number of traces of events to which the trace of a request is linked. */
const MAX_LINKS = 16;

export interface IngestDeps {
  readonly access: Access;
  readonly registry: Registry;
  readonly store: EventStore;
  readonly clock: Clock;
  readonly limits: IngestLimits;
  readonly tally: Tally;
  readonly rejections: Pick<RejectionLog, 'add'>;
}

export interface Sender {
  /** The owner of the API key or session in the headers. */
  readonly caller: Caller | null;
  /** `null` if the Standard Webhooks headers are missing, or if they are invalid and `caller` is set. */
  readonly webhook: WebhookHeaders | null;
}

export interface IngestCall extends Sender {
  readonly address: string;
  /** The space in `?spaceId=`. */
  readonly spaceId: string | undefined;
  /** The decompressed body. */
  readonly body: Uint8Array;
  /** Parses the body in the format of its content type. Throws `ApiError` 400. */
  readonly read: () => IngestBatch;
  /** Called when a credential proves the space of the request, before the request can be rejected. */
  readonly identify: (spaceId: string, sender: Rejection['sender']) => void;
}

interface SeparatedEvents {
  readonly accepted: ReadonlyMap<string, readonly ValidEvent[]>;
  readonly eventIds: string[];
  readonly errors: { index: number; error: string }[];
  readonly failures: Answered['failures'];
}

/**
 * Returns the use case behind every format. It parses the batch, authenticates the sender, stores valid new events and
 * reports the result of each event. The processed events are on disk when the promise resolves. Rejects with `ApiError`
 * if the whole request is rejected, and with `StorageUnavailable` if the events cannot be stored.
 */
export function createIngest(deps: IngestDeps): (call: IngestCall) => Promise<IngestResult> {
  const scheduler = new ThreadScheduler();
  return async (call) => {
    const ofCaller =
      call.caller === null ? null : await authoriseCaller(deps.access, call.caller, call);
    if (ofCaller !== null) call.identify(ofCaller.spaceId, senderOf(call.caller, ofCaller.keyId));
    // Parsing uses most of the CPU time of a request. If the space is not known before parsing, requests
    // from the same address are scheduled together.
    const batch = await scheduler.run(ofCaller?.spaceId ?? call.address, call.read);
    const signedBody = signedBodyOf(call, batch);
    const proofs = createProofs(deps, batch, signedBody, ofCaller?.spaceId ?? call.spaceId);
    const authorised =
      ofCaller === null
        ? await authoriseEvents(deps.access, proofs, batch, call)
        : batch.events.map(() => ofCaller);
    const proven = await rejectUnsigned(deps.registry, proofs, batch.events, authorised);
    identifyCommonSender(call, proven);
    const record = recorder(deps, call);
    rejectIfNoneAccepted(call, batch, proven, record);
    const authorisations = await rejectUnlessMayWriteKnowledge(deps.registry, batch.events, proven);
    const giveBack = await deps.limits.take(batch.events, authorisations);
    const { accepted, eventIds, errors, failures } = separate(batch.events, authorisations, record);
    const receivedAt = deps.clock();
    const batches = [...accepted].map(([spaceId, events]) =>
      toBatch(spaceId, receivedAt, batch.bytes, events),
    );
    // `append` transfers the buffers, so the sizes are read first.
    const spaces = batches.map(({ spaceId, texts }) => ({
      spaceId,
      events: accepted.get(spaceId) ?? [],
      bytes: texts.byteLength,
    }));
    const links = tracesOf(batch.bytes, accepted);
    // The batches contain copies. Without this call, the bodies would cause one to two full garbage collections per second at full load.
    releaseBytes(batch.bytes);
    const { stored } =
      batches.length === 0
        ? { stored: 0 }
        : await inSpan('accept events', { links }, () => deps.store.append(batches)).catch(
            (error: unknown) => {
              giveBack();
              throw error;
            },
          );
    deps.tally.answered({ receivedAt, spaces, stored, failures });
    return toResult(eventIds, errors);
  };
}

/** Returns the traces that accepted events belong to, for links from the trace of the request. Empty without traces. */
function tracesOf(bytes: Uint8Array, accepted: SeparatedEvents['accepted']): TraceHeaders[] {
  if (!isTracing()) return [];
  return [...accepted.values()]
    .flat()
    .map(({ start, end }) =>
      Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString(),
    )
    .filter(mayHaveTrace)
    .slice(0, MAX_LINKS)
    .map((text) => traceOfEvent(parse(text) as Readonly<Record<string, unknown>>));
}

/** Returns the authorisation for a request with an API key or a session in its headers. It applies to every event. */
async function authoriseCaller(access: Access, caller: Caller, call: IngestCall) {
  const requested = call.spaceId ?? (caller.kind === 'key' ? caller.spaceId : undefined);
  if (requested === undefined) throw spaceMissing();
  const granted = await access.space(caller, requested, { role: 'editor', scope: 'events:write' });
  const { spaceId } = granted;
  const keyId = caller.kind === 'key' ? caller.keyId : null;
  const writesKnowledge = caller.kind === 'user' || caller.scopes.has('knowledge:write');
  return { accepted: true, spaceId, keyId, signed: false, writesKnowledge } as const;
}

/**
 * Returns the body that the webhook headers sign. Returns `null` in binary mode, because the signature does not cover
 * the attributes. Throws 401 if such a request has no other credential.
 */
function signedBodyOf(
  { caller, webhook, body }: IngestCall,
  batch: IngestBatch,
): SignedBody | null {
  if (webhook === null) return null;
  if (batch.bytes === body) return { headers: webhook, body };
  if (caller === null) throw dataAloneIsSigned();
  return null;
}

/** Returns one authorisation per event for a request without an API key or a session in its headers. */
async function authoriseEvents(
  access: Access,
  proofs: Proofs,
  batch: IngestBatch,
  { spaceId, webhook, identify }: IngestCall,
): Promise<readonly Authorisation[]> {
  if (webhook !== null) {
    const proven = await proofs.byHeaders();
    if (proven === null) throw signatureRejected();
    const signed = {
      accepted: true,
      spaceId: proven,
      keyId: null,
      signed: true,
      writesKnowledge: false,
    } as const;
    return batch.events.map(() => signed);
  }
  const body = createEventCredentials(access, proofs, spaceId);
  if (batch.auth !== null) {
    const authorisation = await body.request(batch.auth, batch.events);
    if (!authorisation.accepted) {
      const { known } = authorisation;
      if (known !== undefined) identify(known.spaceId, senderOf(null, known.keyId));
      throw rejectedCredential(authorisation);
    }
    return batch.events.map(() => authorisation);
  }
  if (batch.events.length === 0) throw noCredential();
  return Promise.all(batch.events.map(body.event));
}

/** Throws 401 if only the events contain credentials and no event is accepted. */
function rejectIfNoneAccepted(
  { caller, webhook }: Sender,
  { auth, events }: IngestBatch,
  authorisations: readonly Authorisation[],
  record: RecordRejection,
): void {
  const byEvent = caller === null && webhook === null && auth === null;
  if (!byEvent || authorisations.some(({ accepted }) => accepted)) return;
  for (const event of events) record(event, authorisations[event.index] as Authorisation);
  throw noneAccepted(
    authorisations.map((authorisation) => (authorisation.accepted ? '' : authorisation.problem)),
  );
}

/** Separates the accepted events from the others. */
function separate(
  events: readonly ReadEvent[],
  authorisations: readonly Authorisation[],
  record: RecordRejection,
): SeparatedEvents {
  const accepted = new Map<string, ValidEvent[]>();
  const eventIds: string[] = [];
  const errors: { index: number; error: string }[] = [];
  const failures: Answered['failures'][number][] = [];
  for (const event of events) {
    const authorisation = authorisations[event.index] as Authorisation;
    if (!authorisation.accepted || !event.valid) {
      record(event, authorisation);
      errors.push({ index: event.index, error: problemsOf(authorisation, event).join('; ') });
      failures.push(
        authorisation.accepted
          ? { spaceId: authorisation.spaceId, reason: 'invalid' }
          : { spaceId: null, reason: authorisation.reason },
      );
      continue;
    }
    eventIds.push(event.id);
    const others = accepted.get(authorisation.spaceId);
    if (others === undefined) accepted.set(authorisation.spaceId, [event]);
    else others.push(event);
  }
  return { accepted, eventIds, errors, failures };
}

/** Records a rejected event if its credential proves a space. */
type RecordRejection = (event: ReadEvent, authorisation: Authorisation) => void;

function recorder(
  { rejections }: Pick<IngestDeps, 'rejections'>,
  { caller }: IngestCall,
): RecordRejection {
  return (event, authorisation) => {
    const known = authorisation.accepted ? authorisation : authorisation.known;
    if (known === undefined) return;
    rejections.add({
      spaceId: known.spaceId,
      reason: authorisation.accepted ? 'invalid' : authorisation.reason,
      problem: problemsOf(authorisation, event).join('; '),
      status: null,
      sender: senderOf(caller, known.keyId),
      event: attributesOf(event),
    });
  };
}

/** Identifies the sender of a request with one credential in its body or signature. */
function identifyCommonSender(call: IngestCall, authorisations: readonly Authorisation[]): void {
  const [first] = authorisations;
  if (call.caller !== null || first === undefined || !first.accepted) return;
  const { spaceId, keyId } = first;
  const isCommon = authorisations.every(
    (one) => one === first || (one.accepted && one.spaceId === spaceId && one.keyId === keyId),
  );
  if (isCommon) call.identify(spaceId, senderOf(null, keyId));
}

/** The authorisation and the validation can report the same malformed credential, so duplicates are removed. */
function problemsOf(authorisation: Authorisation, { problems }: ReadEvent): readonly string[] {
  return authorisation.accepted ? problems : [...new Set([authorisation.problem, ...problems])];
}

function toBatch(
  spaceId: string,
  receivedAt: number,
  body: Uint8Array,
  events: readonly ValidEvent[],
): EventBatch {
  let identities = '';
  for (const event of events) identities += identityOf(spaceId, event.source, event.id);
  const feedsKnowledge = events.some((event) => event.feedsKnowledge);
  return { spaceId, receivedAt, ...packEvents(body, events), identities, feedsKnowledge };
}

function toResult(eventIds: string[], errors: SeparatedEvents['errors']): IngestResult {
  return {
    success: errors.length === 0,
    processed: eventIds.length,
    failed: errors.length,
    eventIds,
    ...(errors.length === 0 ? {} : { errors }),
  };
}
