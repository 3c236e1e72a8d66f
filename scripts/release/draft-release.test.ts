import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-draft-'));
after(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, 'SHA256SUMS'), 'sums');

/** Runs the program against a server that answers as GitHub does, with `status` for uploads. */
async function runAgainst(status: number) {
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    requests.push(`${method} ${url} ${headers.authorization} ${Buffer.concat(chunks)}`);
    const { port } = server.address() as AddressInfo;
    const upload_url = `http://127.0.0.1:${port}/upload{?name,label}`;
    const isUpload = url?.startsWith('/upload') === true;
    response.writeHead(isUpload ? status : 201, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ upload_url, html_url: 'page' }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const env = {
    ...process.env,
    API: `http://127.0.0.1:${port}/releases`,
    GH_TOKEN: 'secret',
    GITHUB_REF_NAME: 'v1.2.3-rc.1',
  };
  const program = join(import.meta.dirname, 'draft-release.ts');
  try {
    const run = promisify(execFile)(process.execPath, [program, folder], { env });
    return { requests, result: await run.catch((error: Error) => error) };
  } finally {
    server.close();
  }
}

test('a draft is created for the tag, and every file of the folder is uploaded to it', async () => {
  const { requests, result } = await runAgainst(201);
  assert.ok(!(result instanceof Error));
  assert.match(result.stdout, /^page: draft with 1 files/);
  const [create = '', ...uploads] = requests;
  assert.ok(create.startsWith('POST /releases Bearer secret {"tag_name":"v1.2.3-rc.1"'));
  assert.match(create, /"draft":true,"prerelease":true/);
  assert.deepEqual(uploads, ['POST /upload?name=SHA256SUMS Bearer secret sums']);
});

test('a rejected upload fails with the status and without the token', async () => {
  const { result } = await runAgainst(422);
  assert.ok(result instanceof Error);
  assert.match(result.message, /POST \/upload: 422/);
  assert.doesNotMatch(result.message, /secret/);
});
