import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { json, startHostileServer } from '../../../client/tests/hostile-server.ts';
import { temporaryDirectory } from '../../../server/tests/support/services/service.ts';
import { until } from '../../../server/tests/support/until.ts';
import { CACHE, commandLine, MAIN } from '../command-line.ts';

const home = temporaryDirectory();
after(() => home[Symbol.dispose]());

describe('a command that is interrupted', () => {
  const env = { HOME: home.path, XDG_CONFIG_HOME: home.path, NODE_COMPILE_CACHE: CACHE };

  test('while it waits for events on standard input ends with exit code 130', async () => {
    await using service = await startHostileServer(json(200, { processed: 1, eventIds: ['1'] }));
    const child = spawn(process.execPath, [MAIN, 'events', 'send'], {
      env: { ...env, GATEHOUSE_URL: service.url, GATEHOUSE_KEY: 'gh_x', GATEHOUSE_SPACE: 'space' },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    child.stdin.write('{"source":"urn:x","type":"t"}\n');
    await until('the event is sent', () => service.received.length > 0);
    child.kill('SIGINT');
    await once(child, 'close');
    assert.equal(child.exitCode, 130);
  });

  test('while it waits for a secret on standard input ends with exit code 130', async () => {
    const child = spawn(process.execPath, [MAIN, 'login', '--with-key'], {
      env: { ...env, GATEHOUSE_URL: 'http://gate.example' },
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    // The warning about the unencrypted URL precedes the secret.
    await once(child.stderr, 'data');
    child.kill('SIGINT');
    await once(child, 'close');
    assert.equal(child.exitCode, 130);
  });

  test('while it waits for a program that writes to a FIFO ends with exit code 130', {
    skip: !existsSync('/proc/self/fd') && '/proc does not exist',
  }, async () => {
    const fifo = join(home.path, 'events');
    execFileSync('mkfifo', [fifo]);
    const child = spawn(process.execPath, [MAIN, 'events', 'send', fifo], {
      env: { ...env, GATEHOUSE_URL: 'http://127.0.0.1', GATEHOUSE_KEY: 'x', GATEHOUSE_SPACE: 'x' },
      stdio: 'ignore',
    });
    const files = `/proc/${child.pid}/fd`;
    const isOpen = (fd: string) => {
      try {
        return readlinkSync(join(files, fd)) === fifo;
      } catch {
        return false;
      }
    };
    try {
      await until('the FIFO is open', () => readdirSync(files).some(isOpen));
      child.kill('SIGINT');
      await once(child, 'close');
      assert.equal(child.exitCode, 130);
    } finally {
      child.kill('SIGKILL');
    }
  });

  test('while it reads an option from a FIFO ends', async () => {
    const fifo = join(home.path, 'filter');
    execFileSync('mkfifo', [fifo]);
    const child = spawn(process.execPath, [MAIN, 'links', 'create', '--filter', `@${fifo}`], {
      env,
      stdio: 'ignore',
    });
    const writer = await open(fifo, 'w');
    // The command has opened the FIFO, and waits for its end.
    child.kill('SIGINT');
    const [, signal] = await once(child, 'close');
    await writer.close();
    assert.equal(signal, 'SIGINT');
  });

  test('while it opens a link ends with exit code 130', async () => {
    await using service = await startHostileServer(() => command.kill('SIGINT'));
    const command = commandLine({ XDG_CONFIG_HOME: home.path }).start([
      ...['ask', '--link', `${service.url}/widget/${'x'.repeat(43)}`, 'Hello?'],
    ]);
    assert.equal((await command.ended).code, 130);
  });
});
