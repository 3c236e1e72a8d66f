import { type EventStore, type ToolRow, toEventBatch } from '../../storage/ports/index.ts';
import type { ToolResult } from '../answerer.ts';
import { CALLED, callData, type SentCall } from './send-call.ts';

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
  const { sub } = claims;
  const event = {
    specversion: '1.0',
    id: key,
    source,
    type: CALLED,
    ...(sub ? { subject: sub } : {}),
    time: new Date(now).toISOString(),
    datacontenttype: 'application/json',
    data: callData(tool, { key, input, linkId, claims: sub ? { sub } : {} }),
  };
  const target = { spaceId: tool.space_id, source, receivedAt: now };
  await events.append([toEventBatch([event], target)]);
  return {
    outcome: 'succeeded',
    text: 'The request was passed on. Its result is not known yet, so do not say that it is done.',
  };
}
