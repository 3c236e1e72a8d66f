import { createHash, randomUUIDv7 } from 'node:crypto';
import { ApiError, type JwtPayload, type PageTool } from '@gatehouse/contract';
import type { Clock } from '../../lib/scheduling/index.ts';
import { keepsHistory } from '../../links/index.ts';
import type { Sealer } from '../../platform/secrets/index.ts';
import { type EventStore, type ToolRow, toEventBatch } from '../../storage/ports/index.ts';
import type { AnswerTool, StartedCall, ToolResult } from '../answerer.ts';
import type { Consents } from './consents.ts';
import { argumentProblems } from './input-schema.rules.ts';
import type { PageCalls } from './page-calls.ts';
import { pageTools } from './page-tools.ts';
import { CALLED, callData, type SentCall, sendCall } from './send-call.ts';
import type { ToolRepository } from './tool.repository.ts';
import { isEvent, schemaOf } from './tool.rules.ts';
import type { ToolSender } from './tool-sender.ts';
import type { Decider } from './waiting-call.repository.ts';

/** The link on whose behalf tools are called. */
export interface ToolCaller extends Decider {
  readonly botId: number;
  /** The stored payload of the link. */
  readonly claims: JwtPayload;
  /** Identifies the question. The same call for the same question has the same idempotency key. */
  readonly question: string;
  /** Rejects with an `ApiError` if the link has ended. */
  readonly confirm: () => Promise<unknown>;
}

export interface CallTools {
  /**
   * Returns the tools of the link's bot, bound to the link.
   *
   * @param offered tools that the client runs itself. A tool of the bot with the same name takes precedence.
   */
  of(caller: ToolCaller, offered?: readonly PageTool[]): Promise<readonly AnswerTool[]>;
}

export interface CallToolsDeps {
  readonly tools: ToolRepository;
  readonly consents: Consents;
  readonly pageCalls: PageCalls;
  readonly sender: ToolSender;
  readonly sealer: Sealer;
  readonly events: EmitCallDeps['events'];
  /** `source` of the events of this installation. */
  readonly source: string;
  readonly clock: Clock;
  /** Called when a call fails unexpectedly. */
  readonly onFailure: (error: unknown) => void;
}

export function createCallTools(deps: CallToolsDeps): CallTools {
  return {
    async of(caller, offered = []) {
      const all = await deps.tools.all(caller);
      // An event would store the text of a link whose conversations must not be stored.
      const rows = all.filter((row) => !isEvent(row) || keepsHistory(caller.claims));
      const repeats = new Map<string, number>();
      const ofBot = rows.map(
        (row): AnswerTool => ({
          name: row.name,
          title: row.title,
          description: row.description,
          inputSchema: schemaOf(row),
          needsConsent: row.consent === 1,
          start: (input, signal) => start(deps, row, caller, input, repeats, signal),
        }),
      );
      return [...ofBot, ...pageTools(deps, caller, offered, ofBot)];
    },
  };
}

async function start(
  deps: CallToolsDeps,
  row: ToolRow,
  caller: ToolCaller,
  input: unknown,
  repeats: Map<string, number>,
  signal: AbortSignal,
): Promise<StartedCall> {
  const problem = argumentProblems(schemaOf(row), input);
  if (problem !== null) return { problem };
  const id = randomUUIDv7();
  const needsConsent = row.consent === 1;
  if (needsConsent) await deps.consents.open(caller, id);
  const key = keyOf(row, caller, input, repeats);
  return {
    call: { id, name: row.name, title: row.title, input, needsConsent },
    async result() {
      try {
        if (needsConsent && (await deps.consents.wait(caller, id, signal)) === 'deny')
          return { outcome: 'denied', text: 'The person did not allow this call.' };
        return await send(deps, row, caller, { key, input }, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof ApiError) return { outcome: 'failed', text: 'The link has ended.' };
        deps.onFailure(error);
        return { outcome: 'failed', text: 'The tool failed.' };
      }
    },
  };
}

async function send(
  deps: CallToolsDeps,
  row: ToolRow,
  caller: ToolCaller,
  call: { readonly key: string; readonly input: unknown },
  signal: AbortSignal,
): Promise<ToolResult> {
  // The erasure of a person ends the links and then removes events that were received before, even if they are stored later.
  const now = deps.clock();
  // A running answer notices the end of its link within a second. A call must not use this second.
  await caller.confirm();
  const current = await deps.tools.find(caller, row.id);
  // The person has consented to the tool as it was.
  if (current?.updated_at !== row.updated_at)
    return { outcome: 'failed', text: 'The tool was changed or deleted during the answer.' };
  const { linkId, claims } = caller;
  const sent = { ...call, linkId, claims };
  return isEvent(row)
    ? emitCall({ ...deps, now }, row, sent)
    : sendCall({ ...deps, now }, row, sent, signal);
}

/**
 * Returns the idempotency key of a call. It depends only on the question, the tool, the arguments and the number of equal calls
 * before, so the same call has the same key if the question is answered again, for example after a crash.
 */
function keyOf(
  row: ToolRow,
  { spaceId, linkId, question }: ToolCaller,
  input: unknown,
  repeats: Map<string, number>,
): string {
  const call = JSON.stringify([spaceId, linkId, question, row.id, sorted(input)]);
  const number = repeats.get(call) ?? 0;
  repeats.set(call, number + 1);
  return `call_${createHash('sha256').update(`${number} ${call}`).digest('hex').slice(0, 40)}`;
}

/** Returns a value that is equal for objects with the same members in any order, because models write them in any order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, sorted(member)] as const);
  // An object and an array must differ, so the members are marked.
  return { members: members.toSorted(([one], [other]) => (one < other ? -1 : 1)) };
}

interface EmitCallDeps {
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
async function emitCall(
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
