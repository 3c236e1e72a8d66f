import type { Clock } from '../../lib/scheduling/index.ts';
import type { EventAuth, IngestBatch, ReadEvent } from '../formats/read-event.rules.ts';
import {
  isSigned,
  type KnownSource,
  type Registry,
  readSignatures,
  SIGNATURE_FORM,
  type SpaceSources,
  timestampProblem,
  type WebhookHeaders,
} from '../sources/index.ts';
import { type Authorisation, unproven } from './authorisation.ts';
import { createSignedTexts, type SignedText } from './signed-text.rules.ts';

/** Maximum number of registered sources that one signed body may belong to. Verification hashes the body once per source. */
const MAX_SOURCES_OF_A_BODY = 8;

export interface SignedBody {
  readonly headers: WebhookHeaders;
  /** The signed bytes: the body after decompression. */
  readonly body: Uint8Array;
}

/** Verifies the signatures of one request. */
export interface Proofs {
  /**
   * Returns the only space whose sources signed every event of the batch, according to the webhook headers.
   * Returns `null` if no space or more than one space matches.
   */
  byHeaders(): Promise<string | null>;
  byAuth(event: ReadEvent, auth: EventAuth): Promise<Authorisation>;
  /** Returns `null` if any signature in the request proves that `source` sent the event, otherwise the problem. */
  faultOf(event: ReadEvent, source: KnownSource): string | null;
}

export interface ProofsDeps {
  readonly registry: Registry;
  readonly clock: Clock;
}

const NOT_PROVEN =
  'auth.signature: does not match the event; check that its source is registered, that the secret is current, and that the signed text is <length of id>.<id>.<timestamp>.<canonical event without auth>';
const REQUIRED =
  'auth.signature: is required by the source of this event; an API key or a session is not enough';

/** @param requestedSpaceId the only space to search for sources. Default: every space. */
export function createProofs(
  { registry, clock }: ProofsDeps,
  batch: IngestBatch,
  signedBody: SignedBody | null,
  requestedSpaceId: string | undefined,
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
    if (requestedSpaceId !== undefined) return [await registry.inSpace(requestedSpaceId)];
    return registry.spacesCovering(source);
  }

  function textOf(event: ReadEvent): SignedText {
    const text = textsMade.get(event) ?? texts(event);
    textsMade.set(event, text);
    return text;
  }

  /** Returns a verifier for the event's signature, or the problem if the signature cannot be verified with any key. */
  function readAuth(
    event: ReadEvent,
    auth: EventAuth,
  ): string | ((source: KnownSource | null) => boolean) {
    const { signature = '', timestamp } = auth;
    const signatures = readSignatures(signature);
    if (signatures === null) return `auth.signature: ${SIGNATURE_FORM}`;
    if (timestamp === undefined) return 'auth.timestamp: is required with a signature';
    const problem = timestampProblem(timestamp, clock());
    if (problem !== null) return `auth.timestamp: ${problem}`;
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
        // Verifies with a substitute for the key, so the duration does not reveal that no source is registered.
        signs(signedBody, null);
        return null;
      }
      for (const source of needed) isBodySigned(source);
      const proven = candidates.filter(({ sources }) => sources.every(isBodySigned));
      return proven.length === 1 ? (proven[0]?.spaceId ?? null) : null;
    },
    byAuth: async (event, auth) => {
      const { source } = event;
      const isSignedBy = readAuth(event, auth);
      if (typeof isSignedBy === 'string') return unproven(isSignedBy);
      const spaces = source === null ? [] : await spacesFor(source);
      const candidates = spaces.map((space) => ({ space, known: space.covering(source ?? '') }));
      // As above, the duration does not reveal that no source is registered.
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

/** Returns the space's sources that cover all `names`, or an empty array if any name is not covered. */
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
