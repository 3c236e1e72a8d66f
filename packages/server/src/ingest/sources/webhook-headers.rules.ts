import { readSignatures, SIGNATURE_FORM, timestampProblem } from './signature.rules.ts';

/** Standard Webhooks headers. The signatures are parsed but not yet verified. */
export interface WebhookHeaders {
  readonly id: string;
  /** Unix seconds, as sent. */
  readonly timestamp: string;
  readonly signatures: readonly Buffer[];
}

export type ReadWebhookHeaders =
  | { readonly given: false }
  | { readonly given: true; readonly headers: WebhookHeaders }
  /** Each problem starts with the name of its header. */
  | { readonly given: true; readonly headers: null; readonly problems: readonly string[] };

const NAMES = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
/** Dots separate the signed parts. An ID with a dot could be read as a different ID and timestamp. */
const ID = /^[!-\-/-~]{1,256}$/;

/**
 * Parses `webhook-id`, `webhook-timestamp` and `webhook-signature`. If any of them is present, all three are required.
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
  const note = (name: string, problem: string | null) => {
    if (problem !== null) problems.push(`${name}: ${problem}`);
  };
  note('webhook-id', id === undefined ? REQUIRED : ID.test(id) ? null : ID_FORM);
  note('webhook-timestamp', timestamp === undefined ? REQUIRED : timestampProblem(timestamp, now));
  note(
    'webhook-signature',
    signature === undefined ? REQUIRED : signatures === null ? SIGNATURE_FORM : null,
  );
  if (problems.length > 0 || id === undefined || timestamp === undefined || signatures === null)
    return { given: true, headers: null, problems };
  return { given: true, headers: { id, timestamp, signatures } };
}

const REQUIRED = 'is required with the other headers of Standard Webhooks';
const ID_FORM = 'must be 1 to 256 printable ASCII characters without spaces or dots';

function textOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'object' ? value.join(', ') : value;
}
