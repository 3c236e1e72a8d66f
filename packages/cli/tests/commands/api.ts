import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { type Document, Gatehouse } from '@gatehouse/client';
import {
  breakOff,
  json,
  refuse,
  startHostileServer,
} from '../../../client/tests/hostile-server.ts';
import { inheritedVariables } from '../../../server/tests/support/services/child-server.ts';
import { temporaryDirectory } from '../../../server/tests/support/services/service.ts';
import { until } from '../../../server/tests/support/until.ts';
import { CACHE, commandLine, MAIN } from '../command-line.ts';
import { token, url } from '../service.ts';
import { NO_TERMINAL, openTerminal } from '../terminal.ts';

const home = temporaryDirectory();
after(() => home[Symbol.dispose]());
const { id: spaceId } = await new Gatehouse({ url, token }).spaces.create({ name: 'Any' });
const gatehouse = new Gatehouse({ url, token, spaceId });
const { key } = await gatehouse.apiKeys.create({
  name: 'any',
  scopes: ['read', 'knowledge:write', 'events:write'],
});
const bare = { XDG_CONFIG_HOME: home.path, NODE_COMPILE_CACHE: CACHE };
const env = { ...bare, GATEHOUSE_URL: url, GATEHOUSE_KEY: key };
const cli = commandLine(env);
const api = (...args: readonly string[]) => cli.run(['api', ...args]);
/** Returns a command line that uses another service. */
const at = (other: string) =>
  commandLine({ ...env, GATEHOUSE_URL: other, GATEHOUSE_SPACE: 'my-space' });
const file = (name: string, content: string | Buffer) => {
  const path = join(home.path, name);
  writeFileSync(path, content);
  return path;
};

test('api prints the body of a response unchanged', async () => {
  const path = `/spaces/${spaceId}`;
  const response = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
  const expected = { code: 0, out: await response.text(), err: '' };
  assert.deepEqual(await api('GET', path), expected);
  assert.deepEqual(await api('get', '/spaces/{spaceId}', '--json'), expected);
});

test('api uploads a file, searches for it and downloads it', async () => {
  const bytes = Buffer.from('# Returns\n\nA refund takes f\u00edve days.');
  const form = ['--form', `file=@${file('returns.md', bytes)}`, '--form', 'metadata={"a":"b"}'];
  const uploaded = await api('POST', '/spaces/{spaceId}/documents', ...form);
  assert.equal(uploaded.code, 0, uploaded.err);
  const { id, fileName, metadata }: Document = JSON.parse(uploaded.out);
  assert.deepEqual([fileName, metadata], ['returns.md', { a: 'b' }]);
  await until('the document is found', async () =>
    (await api('POST', '/spaces/{spaceId}/search', '--data', '{"query":"refund"}')).out.includes(
      id,
    ),
  );
  const target = join(home.path, 'copy.md');
  const content = `/spaces/{spaceId}/documents/${id}/content`;
  const { code, out, err } = await api('GET', content, '--output', target);
  assert.deepEqual([code, out, err], [0, '', `Wrote ${target}.\n`]);
  assert.deepEqual(readFileSync(target), bytes);
  assert.equal(statSync(target).mode & 0o777, 0o600);
});

test('api sends a body from an option, a file and standard input with its type', async () => {
  await using service = await startHostileServer(json(200, {}));
  const text = '{"n":1.00}';
  const send = ['api', 'POST', '/x', '--data'];
  const bytes = Buffer.from([0, 255, 10]);
  await at(service.url).run([...send, text]);
  await at(service.url).run([...send, `@${file('body.json', text)}`]);
  await at(service.url).run([...send, '-'], text);
  await at(service.url).run([...send, `@${file('image', bytes)}`, '--type', 'image/png']);
  await at(service.url).run([...send, text, '--header', 'Content-Type: text/plain']);
  assert.deepEqual(
    service.received.map(({ headers, body }) => [headers['content-type'], body]),
    [
      ['application/json', text],
      ['application/json', text],
      ['application/json', text],
      ['image/png', bytes.toString()],
      ['text/plain', text],
    ],
  );
});

