import type { FastifyInstance } from 'fastify';
import type { AllowedOrigins } from '../http/index.ts';

const METHODS = 'GET, HEAD, POST, OPTIONS';
/** Value of `WebHook-Allowed-Rate`: no limit is announced. Senders that exceed a limit get 429 or 503. */
const ANY_RATE = '*';

/**
 * Registers the validation handshake for webhook senders (CloudEvents 1.0.2, webhooks, section 4), which always returns
 * 204. The handshake grants no permission: every delivery needs a credential. `WebHook-Request-Callback` is ignored
 * because a caller could put any address there.
 *
 * @param origins the allowed origins of each space. If the request has no `?spaceId=`, an origin is allowed if any
 * space allows it.
 */
export function answerHandshakes(app: FastifyInstance, origins: AllowedOrigins): void {
  app.options('/events', async ({ headers, query }, reply) => {
    reply.code(204).header('allow', METHODS);
    const sender = headers['webhook-request-origin'];
    const { spaceId } = query as { spaceId?: unknown };
    if (typeof sender === 'string' && (await isAllowed(origins, sender, spaceId)))
      reply.headers({ 'webhook-allowed-origin': sender, 'webhook-allowed-rate': ANY_RATE });
    return reply.send();
  });
}

async function isAllowed(
  origins: AllowedOrigins,
  sender: string,
  spaceId: unknown,
): Promise<boolean> {
  const names = originsOf(sender.toLowerCase());
  if (spaceId === undefined) {
    for (const name of names) if (await origins.isAllowedSomewhere(name)) return true;
    return false;
  }
  if (typeof spaceId !== 'string') return false;
  const allowed = await origins.allowedOrigins(spaceId.toLowerCase());
  return names.some((name) => allowed.includes(name));
}

/** Returns the web origins of a DNS name, because the spaces list their allowed senders as web origins. */
function originsOf(sender: string): readonly string[] {
  return sender.includes('://') ? [sender] : [`https://${sender}`, `http://${sender}`];
}
