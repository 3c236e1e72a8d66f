import scalar from '@scalar/fastify-api-reference';
import Fastify from 'fastify';
import { hashOf } from './build-site.ts';

/** Returns the script of the API reference, and its path in the site. Scalar's package contains the script as a string of 5 MB. */
export async function readReferenceScript(): Promise<[path: string, content: Buffer]> {
  const app = Fastify();
  await app.register(scalar, { routePrefix: '/', configuration: { url: '/openapi.json' } });
  const { statusCode, rawPayload } = await app.inject('/js/scalar.js');
  if (statusCode !== 200) throw new Error(`Scalar's script is not available: ${statusCode}`);
  return [`api/assets/scalar-${hashOf(rawPayload)}.js`, rawPayload];
}