test('api adds parameters to the query, and headers', async () => {
  await using service = await startHostileServer(json(200, {}));
  const query = ['--query', 'a=1', '--query', 'a=x=& y', '--query', 'space={spaceId}'];
  const headers = ['--header', 'X-One: a: b', '--header', 'x-two:2'];
  await at(service.url).run(['api', 'GET', '/x?limit=5', ...query, ...headers]);
  await at(service.url).run(['api', 'DELETE', '/spaces/{spaceId}/y', '--query', 'b=2']);
  await at(service.url).run(['--space', 'a/$&', 'api', 'GET', '/spaces/{spaceId}/.z?a=/../']);
  const [first, second, third] = service.received;
  assert.equal(first?.url, '/x?limit=5&a=1&a=x%3D%26+y&space=my-space');
  assert.partialDeepStrictEqual(first?.headers, {
    authorization: `Bearer ${key}`,
    'x-one': 'a: b',
    'x-two': '2',
  });
  assert.deepEqual([second?.method, second?.url], ['DELETE', '/spaces/my-space/y?b=2']);
  assert.equal(third?.url, '/spaces/a%2F%24%26/.z?a=/../');
});

test('api fails with the error of the service, and writes no file', async () => {
  const target = join(home.path, 'none');
  const missing = await api('GET', '/nonsense', '--output', target);
  assert.deepEqual([missing.code, missing.out], [65, '']);
  assert.match(missing.err, /This route does not exist; see \/docs\/api/);
  assert.ok(!existsSync(target));
  const invalid = await api('POST', '/spaces/{spaceId}/search', '--data', '{', '--json');
  assert.equal(JSON.parse(invalid.err).error.code, 'http.malformed-json');
  assert.equal((await api('GET', '/users')).code, 77);
  await using service = await startHostileServer(refuse(409));
  assert.equal((await at(service.url).run(['api', 'POST', '/x'])).code, 65);
  assert.equal(service.received.length, 1);
});

