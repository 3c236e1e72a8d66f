import type { StreamOptions } from '../options.ts';
import type { Handoff } from '../types.ts';
import { parseData, readMessages } from './messages.ts';

/** A change of a handoff to people: its state, or a new message. */
export type HandoffUpdate<Message> =
  | { readonly type: 'handoff'; readonly handoff: Handoff }
  | { readonly type: 'message'; readonly message: Message };

/** Sends a request and yields the updates of a handoff until the stream ends. Yields nothing if the conversation is not handed over. */
export async function* readUpdates<Message>(
  open: () => Promise<Response>,
  options: StreamOptions,
): AsyncGenerator<HandoffUpdate<Message>, void, undefined> {
  const response = await open();
  if (response.status === 204) return;
  for await (const { data } of readMessages(response, options))
    if (data !== undefined) yield parseData<HandoffUpdate<Message>>(data);
}
