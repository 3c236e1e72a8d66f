import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { startTestServer } from '../../packages/server/tests/support/http/test-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-draft-'));
after(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, 'SHA256SUMS'), 'sums');

/** Runs the program against a server that answers as GitHub does, with `status` for uploads. */
async function runAgainst(status: number) {
  const requests: string[] = [];
  await using server = await startTestServer(async (request, response) => {
    const { method, url, headers } = request;
    requests.push(`${method} ${url} ${headers.authorization} ${await text(request)}`);
    const upload_url = `${server.origin}/upload{?name,label}`;
    const isUpload = url?.startsWith('/upload') === true;
    response.writeHead(isUpload ? status : 201, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ upload_url, html_url: 'page' }));
  });
  const env = {
    ...process.env,
    API: `${server.origin}/releases`,
    GH_TOKEN: 'secret',
    GITHUB_REF_NAME: 'v1.2.3-rc.1',
  };
  const program = join(import.meta.dirname, 'draft-release.ts');
  const run = promisify(execFile)(process.execPath, [program, folder], { env });
  return { requests, result: await run.catch((error: Error) => error) };
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
