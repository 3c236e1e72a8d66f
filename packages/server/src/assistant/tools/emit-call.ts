import { TOOL_EVENT_PREFIX } from '@gatehouse/contract';
import { toEventBatch } from '../../identity/index.ts';
import type { EventStore, ToolRow } from '../../storage/ports/index.ts';
import type { ToolResult } from '../answerer.ts';
import type { SentCall } from './send-call.ts';

export interface EmitCallDeps {
  readonly events: Pick<EventStore, 'append'>;
  /** `source` of the events of this installation. */
  readonly source: string;
  /** Unix milliseconds. */
  readonly now: number;
}

/**
 * Stores a call as an event of the space. The idempotency key is the ID of the event, so the event log stores a repeated call once.
 * The event has only the `sub` of the link, because everybody who reads the events of the space reads it. It is also the subject,
 * so that the erasure of the person can remove the event.
 */
export async function emitCall(
  { events, source, now }: EmitCallDeps,
  tool: ToolRow,
  { key, input, linkId, claims }: SentCall,
): Promise<ToolResult> {
  const sub = subOf(claims);
  const event = {
    specversion: '1.0',
    id: key,
    source,
    type: `${TOOL_EVENT_PREFIX}called`,
    ...(sub === null ? {} : { subject: sub }),
    time: new Date(now).toISOString(),
    datacontenttype: 'application/json',
    data: {
      tool: tool.name,
      toolId: tool.id,
      spaceId: tool.space_id,
      botId: tool.bot_id,
      arguments: input,
      link: { id: linkId, claims: sub === null ? {} : { sub } },
    },
  };
  const target = { spaceId: tool.space_id, source, receivedAt: now };
  await events.append([toEventBatch([event], target)]);
  return {
    outcome: 'succeeded',
    text: 'The request was passed on. Its result is not known yet, so do not say that it is done.',
  };
}

/** Reports whether the link of a payload stores conversations. The text of other links must not be stored. */
export function storesText(claims: unknown): boolean {
  return memberOf(memberOf(claims, 'features'), 'chatHistory') !== false;
}

function subOf(claims: unknown): string | null {
  const sub = memberOf(claims, 'sub');
  return typeof sub === 'string' && sub !== '' ? sub : null;
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}
