import type { Clock } from '../../lib/scheduling/index.ts';
import type { EventAuth, IngestBatch, ReadEvent } from '../formats/read-event.rules.ts';
import {
  isSigned,
  type KnownSource,
  type Registry,
  readSignatures,
  SIGNATURE_FORM,
  type SpaceSources,
  timestampFault,
  type WebhookHeaders,
} from '../sources/index.ts';
import type { Judgement, Refusal } from './judgement.ts';
import { createSignedTexts, type SignedText } from './signed-text.rules.ts';

/** A batch signed as a whole may be of so many registered sources: each costs a pass over the body. */
const MAX_SOURCES_OF_A_BODY = 8;

/** A body, and what the headers say of it. */
export interface SignedBody {
  readonly headers: WebhookHeaders;
  /** The bytes that are signed: those sent, unpacked. */
  readonly body: Uint8Array;
}

/** What signatures prove about the events of one request. */
export interface Proofs {
  /** The one space whose sources sign every event of the batch by the web-hook headers; null when there is none, or more than one. */
  byHeaders(): Promise<string | null>;
  /** By the signature in an `auth`, the event's own or that beside `events`. */
  byAuth(event: ReadEvent, auth: EventAuth): Promise<Judgement>;
  /** Whether anything in the request proves that the event is of this source; else what is wrong with it. */
  faultOf(event: ReadEvent, source: KnownSource): string | null;
}

export interface ProofsDeps {
  readonly registry: Registry;
  readonly clock: Clock;
}

export const NOT_PROVEN =
  'auth.signature: does not prove the event; check that its source is registered, the secret, and that what is signed is <length of id>.<id>.<timestamp>.<canonical event without auth>';
const REQUIRED =
  'auth.signature: is required by the source of this event; a key or a session alone is not enough';

/** @param wantedSpaceId the only space that is looked into. */
export function createProofs(
  { registry, clock }: ProofsDeps,
  batch: IngestBatch,
  signedBody: SignedBody | null,
  wantedSpaceId: string | undefined,
): Proofs {
  const texts = createSignedTexts(batch.bytes);
  const textsMade = new Map<ReadEvent, SignedText>();
  const covering = new Map<string, Promise<readonly SpaceSources[]>>();
  const bodySigned = new Map<KnownSource, boolean>();

  function spacesFor(source: string): Promise<readonly SpaceSources[]> {
    const known = covering.get(source) ?? lookUp(source);
    covering.set(source, known);
    return known;
  }

  async function lookUp(source: string): Promise<readonly SpaceSources[]> {
    if (wantedSpaceId !== undefined) return [await registry.inSpace(wantedSpaceId)];
    return registry.spacesCovering(source);
  }

  function textOf(event: ReadEvent): SignedText {
    const text = textsMade.get(event) ?? texts(event);
    textsMade.set(event, text);
    return text;
  }

  /** A function that says whether a source's keys sign the event, or what is wrong with the signature in any case. */
  function readAuth(
    event: ReadEvent,
    auth: EventAuth,
  ): string | ((source: KnownSource | null) => boolean) {
    const { signature = '', timestamp } = auth;
    const signatures = readSignatures(signature);
    if (signatures === null) return `auth.signature: ${SIGNATURE_FORM}`;
    if (timestamp === undefined) return 'auth.timestamp: is required with a signature';
    const fault = timestampFault(timestamp, clock());
    if (fault !== null) return `auth.timestamp: ${fault}`;
    const signed = textOf(event);
    if (!signed.ok) return `auth.signature: cannot be verified ${signed.problem}`;
    const { id, text } = signed;
    const parts = [`${Buffer.byteLength(id)}.${id}.${timestamp}.`, text];
    return (source) => isSigned(parts, signatures, source?.keys() ?? []);
  }

  function isBodySigned(source: KnownSource): boolean {
    if (signedBody === null) return false;
    const known = bodySigned.get(source);
    if (known !== undefined) return known;
    const signed = signs(signedBody, source);
    bodySigned.set(source, signed);
    return signed;
  }

  return {
    byHeaders: async () => {
      if (signedBody === null) return null;
      const names = new Set(batch.events.flatMap(({ source }) => source ?? []));
      const [first] = names;
      const spaces = first === undefined ? [] : await spacesFor(first);
      const candidates = spaces.flatMap((space) => coveringAll(space, names));
      const needed = new Set(candidates.flatMap(({ sources }) => sources));
      if (needed.size === 0 || needed.size > MAX_SOURCES_OF_A_BODY) {
        signs(signedBody, null);
        return null;
      }
      for (const source of needed) isBodySigned(source);
      const proven = candidates.filter(({ sources }) => sources.every(isBodySigned));
      return proven.length === 1 ? (proven[0]?.spaceId ?? null) : null;
    },
    byAuth: async (event, auth) => {
      const { source } = event;
      const spaces = source === null ? [] : await spacesFor(source);
      const isSignedBy = readAuth(event, auth);
      if (typeof isSignedBy === 'string') return unproven(isSignedBy);
      const candidates = spaces.map((space) => ({ space, known: space.covering(source ?? '') }));
      if (candidates.length === 0) isSignedBy(null);
      const proven = candidates.filter(({ known }) => isSignedBy(known));
      const [only] = proven;
      if (only === undefined || proven.length > 1) return unproven(NOT_PROVEN);
      const { spaceId } = only.space;
      return { accepted: true, spaceId, keyId: null, signed: true, writesKnowledge: false };
    },
    faultOf: (event, source) => {
      if (isBodySigned(source)) return null;
      const auth = [event.auth, batch.auth].find((given) => given?.signature !== undefined);
      if (auth == null) return REQUIRED;
      const isSignedBy = readAuth(event, auth);
      if (typeof isSignedBy === 'string') return isSignedBy;
      return isSignedBy(source) ? null : NOT_PROVEN;
    },
  };
}

/** A space with its sources for all of these names; nothing when one of them has none. */
function coveringAll(space: SpaceSources, names: ReadonlySet<string>) {
  const sources = new Set<KnownSource>();
  for (const name of names) {
    const known = space.covering(name);
    if (known === null) return [];
    sources.add(known);
  }
  return [{ spaceId: space.spaceId, sources: [...sources] }];
}

function signs({ headers, body }: SignedBody, source: KnownSource | null): boolean {
  const parts = [`${headers.id}.${headers.timestamp}.`, body];
  return isSigned(parts, headers.signatures, source?.keys() ?? []);
}

function unproven(problem: string): Refusal {
  return { accepted: false, reason: 'unproven', problem };
}
