import type { RejectedEvent } from '@gatehouse/contract';
import type { Caller } from '../../identity/index.ts';
import type { RejectedEventRow } from '../../storage/ports/index.ts';
import { refusalOf } from '../../streams/statistics/index.ts';
import type { ReadEvent } from '../formats/read-event.rules.ts';

type Sender = RejectedEvent['sender'];
type Reason = RejectedEvent['reason'];

/** A rejected event or request whose credential proves its space. */
export interface Rejection {
  readonly spaceId: string;
  readonly reason: Reason;
  readonly problem: string;
  /** Status of the response. `null` for an event in an accepted request. */
  readonly status: number | null;
  readonly sender: Sender;
  /** `null`: the whole request was rejected. */
  readonly event: RejectedEvent['event'];
}

/** Maximum length in UTF-16 code units, so that a row has at most a few KiB. */
const MAX_ATTRIBUTE = 200;
const MAX_PROBLEM = 1000;

export function senderOf(caller: Caller | null, keyId: string | null): Sender {
  if (caller?.kind === 'user') return { kind: 'user', id: caller.userId };
  if (keyId !== null) return { kind: 'apiKey', id: keyId };
  return { kind: 'signature', id: null };
}

/** Returns the listed attributes of an event. The data and the credential are never recorded. */
export function attributesOf(event: ReadEvent): RejectedEvent['event'] {
  return {
    index: event.index,
    id: shortened(event.id, MAX_ATTRIBUTE),
    source: shortened(event.source, MAX_ATTRIBUTE),
    type: event.valid ? shortened(event.type, MAX_ATTRIBUTE) : null,
  };
}

/** Returns the reason for a rejected request, or `null` if the sender did not cause the error. */
export function reasonOf(error: unknown): { reason: Reason; status: number } | null {
  const refusal = refusalOf(error);
  if (refusal === null) return null;
  const { reason, status } = refusal;
  return reason === 'overloaded' || reason === 'unavailable' ? null : { reason, status };
}

export function detailsOf({ problem, status, sender, event }: Rejection): string {
  return JSON.stringify({
    problem: shortened(withoutCredentials(problem), MAX_PROBLEM),
    status,
    sender,
    event,
  });
}

export function formatRejection(row: RejectedEventRow): RejectedEvent {
  const details = JSON.parse(row.details) as Pick<
    RejectedEvent,
    'problem' | 'status' | 'sender' | 'event'
  >;
  const { id, kind, reason } = row;
  return { id, at: new Date(row.at).toISOString(), kind, reason: reason as Reason, ...details };
}

/** Matches strings that can be a credential: at least 20 characters of base64 with a digit or a capital letter. */
const CREDENTIAL = /(?<![\w+/=-])(?=[\w+/=-]*[0-9A-Z])[\w+/=-]{20,}/g;

/** A problem contains names of unknown members, and a sender may use a credential as a name by mistake. */
function withoutCredentials(problem: string): string {
  return problem.replace(CREDENTIAL, (text) => (/^[A-Z_]+$/.test(text) ? text : '[redacted]'));
}

function shortened<Text extends string | null>(text: Text, length: number): Text | string {
  if (text === null) return text;
  return (text.length <= length ? text : `${text.slice(0, length - 1)}…`).toWellFormed();
}
