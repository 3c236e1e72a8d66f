import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { CloudEvent } from '@gatehouse/client';
import { wrongUse } from '../shell/failure.ts';

const SECRET_BYTES = 32;
const MIN_SECRET_BYTES = 24;

/** Creates a secret of Standard Webhooks. */
export function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** Returns the bytes of a secret. The error does not contain the secret. */
export function parseSecret(text: string): Buffer {
  const [, base64 = ''] = /^whsec_([A-Za-z\d+/]+={0,2})$/.exec(text) ?? [];
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length < MIN_SECRET_BYTES)
    throw wrongUse(
      `GATEHOUSE_LISTEN_SECRET must be whsec_ followed by at least ${MIN_SECRET_BYTES} bytes in base64. Unset it to create a secret.`,
    );
  return bytes;
}

/** Returns the `webhook-id` of an event: always the same one, so that receivers can deduplicate. */
export function deliveryIdOf({ source, id }: CloudEvent): string {
  return `msg_${createHash('sha256')
    .update(JSON.stringify([source, id]))
    .digest('hex')
    .slice(0, 32)}`;
}

/** Returns the headers of Standard Webhooks for one attempt. */
export function signedHeaders(id: string, body: string, secret: Buffer): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', secret)
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}
