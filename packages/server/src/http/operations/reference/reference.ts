import { once } from 'node:events';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { gunzip } from 'node:zlib';
import { reference, referenceScript } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { notFound } from '../../api-errors.ts';
import { acceptsCoding } from '../../bodies/content-codings.ts';
import { anyone, route } from '../../route.ts';
import type { Bundle } from './bundle-thread.ts';
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

/** Serves the API reference at `/docs/api`. Its script is read on the first request. */
export function registerReference(app: FastifyInstance): void {
  let reading: ReturnType<typeof readBundle> | undefined;
  const readOnce = () => {
    reading ??= readBundle().catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };

  route(app, reference, {
    caller: anyone,
    async handle() {
      const { name } = await readOnce();
      return { status: 200, text: referencePage(`api/assets/${name}`), headers: PAGE_HEADERS };
    },
  });

  route(app, referenceScript, {
    caller: anyone,
    async handle({ params, request }) {
      const { name, gzip } = await readOnce();
      if (params.name !== name)
        throw notFound('http.not-found', 'The API reference has no file with this name.');
      return acceptsCoding(request.headers['accept-encoding'], 'gzip')
        ? {
            status: 200,
            bytes: gzip,
            headers: { ...SCRIPT_HEADERS, 'content-encoding': 'gzip' },
          }
        : { status: 200, bytes: await promisify(gunzip)(gzip), headers: SCRIPT_HEADERS };
    },
  });
}

async function readBundle() {
  const thread = new Worker(new URL('./bundle-thread.ts', import.meta.url), { name: 'reference' });
  const [{ name, gzip }] = (await once(thread, 'message')) as [Bundle];
  return { name, gzip: Buffer.from(gzip.buffer) };
}
