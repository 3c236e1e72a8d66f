import type { WidgetSession } from '@gatehouse/contract';
import { patience } from './patience.ts';

/** Why there is nothing behind a link any more, or never was. */
export type End = 'expired' | 'revoked' | 'unknown';

export type Exchange =
  | { readonly kind: 'session'; readonly session: WidgetSession }
  | { readonly kind: 'over'; readonly end: End; readonly loginUrl: string | null }
  | {
      readonly kind: 'later';
      readonly reason: 'offline' | 'busy';
      /** As the service asks for; null: it does not say. */
      readonly seconds: number | null;
    };

/** `POST /assistant-link/exchange`. */
export async function exchange(linkToken: string): Promise<Exchange> {
  try {
    const answer = await fetch('/assistant-link/exchange', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ linkToken }),
      credentials: 'omit',
      signal: patience(),
    });
    const seconds = Number(answer.headers.get('retry-after')) || null;
    return understand(answer.status, await answer.json(), seconds);
  } catch {
    return { kind: 'later', reason: 'offline', seconds: null };
  }
}

function understand(status: number, body: unknown, seconds: number | null): Exchange {
  switch (status) {
    case 200:
      return { kind: 'session', session: body as WidgetSession };
    case 410: {
      const { code, loginUrl } = body as { code?: unknown; loginUrl?: unknown };
      const end = code === 'links.revoked' ? 'revoked' : 'expired';
      return { kind: 'over', end, loginUrl: typeof loginUrl === 'string' ? loginUrl : null };
    }
    case 400:
    case 401:
      return { kind: 'over', end: 'unknown', loginUrl: null };
    default:
      return { kind: 'later', reason: 'busy', seconds };
  }
}
