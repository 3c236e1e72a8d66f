import type { FastifyRequest } from 'fastify';
import { acceptsCoding } from '../bodies/content-codings.ts';
import type { BuiltFile } from './built-files.ts';

/** Returns the response with a file, in the best coding that the client accepts. */
export function fileResponse(
  file: BuiltFile,
  { headers: { 'accept-encoding': accepted } }: Pick<FastifyRequest, 'headers'>,
  headers: Readonly<Record<string, string>>,
) {
  const [encoding, bytes] = acceptsCoding(accepted, 'br')
    ? (['br', file.brotli] as const)
    : acceptsCoding(accepted, 'gzip')
      ? (['gzip', file.gzip] as const)
      : ([null, file.plain] as const);
  return {
    status: 200,
    bytes,
    headers: {
      vary: 'Accept-Encoding',
      ...headers,
      'content-type': `${file.type}; charset=utf-8`,
      ...(encoding === null ? {} : { 'content-encoding': encoding }),
    },
  } as const;
}
