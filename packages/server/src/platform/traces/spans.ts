import type { Attributes, Context, Span } from '@opentelemetry/api';

export type { Context, Span } from '@opentelemetry/api';

export interface SpanOptions {
  /** Default `internal`. */
  readonly kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  /** Names follow the semantic conventions of OpenTelemetry. Never pass a URL, a token or text of a user. */
  readonly attributes?: Attributes;
  /** Default: the active context. */
  readonly parent?: Context | undefined;
  /** Start time in Unix milliseconds. Default: now. */
  readonly startTime?: number;
  /** Other traces that caused the work. */
  readonly links?: readonly TraceHeaders[];
}

/** The headers of W3C Trace Context: https://www.w3.org/TR/trace-context/ */
export type TraceHeaders = Readonly<Partial<Record<'traceparent' | 'tracestate', string>>>;

/** Sets attributes of a span. Without traces, a function without effect. */
export type SetAttributes = (attributes: Attributes) => void;

/** Records spans. The functions of this file describe the methods. */
export interface Recorder {
  startSpan(name: string, options: SpanOptions): StartedSpan;
  inSpan<T>(
    name: string,
    options: SpanOptions,
    run: (set: SetAttributes) => Promise<T>,
  ): Promise<T>;
  generateInSpan<T>(
    name: string,
    options: SpanOptions,
    generate: (set: SetAttributes) => AsyncGenerator<T>,
  ): AsyncGenerator<T>;
  inContext<T>(context: Context, run: () => T): T;
  activeContext(): Context;
  contextOf(headers: Readonly<Record<string, unknown>>): Context;
  activeTraceId(): string | undefined;
  headers(): TraceHeaders;
}

const IGNORE: SetAttributes = () => {};

/** `null` unless the process records traces. The library is then not loaded, and each function below costs one comparison. */
let recorder: Recorder | null = null;

/** Called by `startTraces`, and with `null` when the process stops recording. */
export function setRecorder(value: Recorder | null): void {
  recorder = value;
}

/** Reports whether this process records traces. */
export function isTracing(): boolean {
  return recorder !== null;
}

/**
 * Runs a function in a new active span, which ends when the promise settles. If it rejects, the span records the name of the
 * error, but not its message, which may contain data.
 *
 * @example
 * await inSpan('append events', { kind: 'client' }, () => store.append(batches));
 */
export function inSpan<T>(
  name: string,
  options: SpanOptions,
  run: (set: SetAttributes) => Promise<T>,
): Promise<T> {
  return recorder === null ? run(IGNORE) : recorder.inSpan(name, options, run);
}

/** Runs each step of a generator in a new active span, which ends with the generator or when its reader stops. */
export function generateInSpan<T>(
  name: string,
  options: SpanOptions,
  generate: (set: SetAttributes) => AsyncGenerator<T>,
): AsyncGenerator<T> {
  return recorder === null ? generate(IGNORE) : recorder.generateInSpan(name, options, generate);
}

/** Returns a new span that is not active, and its context. The caller must end the span. `null` without traces. */
export function startSpan(name: string, options: SpanOptions): StartedSpan | null {
  return recorder?.startSpan(name, options) ?? null;
}

export interface StartedSpan {
  readonly span: Span;
  readonly context: Context;
}

/** Calls a function in a context, or in the active context if the context is `undefined`. */
export function inContext<T>(context: Context | undefined, run: () => T): T {
  return recorder === null || context === undefined ? run() : recorder.inContext(context, run);
}

/** Returns the active context, to continue it in work that runs later. `undefined` without traces. */
export function activeContext(): Context | undefined {
  return recorder?.activeContext();
}

/** Returns the context that trace headers name, or the root context if they name none. `undefined` without traces. */
export function contextOf(headers: Readonly<Record<string, unknown>>): Context | undefined {
  return recorder?.contextOf(headers);
}

/** Returns the ID of the active trace for log lines, or `undefined`. */
export function activeTraceId(): string | undefined {
  return recorder?.activeTraceId();
}

/**
 * Returns the trace headers for an outgoing request: those of the active span or, without traces, the given headers
 * unchanged.
 */
export function outgoingHeaders(given: TraceHeaders): TraceHeaders {
  return recorder === null ? given : recorder.headers();
}
