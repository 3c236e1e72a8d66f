import type { Readable } from 'node:stream';
import { ApiError } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { bodyTooLarge } from '../errors.ts';
import { busy } from './body-admission.ts';
import { brokenEncoding, decodersOf, Meter, readCodings } from './content-codings.ts';

export interface DecompressionLimits {
  /** Maximum bytes of one body, before and after each decompression step. */
  readonly each: number;
  /** Maximum decompressed bytes of all concurrent bodies. */
  readonly together: number;
}

/** A body that is decompressed while it arrives. */
interface ArrivingBody {
  /** Decompressed bytes so far. */
  bytes: number;
  abort(): void;
}

type Body = Readable & { readonly receivedEncodedLength?: number };

/**
 * Decompresses bodies with a `Content-Encoding` on the routes of this Fastify plugin. The limits are enforced during
 * decompression, because a few bytes can expand to gigabytes. If a body exceeds `each`, the response is 413. If all bodies exceed
 * `together`, the bodies that have been arriving for the longest time get a 503, so clients that withhold the end of their bodies
 * cannot block others. Decompression runs in Node's thread pool.
 */
export function decompressBodies(
  app: FastifyInstance,
  { each, together }: DecompressionLimits,
): void {
  let inFlight = 0;
  /** Oldest first. */
  const arriving = new Set<ArrivingBody>();
  app.addHook('preParsing', (request, reply, payload, done) => {
    const header = request.headers['content-encoding'];
    const codings = header === undefined ? [] : readCodings(header);
    if (codings.length === 0) {
      done();
      return;
    }
    const release = () => {
      inFlight -= body.bytes;
      body.bytes = 0;
      arriving.delete(body);
    };
    const limit = (bytes: number) => (bytes > each ? bodyTooLarge(each) : null);
    const last = new Meter((bytes, more) => {
      inFlight += more;
      body.bytes += more;
      return limit(bytes) ?? makeRoom(body);
    });
    const body: ArrivingBody = {
      bytes: 0,
      abort: () => {
        release();
        last.destroy(busy());
      },
    };
    arriving.add(body);
    last.once('end', () => arriving.delete(body));
    reply.raw.once('close', release);
    done(null, unpack(payload as Readable, codings, limit, last));
  });

  /** Aborts the oldest bodies until all bodies fit. Returns the error of `body` if it is the oldest one that still arrives. */
  function makeRoom(body: ArrivingBody): ApiError | null {
    while (inFlight > together) {
      const [oldest] = arriving;
      if (oldest === undefined || oldest === body) return body.bytes < inFlight ? busy() : null;
      oldest.abort();
    }
    return null;
  }
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
