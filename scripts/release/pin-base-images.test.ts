import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startTestServer } from '../../packages/server/tests/support/http/test-server.ts';
import { digestFrom, pinImages, unpinnedImages } from './pin-base-images.ts';

const DIGEST = `sha256:${'ab'.repeat(32)}`;

/** Starts a registry that issues anonymous tokens, as Docker Hub does. */
async function startRegistry(digest: string) {
  const requests: string[] = [];
  const server = await startTestServer((request, response) => {
    const { url = '', method, headers } = request;
    requests.push(`${method} ${url}`);
    if (url.startsWith('/token')) {
      response.setHeader('Content-Type', 'application/json').end('{"token":"anonymous"}');
    } else if (headers.authorization !== 'Bearer anonymous') {
      const challenge = `Bearer realm="${server.origin}/token",service="registry",scope="pull"`;
      response.writeHead(401, { 'WWW-Authenticate': challenge }).end();
    } else response.writeHead(200, { 'Docker-Content-Digest': digest }).end();
  });
  return {
    url: server.origin,
    requests,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

test('every base image gets its digest, and a stage of the same file gets none', async () => {
  const before = [
    '# FROM a comment',
    'FROM --platform=linux/amd64 node:26 AS build',
    'FROM build AS test',
    `FROM debian:bookworm-slim@sha256:${'00'.repeat(32)}`,
  ].join('\n');
  const after = await pinImages(before, (image) => Promise.resolve(`sha256:${image}`));
  assert.deepEqual(after.split('\n'), [
    '# FROM a comment',
    'FROM --platform=linux/amd64 node:26@sha256:node:26 AS build',
    'FROM build AS test',
    'FROM debian:bookworm-slim@sha256:debian:bookworm-slim',
  ]);
});

test('the digest is requested with an anonymous token', async () => {
  await using registry = await startRegistry(DIGEST);
  assert.equal(await digestFrom(registry.url, 'debian:bookworm-slim'), DIGEST);
  assert.deepEqual(registry.requests, [
    'HEAD /v2/library/debian/manifests/bookworm-slim',
    'GET /token?service=registry&scope=pull',
    'HEAD /v2/library/debian/manifests/bookworm-slim',
  ]);
});

test('a response without a digest is an error that names the image', async () => {
  await using registry = await startRegistry('none');
  await assert.rejects(
    digestFrom(registry.url, 'debian:bookworm-slim'),
    /bookworm-slim: status 200/,
  );
});

test('a base image without a digest is named, and stages and `scratch` need none', () => {
  const dockerfile = [
    'FROM node:26 AS build',
    'FROM build AS test',
    `FROM debian:bookworm-slim@${DIGEST}`,
    'FROM debian:bookworm@sha256:short',
    'FROM scratch',
  ].join('\n');
  assert.deepEqual(unpinnedImages(dockerfile), ['node:26', 'debian:bookworm']);
});

test('the Dockerfile has a digest for every base image', () => {
  const dockerfile = readFileSync(join(import.meta.dirname, '../../Dockerfile'), 'utf8');
  assert.deepEqual(unpinnedImages(dockerfile), []);
});
