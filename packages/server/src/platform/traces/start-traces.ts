import { setRecorder } from './spans.ts';

export interface TraceSettings {
  /** URL to which spans are sent as OTLP over HTTP with JSON, such as `http://collector:4318/v1/traces`. */
  readonly url: string;
  /** Value of the `Authorization` header, or `null`. */
  readonly authorization: { reveal(): string } | null;
  /** Share of the traces to record, from 0 to 1. */
  readonly sampleRatio: number;
  /** Version of the service. */
  readonly version: string;
  /** Reports that spans could not be sent. */
  readonly onError: (message: string) => void;
}

/** Maximum time in milliseconds to send the last spans when the service stops. */
const SHUTDOWN_MS = 2000;

/**
 * Starts to record traces in this process and to send them in the background. Loads the SDK of OpenTelemetry only when it is
 * called. Disposing the result sends the last spans and stops recording.
 *
 * The sampling ratio also applies to requests whose `traceparent` is marked as sampled, because anyone can set this mark.
 */
export async function startTraces(settings: TraceSettings): Promise<AsyncDisposable> {
  const [
    { OpenTelemetryRecorder },
    api,
    { W3CTraceContextPropagator },
    sdk,
    exporter,
    hooks,
    resources,
  ] = await Promise.all([
    import('./recorder.ts'),
    import('@opentelemetry/api'),
    import('@opentelemetry/core'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/context-async-hooks'),
    import('@opentelemetry/resources'),
  ]);
  const { authorization } = settings;
  const report = (message: string) => settings.onError(message);
  api.diag.setLogger(
    { error: report, warn: report, info() {}, debug() {}, verbose() {} },
    { logLevel: api.DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const manager = new hooks.AsyncLocalStorageContextManager().enable();
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({
      'service.name': 'gatehouse',
      'service.version': settings.version,
      'service.instance.id': crypto.randomUUID(),
    }),
    sampler: new sdk.TraceIdRatioBasedSampler(settings.sampleRatio),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: new exporter.OTLPTraceExporter({
          url: settings.url,
          headers: authorization === null ? {} : { Authorization: authorization.reveal() },
        }),
      }),
    ],
  });
  api.context.setGlobalContextManager(manager);
  api.propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  setRecorder(new OpenTelemetryRecorder(provider.getTracer('gatehouse', settings.version)));
  return {
    [Symbol.asyncDispose]: async () => {
      setRecorder(null);
      const timeout = AbortSignal.timeout(SHUTDOWN_MS);
      await Promise.race([
        provider.shutdown().catch((error: unknown) => report(String(error))),
        new Promise((resolve) => timeout.addEventListener('abort', resolve)),
      ]);
      api.propagation.disable();
      api.context.disable();
      api.diag.disable();
    },
  };
}
