import type { ApiError } from '@gatehouse/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { unsupportedEncoding, unsupportedMediaType } from '../errors.ts';

/** Takes JSON bodies as bytes, in UTF-8 and uncompressed; everything else is 415. */
export function takeJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    const fault = faultOf(request);
    done(fault === null || judgesItsBodies(request) ? null : fault);
  });
}

/** Route configuration: the route itself says which content types and encodings it takes, as 415. */
export const JUDGES_ITS_BODIES = { judgesItsBodies: true } as const;

function judgesItsBodies({ routeOptions }: FastifyRequest): boolean {
  return (routeOptions.config as Partial<typeof JUDGES_ITS_BODIES>).judgesItsBodies === true;
}

function faultOf({ headers }: FastifyRequest): ApiError | null {
  // Without a body its type says nothing, and clients may well send one with a GET.
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined)
    return null;
  const type = headers['content-type'];
  if (type !== undefined && type !== 'application/json' && !isUtf8(type))
    return unsupportedMediaType();
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity')
    return unsupportedEncoding();
  return null;
}

function isUtf8(contentType: string): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)"?/i.exec(contentType)?.[1];
  return charset === undefined || /^utf-?8$/i.test(charset);
}

/** Takes `multipart/form-data` as bytes, for the routes of this part of the application alone. */
export function takeMultipartBodies(app: FastifyInstance): void {
  app.addContentTypeParser('multipart/form-data', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
}
