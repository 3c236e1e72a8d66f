import type { FastifyInstance } from 'fastify';
import { unsupportedEncoding, unsupportedMediaType } from './errors.ts';

/** Takes JSON bodies as bytes, in UTF-8 and uncompressed; everything else is 415. */
export function takeJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  app.addHook('preParsing', async (request) => {
    const type = request.headers['content-type'];
    if (type !== undefined && type !== 'application/json' && !isUtf8(type))
      throw unsupportedMediaType();
    const encoding = request.headers['content-encoding'];
    if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity')
      throw unsupportedEncoding();
  });
}

function isUtf8(contentType: string): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)"?/i.exec(contentType)?.[1];
  return charset === undefined || /^utf-?8$/i.test(charset);
}
