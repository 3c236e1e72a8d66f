import { LRUCache } from 'lru-cache';
import type * as Undici from 'undici';
import type { Agent, Dispatcher } from 'undici';
import {
  AddressRefused,
  CERTIFICATE_PROBLEMS,
  createAddressRules,
  errorChain,
  type FairLookups,
  guardedConnect,
} from '../../../lib/network/index.ts';
import { decodeBody, type SiteBody, tooLarge } from './content-encoding.ts';

export interface SiteClientOptions {
  /** Addresses and networks that are permitted in addition to public addresses. */
  readonly allowed: readonly string[];
  readonly userAgent: string;
  readonly lookups: FairLookups;
  /** Timeout of a request in milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
  /** Minimum time until a host without a public address is reported. Default 3,000. */
  readonly refusalMs?: number;
}

export type SiteResponse =
  | {
      readonly answered: true;
      readonly status: number;
      readonly header: (name: string) => string | undefined;
      /** The values of a header that can be sent several times. */
      readonly headerLines: (name: string) => readonly string[];
      readonly body: SiteBody;
      /** Bytes of the body that were received, before decoding. */
      readonly received: number;
    }
  /** `problem` contains no internal address. */
  | { readonly answered: false; readonly problem: string };

/**
 * Reads pages of sites that users of one space choose, but connects only to permitted addresses, like deliveries. Redirects are not
 * followed: the caller decides about the new URL.
 */
export interface SiteClient {
  /** Sends a GET request. Rejects only if the signal aborts. */
  get(url: string, request: SiteRequest): Promise<SiteResponse>;
}

/** Creates the clients of the spaces. Each space has its own connections. */
export interface SiteClients extends AsyncDisposable {
  of(spaceId: string): SiteClient;
}

export interface SiteRequest {
  readonly headers?: Readonly<Record<string, string>>;
  /** Maximum bytes of the body, before and after decoding. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

const CONNECT_MS = 10_000;
const MAX_HEADER_BYTES = 32 * 1024;
/** Spaces whose connections are kept for later requests. */
const MAX_AGENTS = 20;

export function createSiteClients(options: SiteClientOptions): SiteClients {
  const { allowed, userAgent, timeoutMs = 30_000, refusalMs = 3000 } = options;
  const mayConnect = createAddressRules(allowed);
  const agents = new LRUCache<string, Agent>({
    max: MAX_AGENTS,
    // Requests in flight still end.
    dispose: (agent) => void agent.close().catch(() => {}),
  });
  function open({ Agent, buildConnector: build }: typeof Undici, spaceId: string): Agent {
    const connect = guardedConnect({
      build,
      mayConnect,
      resolve: options.lookups.of(spaceId),
      timeoutMs: CONNECT_MS,
      refusalMs,
    });
    return new Agent({
      connect,
      connections: 2,
      pipelining: 1,
      allowH2: false,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
  }

  /** Loads undici on first use, because loading takes 60 ms of processor time. */
  async function agentOf(spaceId: string): Promise<Agent> {
    const undici = await import('undici');
    const known = agents.get(spaceId);
    if (known !== undefined) return known;
    const agent = open(undici, spaceId);
    agents.set(spaceId, agent);
    return agent;
  }

  async function get(
    spaceId: string,
    url: string,
    { headers = {}, maxBytes, signal }: SiteRequest,
  ): Promise<SiteResponse> {
    const { origin, pathname, search } = new URL(url);
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const agent = await agentOf(spaceId);
      const response = await agent.request({
        origin,
        path: `${pathname}${search}`,
        method: 'GET',
        headers: { 'user-agent': userAgent, 'accept-encoding': 'identity', ...headers },
        signal: AbortSignal.any([signal, timeout]),
      });
      return await receive(response, maxBytes);
    } catch (error) {
      signal.throwIfAborted();
      if (timeout.aborted)
        return { answered: false, problem: `no response within ${timeoutMs / 1000} seconds` };
      return { answered: false, problem: problemOf(error) };
    }
  }

  return {
    of: (spaceId) => ({ get: (url, request) => get(spaceId, url, request) }),
    async [Symbol.asyncDispose]() {
      for (const agent of agents.values()) await agent.destroy();
    },
  };
}

async function receive(
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
  maxBytes: number,
): Promise<SiteResponse> {
  const headerLines = (name: string) => [headers[name] ?? []].flat();
  const header = (name: string) =>
    headers[name] === undefined ? undefined : headerLines(name).join(', ');
  const chunks: Buffer[] = [];
  let received = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    received += chunk.length;
    // Leaving the loop destroys the body and closes the connection.
    if (received > maxBytes)
      return { answered: true, status, header, headerLines, body: tooLarge(maxBytes), received };
    chunks.push(chunk);
  }
  const encoding = header('content-encoding') ?? '';
  const decoded = await decodeBody(Buffer.concat(chunks), encoding, maxBytes);
  return { answered: true, status, header, headerLines, body: decoded, received };
}

/** Describes a failed request without using error messages, which contain resolved addresses. */
function problemOf(error: unknown): string {
  for (const one of errorChain(error)) {
    if (one instanceof AddressRefused) return one.message;
    const description = DESCRIPTIONS[String((one as { code?: unknown }).code)];
    if (description !== undefined) return description;
  }
  return 'the request failed';
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_HEADERS_TIMEOUT: 'the response took too long',
  UND_ERR_BODY_TIMEOUT: 'the response took too long',
  UND_ERR_HEADERS_OVERFLOW: 'the response headers are too large',
  ...CERTIFICATE_PROBLEMS,
};
