import type { TraceHeaders } from './spans.ts';

/** Matches version 00 with a trace ID and a span ID that are not all zeros. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
/** Matches text that a header can contain: printable ASCII without spaces at the ends. */
const TRACESTATE = /^(?! )[\x20-\x7e]{1,512}(?<! )$/;

/**
 * Returns the trace of an event: its attributes `traceparent` and `tracestate`, which the CloudEvents extension "Distributed
 * Tracing" defines. Ignores malformed values.
 *
 * @param event parsed JSON of the event.
 */
export function traceOfEvent(event: object): TraceHeaders {
  const { traceparent, tracestate } = event as { traceparent?: unknown; tracestate?: unknown };
  if (typeof traceparent !== 'string' || !TRACEPARENT.test(traceparent)) return {};
  if (typeof tracestate !== 'string' || !TRACESTATE.test(tracestate)) return { traceparent };
  return { traceparent, tracestate };
}

/** Reports whether the JSON text of an event can have a `traceparent`, without parsing it. */
export function mayHaveTrace(text: string): boolean {
  return text.includes('"traceparent"') || text.includes('\\u');
}
