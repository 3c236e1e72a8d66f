import { createHmac, randomUUID } from 'node:crypto';
import type { EventSourceWithSecret, NewEventSource } from '@gatehouse/contract';
import { Webhook } from 'standardwebhooks';
import type { Client } from '../http/client.ts';
import type { SentEvent } from './events.ts';

export async function registerSource(
  client: Client,
  session: string,
  spaceId: string,
  source: Partial<NewEventSource> & { source: string },
): Promise<EventSourceWithSecret> {
  const body = { name: 'test', ...source };
  const answer = await client(`/spaces/${spaceId}/event-sources`, { as: session, body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.json as unknown as EventSourceWithSecret;
}

export function nowInSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

export function webhookHeaders(
  body: string,
  secrets: string | readonly string[],
  { id = randomUUID(), timestamp = nowInSeconds() }: { id?: string; timestamp?: number } = {},
): Record<string, string> {
  const signatures = [secrets]
    .flat()
    .map((secret) => new Webhook(secret).sign(id, new Date(timestamp * 1000), body));
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}

/** Returns the canonical JSON of a value (RFC 8785). */
export function canonicalForm(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalForm).join(',')}]`;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalForm(member)}`).join(',')}}`;
}

/** Returns the `auth` member of an event with signatures as the contract defines them. */
export function eventAuth(
  event: SentEvent,
  secrets: string | readonly string[],
  timestamp: number | string = nowInSeconds(),
): { signature: string; timestamp: string } {
  const { auth: _, ...rest } = event;
  const id = String(event['id']);
  const text = `${Buffer.byteLength(id)}.${id}.${timestamp}.${canonicalForm(rest)}`;
  const signatures = [secrets].flat().map((secret) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    return `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
  });
  return { signature: signatures.join(' '), timestamp: String(timestamp) };
}

export function signedEvent(event: SentEvent, secrets: string | readonly string[]): SentEvent {
  return { ...event, auth: eventAuth(event, secrets) };
}
