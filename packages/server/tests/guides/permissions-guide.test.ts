import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { openGuide, ROOT, skipWithout } from '../support/guides/guide.ts';
import { GuideShell, guideVariables } from '../support/guides/shell.ts';
import { ADMIN, temporaryDirectory } from '../support/services/service.ts';
import { startChildWithSpace } from '../support/services/service-with-space.ts';

interface User {
  readonly id: string;
  readonly tenant: string;
  readonly teams: readonly string[];
  readonly folders: readonly string[];
}

type PermissionFilterOf = (user: User) => object;

const started = await startChildWithSpace();
after(() => started[Symbol.asyncDispose]());
const { client, session, space } = started;
const guide = openGuide('permissions');
const variables = await guideVariables(started);
const home = temporaryDirectory();
after(() => home[Symbol.dispose]());
const shell = new GuideShell(variables, {
  env: { PATH: `${home.path}:${process.env['PATH']}`, XDG_CONFIG_HOME: join(home.path, 'config') },
});

test('the examples in the guide about permissions return the results in the guide', {
  skip: skipWithout('bash', 'curl', 'jq'),
}, async (t) => {
  const permissionFilterOf = await importFunction(guide.next('js'));
  const uploaded = (await shell.run(guide.next('sh'))).trim().split('\n');
  const names = uploaded.map((file) => file.replace(/\.md$/, ''));
  const [[, ...documents] = [], ...users] = guide.table('User');
  assert.deepEqual(
    documents,
    names.map((name) => `\`${name}\``),
  );

  for (const [text = '', ...sees] of users) {
    const user = readUser(text);
    await t.test(`${user.id} sees the documents in the table`, async () => {
      const { json } = await client(`/spaces/${space.id}/access-preview`, {
        as: session,
        body: { permissionFilter: permissionFilterOf(user) },
      });
      const { visible } = json as { visible: { items: { fileName: string }[] } };
      assert.deepEqual(
        visible.items.map(({ fileName }) => fileName),
        names.filter((_, index) => sees[index] === 'yes').map((name) => `${name}.md`),
      );
    });
  }

  await t.test('the filter of the link is the one that the function returns', async () => {
    await shell.run(guide.next('sh'));
    const filter = await shell.json('echo "$FILTER"');
    const bo = users.map(([text = '']) => readUser(text)).find(({ id }) => id === 'bo');
    assert.ok(bo);
    assert.deepEqual(filter, permissionFilterOf(bo));
  });

  await t.test('the preview and the explanation are those of the guide', async () => {
    guide.compareNext(await shell.json(guide.next('sh')));
    const explained = await shell.run(guide.next('sh'));
    assert.equal(explained.trim(), guide.next('text').trim());
  });

  await t.test('the command line explains the same', async () => {
    installCommandLine();
    await shell.run(
      `gatehouse login --url "$GATEHOUSE_URL" --space "$SPACE_ID" --email ${ADMIN.email} <<<'${ADMIN.password}'`,
    );
    const shown = await shell.run(guide.next('sh'));
    assert.match(shown, /^The link shows 3 of 6 documents\.$/m);
    assert.match(shown, /^The link hides "/m);
    assert.match(shown, /^false +\/permissionFilter\/hiddenFrom\/ne .*document: \["bo"\]$/m);
  });

  await t.test('the filter of the space hides the minutes of the board from Eve', async () => {
    const filter = await shell.json(guide.next('sh'));
    assert.deepEqual(filter, {
      permissionFilter: { teams: { ne: 'board' } },
      requireLinkFilter: true,
    });
    const eve = { id: 'eve', tenant: 'acme', teams: [], folders: [] };
    const body = { permissionFilter: permissionFilterOf(eve) };
    const path = `/spaces/${space.id}/access-preview`;
    assert.equal((await client(path, { as: session, body })).json['visibleCount'], 1);
    const link = await client('/assistant-link', { as: variables.GATEHOUSE_KEY, body: {} });
    assert.equal(link.json['code'], 'links.filter-required');
  });

  await t.test('the filters on lists match as the guide says', async () => {
    const [metadata] = guide.rest('json').map((text) => JSON.parse(text));
    await client(`/spaces/${space.id}/documents/by-key/lists`, {
      method: 'PUT',
      as: variables.GATEHOUSE_KEY,
      body: { fileName: 'lists.md', markdown: '# Lists', metadata: { ...metadata, level: [2, 5] } },
    });
    for (const [text = ''] of guide.table('Filter').slice(1)) {
      const permissionFilter = JSON.parse(text.replaceAll('`', ''));
      const body = {
        permissionFilter: { and: [{ fileName: { eq: 'lists.md' } }, permissionFilter] },
      };
      const { json } = await client(`/spaces/${space.id}/access-preview`, { as: session, body });
      const isHidden = text.includes('"ne":"board"') || text.includes('null');
      assert.equal(json['visibleCount'], isHidden ? 0 : 1, text);
    }
  });
});

/** Writes the program `gatehouse`, which runs the command line of this repository. */
function installCommandLine(): void {
  const main = join(ROOT, 'packages/cli/src/main.ts');
  const program = `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`;
  writeFileSync(join(home.path, 'gatehouse'), program, { mode: 0o755 });
}

/** Runs a module of the guide and returns its function. */
async function importFunction(code: string): Promise<PermissionFilterOf> {
  using folder = temporaryDirectory();
  const file = join(folder.path, 'permissions.mjs');
  writeFileSync(file, code);
  const { permissionFilterOf }: { permissionFilterOf: PermissionFilterOf } = await import(
    pathToFileURL(file).href
  );
  return permissionFilterOf;
}

/** Reads an object literal with single quotes and bare names. */
function readUser(cell: string): User {
  const json = cell
    .replaceAll('`', '')
    .replace(/(\w+):/g, '"$1":')
    .replaceAll("'", '"');
  return JSON.parse(json);
}
