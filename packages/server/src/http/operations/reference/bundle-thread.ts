// Reads Scalar's browser bundle in a temporary thread. In the main thread, the plugin's modules and the bundle (a string of 5 MB)
// would stay in memory.
import { createHash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import scalar from '@scalar/fastify-api-reference';
import Fastify from 'fastify';

export interface Bundle {
  readonly name: string;
  readonly gzip: Uint8Array<ArrayBuffer>;
}

const app = Fastify();
await app.register(scalar, { routePrefix: '/reference', configuration: { url: '/openapi.json' } });
const { statusCode, rawPayload } = await app.inject('/reference/js/scalar.js');
if (statusCode !== 200) throw new Error(`the bundle of Scalar is not available: ${statusCode}`);
const hash = createHash('sha256').update(rawPayload).digest('base64url').slice(0, 16);
const bundle: Bundle = { name: `scalar-${hash}.js`, gzip: gzipSync(rawPayload, { level: 9 }) };
parentPort?.postMessage(bundle);
