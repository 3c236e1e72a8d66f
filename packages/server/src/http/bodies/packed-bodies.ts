import type { Readable } from 'node:stream';
import { ApiError } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { bodyTooLarge } from '../errors.ts';
import { busy } from './body-admission.ts';
import { brokenEncoding, decodersOf, Meter, readCodings } from './content-codings.ts';

export interface UnpackLimits {
  /** Bytes of one body: as it arrives, unpacked, and between two codings. */
  readonly each: number;
  /** Bytes that all bodies under way may be unpacked to. */
  readonly together: number;
}

/** What Fastify asks of a stream that stands for a body. */
type Body = Readable & { readonly receivedEncodedLength?: number };

/**
 * Unpacks bodies with a `Content-Encoding`, for the routes of this part of the application alone. A few
 * bytes may stand for gigabytes, so what is unpacked is counted while it is: beyond `each` it is 413,
 * beyond `together` 503, and nothing more is unpacked. Runs in Node's thread pool.
 */
export function unpackBodies(app: FastifyInstance, { each, together }: UnpackLimits): void {
  let underWay = 0;
  app.addHook('preParsing', (request, reply, payload, done) => {
    const header = request.headers['content-encoding'];
    const codings = header === undefined ? [] : readCodings(header);
    if (codings.length === 0) {
      done();
      return;
    }
    let mine = 0;
    reply.raw.once('close', () => {
      underWay -= mine;
    });
    const limit = (bytes: number) => (bytes > each ? bodyTooLarge() : null);
    const last = new Meter((bytes, more) => {
      underWay += more;
      mine += more;
      return limit(bytes) ?? (underWay > together && mine < underWay ? busy() : null);
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
    // The request is not destroyed: its connection has to carry the answer. What is left of it goes nowhere.
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
