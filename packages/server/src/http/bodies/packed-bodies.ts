import type { Readable } from 'node:stream';
import { ApiError } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { bodyTooLarge } from '../errors.ts';
import { busy } from './body-admission.ts';
import { brokenEncoding, decodersOf, Meter, readCodings } from './content-codings.ts';

export interface UnpackLimits {
  /** Maximum bytes of one body, before and after each decompression step. */
  readonly each: number;
  /** Maximum decompressed bytes of all concurrent bodies. */
  readonly together: number;
}

type Body = Readable & { readonly receivedEncodedLength?: number };

/**
 * Decompresses bodies with a `Content-Encoding` on the routes of this Fastify plugin. The limits are enforced during
 * decompression, because a few bytes can expand to gigabytes. If a body exceeds `each`, the response is 413. If all bodies exceed
 * `together`, the response is 503. Decompression runs in Node's thread pool.
 */
export function unpackBodies(app: FastifyInstance, { each, together }: UnpackLimits): void {
  let inFlight = 0;
  app.addHook('preParsing', (request, reply, payload, done) => {
    const header = request.headers['content-encoding'];
    const codings = header === undefined ? [] : readCodings(header);
    if (codings.length === 0) {
      done();
      return;
    }
    let own = 0;
    reply.raw.once('close', () => {
      inFlight -= own;
    });
    const limit = (bytes: number) => (bytes > each ? bodyTooLarge() : null);
    const last = new Meter((bytes, more) => {
      inFlight += more;
      own += more;
      return limit(bytes) ?? (inFlight > together && own < inFlight ? busy() : null);
    });
    done(null, unpack(payload as Readable, codings, limit, last));
  });
}

function unpack(
  payload: Readable,
  codings: readonly string[],
  limit: (bytes: number) => ApiError | null,
  last: Meter,
): Body {
  const first = new Meter(limit);
  const between = decodersOf(codings).flatMap((decoder, index) => [
    decoder,
    index === codings.length - 1 ? last : new Meter(limit),
  ]);
  const stages = [first, ...between];
  const fail = (error: Error) => {
    // The request is not destroyed, because its connection carries the response. The rest of the body is discarded.
    payload.unpipe(first);
    payload.resume();
    for (const stage of stages) if (stage !== last) stage.destroy();
    last.destroy(error);
  };
  payload.once('error', fail);
  for (const [index, stage] of stages.entries()) {
    const next = stages[index + 1];
    if (next === undefined) continue;
    stage.once('error', (error) => fail(error instanceof ApiError ? error : brokenEncoding()));
    stage.pipe(next);
  }
  payload.pipe(first);
  last.once('error', fail);
  return Object.defineProperty(last, 'receivedEncodedLength', { get: () => first.bytes });
}
