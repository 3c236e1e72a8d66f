import { text } from 'node:stream/consumers';
import { startTestServer } from './http/test-server.ts';

/** A span in the JSON form of OTLP: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
export interface CollectedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
  readonly links?: readonly { readonly traceId: string }[];
}

export interface TraceCollector extends AsyncDisposable {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** Bodies and `Authorization` headers of the requests. */
  readonly requests: readonly { readonly body: string; readonly authorization: string }[];
}

/** Starts a server that receives spans as OTLP over HTTP. */
export async function startTraceCollector(): Promise<TraceCollector> {
  const requests: { body: string; authorization: string }[] = [];
  const spans: CollectedSpan[] = [];
  const server = await startTestServer(async (incoming, response) => {
    const body = await text(incoming);
    requests.push({ body, authorization: incoming.headers.authorization ?? '' });
    const { resourceSpans } = JSON.parse(body) as {
      resourceSpans: { scopeSpans: { spans: CollectedSpan[] }[] }[];
    };
    spans.push(
      ...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((one) => one.spans)),
    );
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
  return {
    url: `${server.origin}/v1/traces`,
    spans,
    requests,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Returns the value of an attribute of a span as text, or `undefined`. */
export function attributeOf(span: CollectedSpan, name: string): string | undefined {
  const found = span.attributes.find(({ key }) => key === name);
  return found === undefined ? undefined : String(Object.values(found.value)[0]);
}
