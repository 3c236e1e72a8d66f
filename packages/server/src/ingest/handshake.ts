import type { FastifyInstance } from 'fastify';
import type { AllowedOrigins } from '../http/index.ts';

const METHODS = 'GET, HEAD, POST, OPTIONS';
/** What a sender may send a minute: it is not limited by the minute, and where it is too fast hears 429 or 503. */
const ANY_RATE = '*';

/**
 * Answers the handshake by which a sender of web-hooks asks whether it may deliver here (CloudEvents
 * 1.0.2, web-hooks, section 4), always 204. It gives no right to send: that is the credential's. A
 * `WebHook-Request-Callback` is not called, since anybody may name any address there.
 *
 * @param origins the lists of the spaces: the one that `?spaceId=` names, or else any.
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

/** A sender is named by its DNS name; spaces list web origins. */
function originsOf(sender: string): readonly string[] {
  return sender.includes('://') ? [sender] : [`https://${sender}`, `http://${sender}`];
}
