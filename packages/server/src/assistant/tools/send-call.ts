import { addAbortListener } from 'node:events';
import { type JwtPayload, TOOL_EVENT_PREFIX } from '@gatehouse/contract';
import { sign, toKey } from '../../ingest/sources/index.ts';
import type { Sealer } from '../../platform/secrets/index.ts';
import type { ToolRow } from '../../storage/ports/index.ts';
import type { ToolResult } from '../answerer.ts';
import { sealContext } from './tool.rules.ts';
import type { ToolOutcome, ToolSender } from './tool-sender.ts';

/** `type` of a call. */
export const CALLED = `${TOOL_EVENT_PREFIX}called`;

export interface SentCall {
  /** Idempotency key: the same for each attempt of the same call. */
  readonly key: string;
  readonly input: unknown;
  readonly linkId: string;
  /** The stored payload of the link. */
  readonly claims: Partial<JwtPayload>;
}

export interface SendCallDeps {
  readonly sender: ToolSender;
  readonly sealer: Sealer;
  /** Unix milliseconds. */
  readonly now: number;
}

/**
 * Sends a call to the URL of a tool, signed according to Standard Webhooks. A failure is a result, so that the model can answer
 * without the tool.
 *
 * @throws `signal.reason` if the signal aborts, which also aborts the request.
 */
export async function sendCall(
  { sender, sealer, now }: SendCallDeps,
  tool: ToolRow,
  call: SentCall,
  signal: AbortSignal,
): Promise<ToolResult> {
  signal.throwIfAborted();
  const secret = sealer.open(tool.sealed, sealContext(tool));
  if (secret === null) return failed('The tool is not set up correctly.');
  // The operator may have removed an address from the permitted ones since the tool was stored.
  if (sender.refusalOf(tool.url) !== null) return failed('The tool is not set up correctly.');
  const target = sender.open(tool.url, tool.space_id);
  using _ = addAbortListener(signal, () => target.close());
  try {
    const outcome = await target.post(messageOf(tool, call, secret, now));
    signal.throwIfAborted();
    return resultOf(outcome);
  } finally {
    target.close();
  }
}

function messageOf(
  tool: ToolRow,
  { key, input, linkId, claims }: SentCall,
  secret: string,
  now: number,
) {
  const timestamp = Math.floor(now / 1000);
  const body = Buffer.from(
    JSON.stringify({
      type: CALLED,
      timestamp: new Date(now).toISOString(),
      data: callData(tool, { key, input, linkId, claims }),
    }),
  );
  return {
    body,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/plain',
      'idempotency-key': key,
      'webhook-id': key,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': sign([`${key}.${timestamp}.`, body], toKey(secret)),
    },
  };
}

export function callData(tool: ToolRow, { input, linkId, claims }: SentCall) {
  return {
    tool: tool.name,
    toolId: tool.id,
    spaceId: tool.space_id,
    botId: tool.bot_id,
    arguments: input,
    link: { id: linkId, claims },
  };
}

function resultOf(outcome: ToolOutcome): ToolResult {
  if (!outcome.answered) return failed(`The tool failed: ${outcome.problem}.`);
  const { status, body } = outcome;
  const text = body === undefined ? '' : textOf(body.bytes, body.isCut);
  if (status >= 200 && status < 300) return { outcome: 'succeeded', text };
  return failed(`The tool failed with the status ${status}.${text === '' ? '' : `\n${text}`}`);
}

/** Returns the text of a body. Bytes that are not UTF-8 and U+0000 are replaced. */
function textOf(bytes: Uint8Array, isCut: boolean): string {
  const text = new TextDecoder().decode(bytes).replaceAll('\0', '\ufffd');
  return isCut ? `${text}… (cut off)` : text;
}

function failed(text: string): ToolResult {
  return { outcome: 'failed', text };
}
