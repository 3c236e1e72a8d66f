import { readSignatures, SIGNATURE_FORM, timestampFault } from './signature.rules.ts';

/** The headers of Standard Webhooks, checked as far as they can be without the body. */
export interface WebhookHeaders {
  readonly id: string;
  /** Unix seconds, as sent. */
  readonly timestamp: string;
  readonly signatures: readonly Buffer[];
}

export type ReadWebhookHeaders =
  | { readonly given: false }
  | { readonly given: true; readonly headers: WebhookHeaders }
  /** Each begins with the name of a header. */
  | { readonly given: true; readonly headers: null; readonly problems: readonly string[] };

const NAMES = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
/** No dot, since dots separate what is signed: an id with one could pass for another id and time. */
const ID = /^[!-\-/-~]{1,256}$/;

/**
 * Reads `webhook-id`, `webhook-timestamp` and `webhook-signature`. One of the three is enough to say
 * that the request wants to be judged by them.
 *
 * @param now Unix milliseconds.
 */
export function readWebhookHeaders(
  given: Readonly<Record<string, string | readonly string[] | undefined>>,
  now: number,
): ReadWebhookHeaders {
  if (NAMES.every((name) => given[name] === undefined)) return { given: false };
  const [id, timestamp, signature] = NAMES.map((name) => textOf(given[name]));
  const signatures = readSignatures(signature ?? '');
  const problems: string[] = [];
  const note = (name: string, fault: string | null) => {
    if (fault !== null) problems.push(`${name}: ${fault}`);
  };
  note('webhook-id', id === undefined ? REQUIRED : ID.test(id) ? null : ID_FORM);
  note('webhook-timestamp', timestamp === undefined ? REQUIRED : timestampFault(timestamp, now));
  note(
    'webhook-signature',
    signature === undefined ? REQUIRED : signatures === null ? SIGNATURE_FORM : null,
  );
  if (problems.length > 0 || id === undefined || timestamp === undefined || signatures === null)
    return { given: true, headers: null, problems };
  return { given: true, headers: { id, timestamp, signatures } };
}

const REQUIRED = 'is required with the other headers of Standard Webhooks';
const ID_FORM = 'must be 1 to 256 printable ASCII characters without spaces and dots';

function textOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'object' ? value.join(', ') : value;
}
