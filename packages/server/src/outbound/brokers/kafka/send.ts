import type { Outcome } from '../event-sink.ts';
import { chunksOf } from './chunks.ts';
import { errorsWithin, failureOf } from './failure.ts';
import type { KafkaMessage } from './message.ts';

export interface PlacedMessage extends KafkaMessage {
  readonly partition: number;
}

/** As much of the library's producer as is needed here. */
export interface Sender {
  send(options: { messages: PlacedMessage[] }): Promise<unknown>;
}

/**
 * Sends messages of one topic, one request after the other, and says of each what became of it. One that is too
 * large holds back its lane alone, any other failure all that was not sent yet.
 */
export async function sendInOrder(
  sender: Sender,
  messages: readonly PlacedMessage[],
  lanes: readonly string[],
  topic: string,
): Promise<readonly Outcome[]> {
  const outcomes = new Array<Outcome>(messages.length).fill('held');
  const heldLanes = new Set<string>();
  let stopped = false;
  const messageAt = (place: number) => messages[place] as PlacedMessage;
  const laneAt = (place: number) => lanes[place] as string;

  async function send(places: readonly number[]): Promise<void> {
    const sent = places.filter((place) => !stopped && !heldLanes.has(laneAt(place)));
    if (sent.length === 0) return;
    try {
      await sender.send({ messages: sent.map(messageAt) });
      for (const place of sent) outcomes[place] = 'published';
    } catch (error) {
      const written = partitionsWritten(error);
      const isWritten = (place: number) => written.has(messageAt(place).partition);
      for (const place of sent) if (isWritten(place)) outcomes[place] = 'published';
      await handleFailure(
        error,
        sent.filter((place) => !isWritten(place)),
      );
    }
  }

  async function handleFailure(error: unknown, left: readonly number[]): Promise<void> {
    const failure = failureOf(error, topic);
    if (failure.reason === 'too-large' && left.length > 1) {
      // It may be the records together that are too large.
      await send(left.slice(0, left.length >> 1));
      await send(left.slice(left.length >> 1));
      return;
    }
    for (const place of left) outcomes[place] = failure;
    if (failure.reason === 'too-large') for (const place of left) heldLanes.add(laneAt(place));
    else stopped = true;
  }

  for (const places of chunksOf(messages)) await send(places);
  return outcomes;
}

/** The partitions whose records were written, although others of the same request failed. */
function partitionsWritten(error: unknown): ReadonlySet<number> {
  const written = new Set<number>();
  for (const { response } of errorsWithin(error) as Iterable<
    Error & { response?: ProduceResponse }
  >)
    for (const { partitionResponses } of response?.responses ?? [])
      for (const { index, errorCode } of partitionResponses)
        if (errorCode === 0) written.add(index);
  return written;
}

/** What the library shows of a broker's answer. */
interface ProduceResponse {
  readonly responses?: readonly {
    readonly partitionResponses: readonly { readonly index: number; readonly errorCode: number }[];
  }[];
}
