import {
  type Attributes,
  type Context,
  context,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { Recorder, SetAttributes, SpanOptions, StartedSpan, TraceHeaders } from './spans.ts';

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/** Records spans with a tracer of OpenTelemetry. */
export class OpenTelemetryRecorder implements Recorder {
  readonly #tracer: Tracer;

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  startSpan(name: string, options: SpanOptions): StartedSpan {
    const { kind = 'internal', attributes = {}, parent = context.active(), startTime } = options;
    const links = (options.links ?? []).flatMap(linkTo);
    const timed = startTime === undefined ? {} : { startTime };
    const span = this.#tracer.startSpan(
      name,
      { kind: KINDS[kind], attributes, links, ...timed },
      parent,
    );
    return { span, context: trace.setSpan(parent, span) };
  }

  inSpan<T>(name: string, options: SpanOptions, run: (set: SetAttributes) => Promise<T>) {
    const started = this.startSpan(name, options);
    const { span } = started;
    return context.with(started.context, async () => {
      try {
        return await run(setterOf(span));
      } catch (error) {
        fail(span, error);
        throw error;
      } finally {
        span.end();
      }
    });
  }

  async *generateInSpan<T>(
    name: string,
    options: SpanOptions,
    generate: (set: SetAttributes) => AsyncGenerator<T>,
  ): AsyncGenerator<T> {
    const started = this.startSpan(name, options);
    const { span } = started;
    const steps = context.with(started.context, () => generate(setterOf(span)));
    try {
      for (;;) {
        const step = await context.with(started.context, () => steps.next());
        if (step.done === true) return;
        yield step.value;
      }
    } catch (error) {
      fail(span, error);
      throw error;
    } finally {
      // If the reader stops early, the generator must end too.
      await context.with(started.context, () => steps.return(undefined));
      span.end();
    }
  }

  inContext<T>(of: Context, run: () => T): T {
    return context.with(of, run);
  }

  activeContext(): Context {
    return context.active();
  }

  contextOf(headers: Readonly<Record<string, unknown>>): Context {
    return propagation.extract(ROOT_CONTEXT, headers);
  }

  activeTraceId(): string | undefined {
    return trace.getActiveSpan()?.spanContext().traceId;
  }

  headers(): TraceHeaders {
    const carrier: Record<string, string> = {};
    propagation.inject(context.active(), carrier);
    return carrier;
  }
}

function setterOf(span: Span): SetAttributes {
  return (attributes: Attributes) => void span.setAttributes(attributes);
}

export function fail(span: Span, error: unknown): void {
  span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function linkTo(headers: TraceHeaders): Link[] {
  const remote = trace.getSpanContext(propagation.extract(ROOT_CONTEXT, headers));
  return remote === undefined ? [] : [{ context: remote }];
}
