import { MAX_INGEST_BYTES } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { unpackBodies } from '../../http/index.ts';
import { chooseFormat } from './choose-format.ts';

/** Bodies that arrive packed may take this much together while they are read; the others took as many bytes to send. */
const UNPACKED_TOGETHER = 128 * 1024 * 1024;

/**
 * Takes what any of the formats takes, packed or not, as bytes, for the routes of this part of the application alone.
 * A content type that no format takes is answered 415 before the body is read.
 */
export function takeEventBodies(app: FastifyInstance): void {
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    chooseFormat(request.headers);
    done();
  });
  unpackBodies(app, { each: MAX_INGEST_BYTES, together: UNPACKED_TOGETHER });
}
