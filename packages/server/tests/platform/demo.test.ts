import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort, occupyPort } from '../support/services/free-port.ts';
import { programOfDemo } from '../support/services/program.ts';
import { type Ended, runProgram } from '../support/services/run-service.ts';
import { ADMIN, startService, temporaryDirectory } from '../support/services/service.ts';
import { SQLITE_ONLY } from '../support/storage/backend.ts';

async function runDemo(env: Readonly<Record<string, string>> = {}) {
  const port = { GATEHOUSE_PORT: String(await freePort()) };
  return runProgram(programOfDemo(), ['--exit'], { ...port, ...env }).ended;
}

test('without a model, the demo says that answers are quoted, and only the colleague finds the internal rules', async () => {
  const ended = await runDemo();
  assertExplainsQuotes(ended);
  assert.match(ended.stdout, /^\nGatehouse runs at /);
  const [, customer = '', colleague = ''] =
    /with the customer's link(.*)with the colleague's link(.*)6\. sent/s.exec(ended.stdout) ?? [];
  assert.match(customer, /returns\.md/);
  assert.ok(!customer.includes('refund-rules.md'));
  assert.match(colleague, /refund-rules\.md/);
  const [, own = '', other = ''] =
    /as the customer of order 1001(.*)as the customer of order 1002:(.*)events are stored/s.exec(
      ended.stdout,
    ) ?? [];
  assert.match(own, /Order 1001 is shipped\./);
  assert.ok(!own.includes('1002'));
  assert.match(other, /Order 1002 is placed\./);
  assert.ok(!other.includes('1001'));
});

test('with the URL but not the name of a model, the demo says how to configure a model', async () => {
  assertExplainsQuotes(await runDemo({ GATEHOUSE_MODEL_URL: 'http://127.0.0.1:9/v1' }));
});

function assertExplainsQuotes({ code, stdout, stderr }: Ended): void {
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /No model is configured, so each assistant answers with sentences/);
  assert.match(stdout, /set GATEHOUSE_MODEL_URL and GATEHOUSE_MODEL_NAME/);
  assert.ok(!stdout.includes('Press Ctrl-C'));
}

test('with a model, the demo names the model and says what the model receives', async () => {
  const { code, stdout, stderr } = await runDemo({
    GATEHOUSE_MODEL_URL: 'http://127.0.0.1:9/v1',
    GATEHOUSE_MODEL_NAME: 'large-1',
  });
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /The model large-1 answers\. It receives the questions and only/);
  assert.ok(!stdout.includes('No model is configured'));
});

test('a demo whose port is in use names the address and the settings', async () => {
  await using service = await occupyPort();
  const { code, stdout, stderr } = await runDemo({ GATEHOUSE_PORT: String(service.port) });
  assert.deepEqual([code, stdout], [75, '']);
  const expected = `^demo: cannot listen on 127.0.0.1:${service.port} \\(EADDRINUSE\\): .*GATEHOUSE_PORT.*GATEHOUSE_HOST.*\n$`;
  assert.match(stderr, new RegExp(expected));
});

test('a demo with invalid settings exits with the same code as the service', async () => {
  const { code, stderr } = await runDemo({ GATEHOUSE_PORT: 'http' });
  assert.equal(code, 78);
  assert.match(stderr, /^demo: GATEHOUSE_PORT: must be a whole number/);
});

test('the demo rejects a data directory that contains other users, and names the setting', {
  skip: SQLITE_ONLY,
}, async () => {
  using directory = temporaryDirectory();
  await (
    await startService(directory.path, { env: { GATEHOUSE_ADMIN_EMAIL: `x${ADMIN.email}` } })
  ).stop();
  const { code, stderr } = await runDemo({ GATEHOUSE_DATA_DIR: directory.path });
  assert.equal(code, 78);
  assert.match(
    stderr,
    /^demo: GATEHOUSE_DATA_DIR: .* contains an installation with other users; unset/,
  );
});
