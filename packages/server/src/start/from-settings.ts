/** What settings become where a room takes something else than they are. */

import type { Prices, TurnRates } from '../assistant/index.ts';
import type { IngestRates } from '../ingest/index.ts';
import { createEmbedder, type Embedder } from '../knowledge/embeddings/index.ts';
import type { Settings } from '../platform/settings/index.ts';

/** With several replicas a load balancer stands before them, which asks each every second or so how it is. */
const DRAIN_SECONDS_OF_REPLICAS = 5;
/** What was said of an answer is kept in this time, and its consumer hears how it ended. */
const ANSWERS_END_BEFORE_SECONDS = 5;

export function drainSecondsOf({ drainSeconds, databaseUrl }: Settings): number {
  return drainSeconds ?? (databaseUrl === null ? 0 : DRAIN_SECONDS_OF_REPLICAS);
}

/** A link may have several people: those who name no limit of it let it have three times that of one. */
export function turnRatesOf({ rateLimitChat: person, rateLimitChatLink }: Settings): TurnRates {
  return { person, link: rateLimitChatLink ?? 3 * person };
}

export function ingestRatesOf(settings: Settings): IngestRates {
  return {
    eventsOfKey: settings.rateLimitEventsKey,
    bytesOfKey: settings.rateLimitEventBytesKey,
    eventsOfSpace: settings.rateLimitEventsSpace,
    bytesOfSpace: settings.rateLimitEventBytesSpace,
  };
}

/** Both settings or neither: one price alone does not pass the settings. */
export function pricesOf({
  modelPriceInput: input,
  modelPriceOutput: output,
}: Settings): Prices | null {
  return input === null || output === null ? null : { input, output };
}

/** Both settings or neither: an embedding model without a URL does not pass the settings. */
export function embedderOf({ modelUrl, modelKey, embeddingModel }: Settings): Embedder | null {
  if (modelUrl === null || embeddingModel === null) return null;
  return createEmbedder({ url: modelUrl, key: modelKey?.reveal() ?? null, model: embeddingModel });
}

/** How long answers of a chat have to come to their end when the service stops, milliseconds. */
export function answersEndWithinMsOf({ stopSeconds }: Settings): number {
  return (stopSeconds - ANSWERS_END_BEFORE_SECONDS) * 1000;
}
