import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Gatehouse } from '@gatehouse/client';
import { temporaryDirectory } from '../../../server/tests/support/services/service.ts';
import { commandLine } from '../command-line.ts';
import { token, url } from '../service.ts';

const home = temporaryDirectory();
after(() => home[Symbol.dispose]());

/** Returns a command line that uses a new space, and a function that returns the text of its events. */
async function newSpace(name: string) {
  const { id: spaceId } = await new Gatehouse({ url, token }).spaces.create({ name });
  const gatehouse = new Gatehouse({ url, token, spaceId });
  const { key } = await gatehouse.apiKeys.create({ name, scopes: ['read', 'events:write'] });
  const cli = commandLine({ GATEHOUSE_URL: url, GATEHOUSE_KEY: key, XDG_CONFIG_HOME: home.path });
  const stored = async () => {
    const headers = { authorization: `Bearer ${key}` };
    return await (await fetch(`${url}/events`, { headers })).text();
  };
  return { cli, stored };
}

const file = (name: string, content: string | Buffer) => {
  const path = join(home.path, name);
  writeFileSync(path, content);
  return path;
};
const withData = (data: string) => `{"id":"a","source":"urn:x","type":"t","data":${data}}`;

const EXACT = '{"n":12345678901234567890.10,"f":1.0,"big":1e400,"zero":-0,"text":"1.0"}';

test('events keep every digit of their numbers', async () => {
  const lines = await newSpace('exact-lines');
  assert.equal((await lines.cli.run(['events', 'send'], withData(EXACT))).code, 0);
  const text = await lines.stored();
  assert.ok(text.includes(`"data":${EXACT}`), text);
  const options = await newSpace('exact-options');
  for (const data of [EXACT, `@${file('exact.json', EXACT)}`, '1.0'])
    await options.cli.json(['events', 'send', '--type', 't', '--data', data]);
  const [, first = '', second = '', third = ''] = (await options.stored()).split('"data":');
  assert.ok(first.startsWith(EXACT) && second.startsWith(EXACT), first);
  assert.match(third, /^1\.0[,}]/);
});

test('a time in UTC is sent unchanged', async () => {
  const { cli, stored } = await newSpace('times');
  const send = (time: string) => cli.run(['events', 'send', '--type', 't', '--time', time]);
  assert.equal((await send('2026-10-18T09:30:00.123456Z')).code, 0);
  assert.match(await stored(), /"2026-10-18T09:30:00\.123456Z"/);
  const { code, err } = await send('2026-02-30T09:30:00Z');
  assert.equal(code, 1);
  assert.match(err, /line 1: time: /);
});

test('a byte order mark at the start of a file is ignored', async () => {
  const { cli, stored } = await newSpace('byte-order-mark');
  const data = `@${file('mark.json', '\ufeff{"order":1001}')}`;
  await cli.json(['events', 'send', '--type', 't', '--data', data]);
  await cli.json(['events', 'send', file('mark.jsonl', `\ufeff${withData('2')}`)]);
  await cli.json(['events', 'send', file('list.json', `\ufeff[\n${withData('3')}\n]`)]);
  assert.match(await stored(), /"data":\{"order":1001\}/);
  assert.match(await stored(), /"data":2/);
});

test('an event with a duplicate member is not sent, and the error names the member and its line', async () => {
  const { cli, stored } = await newSpace('duplicates');
  const inLine = await cli.run(
    ['events', 'send'],
    `\n${withData('{"a":[{"b":1,"c":{"b":1}},{"b":"\\"b\\":{"}]}').replace('"t"', '"t","\\u0069d":"b"')}`,
  );
  const inData = await cli.run(['events', 'send'], `\n\n${withData('{"a":{"b":1},"a":2}')}`);
  const inDocument = await cli.run(['events', 'send'], `[\n${withData('{"a":1,\n"a":1}')}\n]`);
  for (const [{ code, err }, line, name] of [
    [inLine, 2, 'id'],
    [inData, 3, 'a'],
    [inDocument, 3, 'a'],
  ] as const) {
    assert.equal(code, 65, err);
    assert.ok(err.includes(`Line ${line} of the input repeats the member "${name}"`), err);
  }
  const data = `@${file('duplicates.json', '{"a":1,\n"a":2}')}`;
  const option = await cli.run(['events', 'send', '--type', 't', '--data', data]);
  assert.equal(option.code, 64);
  assert.match(option.err, /Line 2 repeats the member "a"/);
  assert.match(await stored(), /"items":\[\]/);
});

