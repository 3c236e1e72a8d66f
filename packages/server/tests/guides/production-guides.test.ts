import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { openGuide, skipWithout } from '../support/guides/guide.ts';
import { GuideShell, guideVariables } from '../support/guides/shell.ts';
import { isReady, startCommand } from '../support/guides/start-command.ts';
import { codeAt } from '../support/identity/authenticator.ts';
import { freePort } from '../support/services/free-port.ts';
import { temporaryDirectory } from '../support/services/service.ts';
import { startChildWithSpace } from '../support/services/service-with-space.ts';
import { until } from '../support/until.ts';

const started = await startChildWithSpace();
after(() => started[Symbol.asyncDispose]());
const { client, space, dataDir } = started;
const variables = await guideVariables(started);
const directory = temporaryDirectory();
after(() => directory[Symbol.dispose]());

/** Data directory of the service of "Run it", which has no administrator. */
const withoutUsers = join(directory.path, 'data');

describe('the guides for production', { skip: skipWithout('bash', 'curl', 'jq', 'npm') }, () => {
  test('"Run it" starts, checks, backs up and monitors a service', async () => {
    const guide = openGuide('run-it');
    const port = await freePort();
    const command = guide.next('sh');
    assert.match(command, /^export GATEHOUSE_DATA_DIR=\.\/data$/m);
    const service = startCommand(command.replace('./data', withoutUsers), {
      GATEHOUSE_PORT: String(port),
    });
    try {
      await until('the service is ready', () => isReady(`http://127.0.0.1:${port}`));
      await until('the output names the command for the first link', () =>
        service.shown().includes('setup-link'),
      );
    } finally {
      await service.pressCtrlC();
    }

    const backup = join(directory.path, 'backup');
    const shell = new GuideShell(
      { ...variables, BACKUP_DIR: backup },
      { env: { GATEHOUSE_DATA_DIR: dataDir } },
    );
    assert.equal(await shell.run(guide.next('sh')), '{"status":"ok"}{"status":"ok"}');
    const installation = await shell.json(guide.next('sh'));
    assert.equal(installation['engine'], 'sqlite');
    assert.equal((installation['replicas'] as unknown[]).length, 1);
    const create = guide.next('sh');
    assert.match(create, /^npm run gatehouse -- backup /);
    await shell.run(create);
    assert.ok(existsSync(join(backup, 'gatehouse.db')));
    assert.match(await shell.run(guide.next('sh')), /^gatehouse_http_requests_total\{/);
  });

  test('"Accounts" creates the administrator, invites a colleague, resets a password and sets up a second factor', async () => {
    const guide = openGuide('accounts');
    const first = new GuideShell({}, { env: { GATEHOUSE_DATA_DIR: withoutUsers } });
    assert.match(await first.run(guide.next('sh')), /#setup=/);
    const shell = new GuideShell(variables, { env: { GATEHOUSE_DATA_DIR: dataDir } });
    const invitation = await shell.json(guide.next('sh'));
    guide.compareNext(invitation);
    const [, token = ''] = /#invitation=(.+)$/.exec(String(invitation['url'])) ?? [];
    const redeemed = await shell.json(guide.next('sh').replace('b4Cw…', token));
    assert.equal(typeof redeemed['token'], 'string');
    const links = await shell.run(guide.next('sh'));
    assert.match(links, /#reset=[\s\S]*#sign-in=/);

    const { email } = redeemed['user'] as { email: string };
    const cleo = new GuideShell({ ...variables, USER_SESSION: String(redeemed['token']) });
    const started = await cleo.json(guide.next('sh'));
    guide.compareNext(started);
    const code = codeAt(String(started['secret']), Date.now());
    const confirmed = await cleo.json(guide.next('sh').replace('492039', code));
    guide.compareNext(confirmed);
    const [recovery = ''] = confirmed['recoveryCodes'] as string[];
    const body = { email, password: 'a long first password' };
    const { status, json } = await client('/auth/sign-in/email', { body });
    assert.equal(status, 401);
    const second = guide.next('sh').replace('nT4pVb…', String(json['challenge']));
    assert.ok((await cleo.json(second.replace('492039', recovery)))['token']);
    assert.match(await shell.run(guide.next('sh')), /second factor was removed/);
    assert.equal((await client('/auth/sign-in/email', { body })).status, 200);
  });

  test('"Keep it safe" creates a restricted key, finds links without a filter and revokes links', async () => {
    const guide = openGuide('keep-it-safe');
    const shell = new GuideShell(variables);
    guide.compareNext(await shell.json(guide.next('sh')));
    const unrestricted = guide.next('sh');
    assert.equal(await shell.run(unrestricted), '');
    const link = (body: object) =>
      client('/assistant-link', {
        as: variables.GATEHOUSE_KEY,
        body: { spaceId: space.id, ...body },
      });
    await link({ sub: 'customer-42', permissionFilter: { audience: { eq: 'customers' } } });
    await link({ sub: 'somebody', ttlSeconds: 7200 });
    // The links without a filter are on different pages, which start with the links that expire first.
    await link({ sub: 'somebody', ttlSeconds: 60 });
    const onSmallPages = unrestricted.replace('limit=200', 'limit=1');
    assert.notEqual(onSmallPages, unrestricted);
    assert.match(await shell.run(onSmallPages), /^[\w-]{36}\n[\w-]{36}\n$/);
    assert.match(await shell.run(guide.next('sh')), /^\d{4}-\S+ \w+\.\w+$/m);
    guide.compareNext(await shell.json(guide.next('sh')));
  });
});
