import { isIP } from 'node:net';
import type { Pool } from 'undici';
import { loadOnce } from '../../../lib/caching/index.ts';
import {
  createAddressRules,
  type FairLookups,
  guardedConnect,
} from '../../../lib/network/index.ts';
import { Attempt, LIMITS, type SendLimits } from './attempt.ts';
import type {
  WebhookMessage,
  WebhookOutcome,
  WebhookSender,
  WebhookTarget,
} from './webhook-sender.ts';

export interface WebhookSenderOptions {
  /** Addresses and networks that are permitted in addition to public addresses. */
  readonly allowed: readonly string[];
  readonly userAgent: string;
  readonly lookups: FairLookups;
  readonly limits?: Partial<SendLimits>;
}

export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const mayConnect = createAddressRules(options.allowed);
  const limits = { ...LIMITS, ...options.limits };
  const { connectMs: timeoutMs, refusalMs } = limits;
  /** Loads undici on first use. Loading takes 60 ms of processor time, and only deliveries need it. */
  async function load(): Promise<OpenPool> {
    const { buildConnector: build, Pool } = await import('undici');
    return (origin, spaceId) =>
      new Pool(origin, {
        connect: guardedConnect({
          ...{ build, mayConnect, timeoutMs, refusalMs },
          resolve: options.lookups.of(spaceId),
        }),
        connections: limits.connections,
        pipelining: 1,
        allowH2: false,
        // `Attempt` has its own timeout.
        headersTimeout: 0,
        bodyTimeout: 0,
        maxHeaderSize: 16 * 1024,
      });
  }
  const openPool = loadOnce(load);
  return {
    refusalOf: (text) => {
      const url = URL.parse(text);
      if (url === null || !/^https?:\/\/[^/?#\\]/i.test(text))
        return 'must be an absolute https:// or http:// URL';
      if (url.username !== '' || url.password !== '') return 'must not contain credentials';
      if (text.includes('#')) return 'must not contain a fragment';
      const host = url.hostname.replace(/^\[|\]$/g, '');
      return isIP(host) !== 0 && !mayConnect(host)
        ? 'must have a public address; the operator can allow other addresses with GATEHOUSE_DELIVERY_ALLOW'
        : null;
    },
    open: (text, spaceId) => {
      const { userAgent } = options;
      return openTarget({ url: new URL(text), spaceId, limits, load: openPool, userAgent });
    },
  };
}

interface Ended {
  readonly outcome: WebhookOutcome;
  readonly error: unknown;
}

type OpenPool = (origin: string, spaceId: string) => Pool;

interface TargetOptions {
  readonly url: URL;
  readonly spaceId: string;
  readonly limits: SendLimits;
  readonly load: () => Promise<OpenPool>;
  readonly userAgent: string;
}

function openTarget({ url, spaceId, limits, load, userAgent }: TargetOptions): WebhookTarget {
  const path = url.pathname + url.search;
  const pools = new Set<Pool>();
  let pool: Pool | undefined;
  let openedAt = 0;
  let isClosed = false;

  /** Returns the current pool. Replaces a pool that is too old and lets it finish its requests. */
  function currentPool(openPool: OpenPool): Pool {
    if (pool !== undefined && (isClosed || performance.now() - openedAt < limits.connectionMs))
      return pool;
    const before = pool;
    before?.close().then(
      () => pools.delete(before),
      () => pools.delete(before),
    );
    pool = openPool(url.origin, spaceId);
    openedAt = performance.now();
    pools.add(pool);
    if (isClosed) pool.destroy().catch(() => {});
    return pool;
  }

  async function postOnce({ headers: given, body }: WebhookMessage): Promise<Ended> {
    const openPool = await load();
    return new Promise((resolve) => {
      const attempt = new Attempt(limits, (outcome, error) => resolve({ outcome, error }));
      try {
        const headers = { ...given, 'user-agent': userAgent };
        currentPool(openPool).dispatch({ path, method: 'POST', headers, body }, attempt);
      } catch (error) {
        attempt.onDispatchError(error);
      }
    });
  }

  return {
    post: async (message) => {
      const { outcome, error } = await postOnce(message);
      // A target may close an idle connection at the moment of its reuse, so retry once.
      return wasClosed(error) ? (await postOnce(message)).outcome : outcome;
    },
    close: () => {
      isClosed = true;
      for (const opened of pools) opened.destroy().catch(() => {});
    },
  };
}

function wasClosed(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}