test('input that is not UTF-8 is not sent, and the error names the line', async () => {
  const { cli, stored } = await newSpace('not-utf-8');
  const bad = Buffer.from(`${withData('"ok"')}\n${withData('"\xff"')}`, 'latin1');
  const inLine = await cli.run(['events', 'send', file('bad.jsonl', bad)]);
  assert.equal(inLine.code, 65);
  assert.match(inLine.err, /Line 2 of the input is not valid UTF-8/);
  const data = `@${file('bad.json', Buffer.from('{\n"a":"\xff"}', 'latin1'))}`;
  const option = await cli.run(['events', 'send', '--type', 't', '--data', data]);
  assert.equal(option.code, 64);
  assert.match(option.err, /Line 2 is not valid UTF-8/);
  assert.match(await stored(), /"items":\[\]/);
});

test('a line separator inside a string does not end the line of an event', async () => {
  const { cli, stored } = await newSpace('separators');
  const { code, err } = await cli.run(['events', 'send'], `${withData('"a\u2028b"')}\r\n`);
  assert.equal(code, 0, err);
  assert.match(await stored(), /a\u2028b/);
});

test('options of an event need --type and exclude a file', async () => {
  const { cli, stored } = await newSpace('options');
  for (const options of [
    ['--source', 'urn:shop', '--id', 'o-77', '--data', '{"a":1}'],
    ['--data', 'null'],
    ['--subject', 's'],
  ]) {
    const { code, out, err } = await cli.run(['events', 'send', ...options], withData('1'));
    assert.deepEqual([code, out], [64, '']);
    assert.match(err, /--type is missing/);
  }
  const path = file('one.jsonl', withData('1'));
  const withFile = await cli.run(['events', 'send', path, '--id', 'o-77']);
  assert.equal(withFile.code, 64);
  assert.match(withFile.err, /Use either a file or --id/);
  assert.match(await stored(), /"items":\[\]/);
  assert.equal((await cli.run(['events', 'send', '--type', 't'])).code, 0);
  assert.match(await stored(), /"source":"urn:gatehouse:cli"/);
});

test('a document with an events member is sent, such as the examples', async () => {
  const { cli, stored } = await newSpace('documents');
  const example = join(import.meta.dirname, '../../../../examples/orders.events.json');
  const { code, out, err } = await cli.run(['events', 'send', example]);
  assert.equal(code, 0, err);
  assert.match(out, /^[1-9]\d* events accepted\.$/m);
  assert.match(await stored(), /order-1001-placed/);
  const inLine = await cli.run(['events', 'send'], `{"events":[${withData('1.0')}]}`);
  assert.equal(inLine.out, '1 event accepted.\n');
  const withAuth = `{"events":[${withData('1')}],"auth":{"apiKey":"x"}}`;
  const refused = await cli.run(['events', 'send'], withAuth);
  assert.equal(refused.code, 65);
  assert.match(refused.err, /Line 1 of the input has "auth" next to "events"/);
});

test('send with a folder instead of a file names the folder', async () => {
  const { cli } = await newSpace('folder');
  const { code, err } = await cli.run(['events', 'send', home.path]);
  assert.equal(code, 66, err);
  assert.equal(err, `gatehouse: ${home.path} is a folder. Name a file.\n`);
});

test('tail with a cursor file in a missing folder fails before it prints an event', async () => {
  const { cli } = await newSpace('no-folder');
  await cli.run(['events', 'send'], withData('1'));
  const cursorFile = join(home.path, 'missing/cursor');
  const args = ['events', 'tail', '--after', '0', '--limit', '1', '--cursor-file', cursorFile];
  const { code, out, err } = await cli.run(args);
  assert.deepEqual([code, out], [66, '']);
  assert.equal(err, `gatehouse: ${join(home.path, 'missing')} does not exist. Check the path.\n`);
  assert.doesNotMatch(err, /Waiting for events/);
});
