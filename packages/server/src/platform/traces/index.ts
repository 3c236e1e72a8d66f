export { mayHaveTrace, traceOfEvent } from './event-trace.ts';
export {
  activeContext,
  type Context,
  contextOf,
  generateInSpan,
  inContext,
  inSpan,
  isTracing,
  outgoingHeaders,
  type SetAttributes,
  type SpanOptions,
  startSpan,
  type TraceHeaders,
} from './spans.ts';
export { startTraces } from './start-traces.ts';
export { traceQuery, traceStore } from './traced-store.ts';
