import type { WidgetSession } from '@gatehouse/contract';
import { takeEarlyResponse } from '../early.ts';
import { requestTimeout } from './api.ts';

export type EndReason = 'expired' | 'revoked' | 'unknown';

export type Exchange =
  | { readonly kind: 'session'; readonly session: WidgetSession }
  | { readonly kind: 'ended'; readonly end: EndReason; readonly loginUrl: string | null }
  | {
      readonly kind: 'retry';
      readonly reason: 'offline' | 'busy';
      /** `Retry-After` in seconds, or `null` if the service sent no such header. */
      readonly seconds: number | null;
    };

/**
 * Exchanges a link token for a widget session. The first call uses the exchange that the page has started with the token
 * of its URL. Never throws.
 */
export async function exchange(linkToken: string): Promise<Exchange> {
  try {
    const response = await (takeEarlyResponse() ?? send(linkToken));
    const seconds = Number(response.headers.get('retry-after')) || null;
    return toExchange(response.status, await response.json(), seconds);
  } catch {
    return { kind: 'retry', reason: 'offline', seconds: null };
  }
}

function send(linkToken: string): Promise<Response> {
  return fetch('/assistant-link/exchange', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ linkToken }),
    credentials: 'omit',
    signal: requestTimeout(),
  });
}

function toExchange(status: number, body: unknown, seconds: number | null): Exchange {
  switch (status) {
    case 200:
      return { kind: 'session', session: body as WidgetSession };
    case 410: {
      const { code, loginUrl } = body as { code?: unknown; loginUrl?: unknown };
      const end = code === 'links.revoked' ? 'revoked' : 'expired';
      return { kind: 'ended', end, loginUrl: typeof loginUrl === 'string' ? loginUrl : null };
    }
    case 400:
    case 401:
      return { kind: 'ended', end: 'unknown', loginUrl: null };
    default:
      return { kind: 'retry', reason: 'busy', seconds };
  }
}