for (const { args, message } of [
  { args: ['GET'], message: /The path must start with \// },
  { args: ['/spaces'], message: /Write the method before the path: GET, POST/ },
  { args: ['FETCH', '/spaces'], message: /Write the method before the path: GET, POST/ },
  { args: ['GET', 'spaces'], message: /The path must start with \// },
  { args: ['GET', `${url}/spaces`], message: /The path must start with \// },
  { args: ['GET', '/links/{linkId}'], message: /Replace \{linkId\} in the path/ },
  { args: ['DELETE', '/spaces/x/documents/..'], message: /the segment "\." or "\.\."/ },
  { args: ['DELETE', '/spaces/x/documents/%2E%2e?a=b'], message: /the segment "\." or "\.\."/ },
  { args: ['DELETE', '/spaces/x/documents\\..'], message: /The path contains #, \\/ },
  { args: ['GET', '/spaces/x/documents/by-key/a#b'], message: /such as %23 for #/ },
  { args: ['GET', '/spaces', '--data', '{}'], message: /A GET request has no body/ },
  { args: ['GET', '/spaces', '--query', 'limit'], message: /Use a name and a value/ },
  { args: ['POST', '/x', '--data', '{}', '--form', 'a=b'], message: /cannot be used with/ },
  { args: ['GET', '/x', '--header', 'authorization: Bearer x'], message: /Use --key/ },
  { args: ['GET', '/x', '--header', 'Host: x'], message: /The header Host cannot be set/ },
  { args: ['GET', '/x', '--header', 'a b: x'], message: /has an invalid name or value/ },
])
  test(`api ${args.join(' ').replace(url, 'http://…')} is wrong usage`, async () => {
    const { code, out, err } = await api(...args);
    assert.deepEqual([code, out], [64, ''], err);
    assert.match(err, message);
  });

test('api prints a stream as it arrives, until it is interrupted', async () => {
  const running = cli.start(['api', 'GET', '/events/stream']);
  await until('the stream is open', () => running.out().includes('retry:'));
  await cli.run(['events', 'send', '--type', 'example.note', '--data', '{"n":1.00}']);
  await until('the event is printed', () => running.out().includes('"data":{"n":1.00}'));
  running.kill('SIGINT');
  assert.equal((await running.ended).code, 130);
});

test('api fails if the connection breaks in the middle of the response', async () => {
  await using service = await startHostileServer(breakOff);
  const { code, out, err } = await at(service.url).run(['api', 'GET', '/x']);
  assert.deepEqual([code, out], [69, '{"items":[']);
  assert.match(err, /^gatehouse: The service does not respond \(/);
});

test('api writes to standard output with --output -', async () => {
  await using service = await startHostileServer(json(200, { a: 1 }));
  const { code, out, err } = await at(service.url).run(['api', 'GET', '/x', '--output', '-']);
  assert.deepEqual([code, out, err], [0, '{"a":1}', '']);
  assert.ok(!existsSync('-'));
});

test('api leaves the file of --output as it was if the connection breaks', async () => {
  await using service = await startHostileServer(breakOff);
  const folder = join(home.path, 'broken');
  mkdirSync(folder);
  const [fresh, earlier] = [join(folder, 'fresh.md'), join(folder, 'earlier.md')];
  writeFileSync(earlier, 'earlier');
  for (const path of [fresh, earlier])
    assert.equal((await at(service.url).run(['api', 'GET', '/x', '--output', path])).code, 69);
  assert.deepEqual(readdirSync(folder), ['earlier.md']);
  assert.equal(readFileSync(earlier, 'utf8'), 'earlier');
});

test('api replaces the file of --output and keeps its mode', async () => {
  await using service = await startHostileServer(json(200, { a: 1 }));
  const path = file('shared.json', 'a longer text than the response');
  chmodSync(path, 0o644);
  await at(service.url).run(['api', 'GET', '/x', '--output', path]);
  assert.deepEqual([readFileSync(path, 'utf8'), statSync(path).mode & 0o777], ['{"a":1}', 0o644]);
});

test('api writes to a device, a FIFO and the target of a symbolic link', async () => {
  await using service = await startHostileServer(json(200, { a: 1 }));
  const target = file('target.json', '');
  const [link, fifo] = [join(home.path, 'link.json'), join(home.path, 'fifo')];
  symlinkSync(target, link);
  await promisify(execFile)('mkfifo', [fifo]);
  const fromFifo = readFile(fifo, 'utf8');
  for (const path of ['/dev/null', link, fifo])
    assert.equal((await at(service.url).run(['api', 'GET', '/x', '--output', path])).code, 0);
  assert.deepEqual([await fromFifo, readFileSync(link, 'utf8')], ['{"a":1}', '{"a":1}']);
  assert.ok(lstatSync(link).isSymbolicLink() && lstatSync(fifo).isFIFO());
  // The standard output of a child process of Node is a socket, which cannot be opened as a file.
  const command = '"$0" "$1" api GET /x --output /dev/stdout | cat';
  const piped = promisify(execFile)('sh', ['-c', command, process.execPath, MAIN], {
    env: { ...inheritedVariables(), ...env, GATEHOUSE_URL: service.url },
  });
  assert.equal((await piped).stdout, '{"a":1}');
});

test('api keeps the events that it has written to --output when it is interrupted', async () => {
  const path = join(home.path, 'events.txt');
  const running = cli.start(['api', 'GET', '/events/stream', '--output', path]);
  await until('the stream is written', () => existsSync(path) && readFileSync(path).length > 0);
  running.kill('SIGINT');
  assert.equal((await running.ended).code, 130);
  assert.match(readFileSync(path, 'utf8'), /^retry:/m);
});

test('api indents JSON on a terminal, and removes control characters', {
  skip: NO_TERMINAL,
}, async () => {
  await using service = await startHostileServer(
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
      response.end('{"n":1.00,"text":"\\u001b[31m\u009b"}');
    },
    (response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.end('red \u001b[31m');
    },
  );
  const show = async () => {
    const command = `${process.execPath} ${MAIN} api GET /x`;
    await using terminal = openTerminal(command, { ...env, GATEHOUSE_URL: service.url });
    return (await terminal.end()).shown.replaceAll('\r', '');
  };
  assert.equal(await show(), '{\n  "n": 1.00,\n  "text": "\\u001b[31m\\u009b"\n}\n');
  assert.equal(await show(), 'red \ufffd[31m\n');
});
