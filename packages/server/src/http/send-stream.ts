import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** A reader that takes nothing for so long is gone, though its connection is not. */
const PATIENCE_MS = 60_000;

/**
 * Answers with a stream, and hangs up on a reader that stops reading: what is still to be sent would be held
 * for as long as the connection stays open.
 *
 * @param patienceMs how long it may take nothing while there is something to take.
 */
export function sendStream(
  reply: FastifyReply,
  stream: Readable,
  patienceMs: number = PATIENCE_MS,
): FastifyReply {
  const { raw } = reply;
  raw.setTimeout(patienceMs, () => {
    if (raw.writableLength > 0) raw.destroy();
  });
  return reply.send(stream);
}
