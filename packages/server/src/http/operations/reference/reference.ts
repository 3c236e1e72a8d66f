import { reference, referenceScript } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { loadOnce } from '../../../lib/caching/index.ts';
import { notFound } from '../../api-errors.ts';
import { acceptsCoding } from '../../bodies/content-codings.ts';
import { anyone, route } from '../../route.ts';
import { readBuiltSite } from '../documentation/index.ts';
import { REFERENCE_POLICY, referencePage } from './page.ts';

const PAGE_HEADERS = {
  'cache-control': 'public, max-age=60',
  'content-security-policy': REFERENCE_POLICY,
  'referrer-policy': 'no-referrer',
};
const SCRIPT_HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  vary: 'Accept-Encoding',
};

/** Serves the API reference at `/docs/api`. Its script is part of the built documentation site. */
export function registerReference(app: FastifyInstance): void {
  const readOnce = loadOnce(() => readBuiltSite());

  route(app, reference, {
    caller: anyone,
    async handle() {
      const script = (await readOnce()).keys().find((path) => path.startsWith('api/assets/'));
      if (script === undefined)
        throw notFound(
          'http.not-found',
          'The API reference is not built; run `npm run build`. The same reference as a file: /openapi.json.',
        );
      return { status: 200, text: referencePage(script), headers: PAGE_HEADERS };
    },
  });

  route(app, referenceScript, {
    caller: anyone,
    async handle({ params, request }) {
      const file = (await readOnce()).get(`api/assets/${params.name}`);
      if (file === undefined)
        throw notFound('http.not-found', 'The API reference has no file with this name.');
      const gzip = acceptsCoding(request.headers['accept-encoding'], 'gzip');
      return {
        status: 200,
        bytes: await file.read(gzip),
        headers: { ...SCRIPT_HEADERS, ...(gzip ? { 'content-encoding': 'gzip' } : {}) },
      };
    },
  });
}
