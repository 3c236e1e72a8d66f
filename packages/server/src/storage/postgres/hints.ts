import { randomUUID } from 'node:crypto';
import type { Hints } from '../ports/store.ts';
import type { NewsChannels } from './news-channel.ts';
import type { Pool } from './pool.ts';

/** The channel of these messages. */
export const HINTS_CHANNEL = 'gatehouse_hints';
/** What is told within this time goes together. */
const GATHER_MS = 20;
/** In one message, whose bytes are bounded. */
const MOST_TOLD = 50;

type Told = readonly [topic: string, text: string];

/** A message of a process. */
interface Message {
  readonly from: string;
  readonly told: readonly Told[];
}

export interface PostgresHints extends Hints, AsyncDisposable {}

/**
 * Hints by NOTIFY, in transactions of their own: those that are part of one have the server commit one after the
 * other. What does not fit into a message is not told.
 *
 * @param channels among them `HINTS_CHANNEL`.
 */
export function createHints(pool: Pool, channels: NewsChannels): PostgresHints {
  const id = randomUUID();
  const listeners = new Map<string, ((text: string) => void)[]>();
  let gathered = new Map<string, Told>();
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> = Promise.resolve();

  function send(): void {
    timer = undefined;
    const message: Message = { from: id, told: [...gathered.values()] };
    gathered = new Map();
    sending = pool.run(`select pg_notify('${HINTS_CHANNEL}', $1)`, [JSON.stringify(message)]).then(
      () => {},
      () => {},
    );
  }

  channels.on(HINTS_CHANNEL, (text) => {
    for (const [topic, hint] of read(text, id))
      for (const listener of listeners.get(topic) ?? []) listener(hint);
  });

  return {
    publish: (topic, text) => {
      if (gathered.size < MOST_TOLD) gathered.set(JSON.stringify([topic, text]), [topic, text]);
      timer ??= setTimeout(send, GATHER_MS).unref();
    },
    subscribe: (topic, listener) => {
      listeners.set(topic, [...(listeners.get(topic) ?? []), listener]);
    },
    [Symbol.asyncDispose]: async () => {
      clearTimeout(timer);
      if (gathered.size > 0) send();
      await sending;
    },
  };
}

/** What another process told; nothing of what no process wrote. */
function read(text: string, own: string): readonly Told[] {
  try {
    const { from, told } = JSON.parse(text) as Partial<Message>;
    if (from === own || !Array.isArray(told)) return [];
    return told.map(([topic, hint]) => [String(topic), String(hint)] as const);
  } catch {
    return [];
  }
}
