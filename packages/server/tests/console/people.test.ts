import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { browserOfThisFile, skip } from '../support/browser/browser.ts';
import { assertAccessible, openConsole, signInToConsole } from '../support/browser/console.ts';
import { giveRole, makeSpace, makeUser, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';
import { until } from '../support/until.ts';

const PASSWORD = 'a password for tests';
/** Text that runs a script or changes the direction of the text if a page does not treat it as text. */
const HOSTILE = `<img src=x onerror=alert(1)><script>alert(2)</script>\u202Egnp.exe`;

const { service, client } = await serviceOfThisFile();
const admin = await signIn(client);

describe('people in the console', { skip }, () => {
  const browser = browserOfThisFile();

  async function team(name: string) {
    const { id, botId } = await makeSpace(client, admin, { name });
    const people = [];
    for (const role of ['owner', 'editor', 'viewer'] as const) {
      const user = await makeUser(client, admin, `${name}-${role}`, PASSWORD);
      await giveRole(client, admin, botId, user.id, role);
      people.push({ ...user, password: PASSWORD });
    }
    const [owner, editor, viewer] = people;
    assert.ok(owner && editor && viewer);
    return { botId, owner, editor, viewer, path: `${service.url}/console/spaces/${id}/people` };
  }

  test('an owner changes a role, removes a member, and invites a person with a link that is shown once', async (t) => {
    const { botId, owner, editor, viewer, path } = await team('owned');
    const { page, assertClean } = await openConsole(t, browser, path);
    await signInToConsole(page, owner);
    const row = page.getByRole('row').filter({ hasText: viewer.email });
    await row.getByRole('combobox').focus();
    await page.keyboard.press('ArrowDown');
    const member = () => client(`/bots/${botId}/members/${viewer.id}`, { as: admin });
    await assert.doesNotReject(async () => {
      while ((await member()).json['role'] !== 'editor') await page.waitForTimeout(50);
    });
    assert.equal(await page.locator(':focus').inputValue(), 'editor');
    await page
      .getByRole('row')
      .filter({ hasText: editor.email })
      .getByRole('button', { name: /Remove/ })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText(editor.email).waitFor({ state: 'detached' });
    assert.match(await page.locator(':focus').innerText(), /^Remove/);
    await page.getByLabel('Email address', { exact: true }).fill('bo@example.com');
    await page.getByLabel('Role', { exact: true }).selectOption('Viewer');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    const url = await page.getByRole('region', { name: 'Link of the invitation' }).innerText();
    assert.match(url, /\/console#invitation=[\w-]{43}$/);
    await assertAccessible(page);
    await page.reload();
    await page.getByRole('row', { name: /bo@example.com/ }).waitFor();
    assert.ok(!(await page.content()).includes(url));
    await page.getByRole('button', { name: 'Withdraw bo@example.com' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await page.getByText('No invitation is pending').waitFor();
    assert.equal(
      await page.locator('section:focus').getAttribute('aria-labelledby'),
      'invitations',
    );
    assertClean();
  });

  test('a role that is changed twice in a row, or cannot be saved, is shown as it is stored', async (t) => {
    const { botId, owner, viewer, path } = await team('twice');
    const { page } = await openConsole(t, browser, path);
    await signInToConsole(page, owner);
    const row = page.getByRole('row').filter({ hasText: viewer.email });
    const role = row.getByRole('combobox');
    const held = Promise.withResolvers<void>();
    let isBroken = false;
    await page.route(`**/bots/${botId}/members/${viewer.id}`, async (route) => {
      await held.promise;
      await (isBroken ? route.abort() : route.continue());
    });
    await role.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    held.resolve();
    const stored = () => client(`/bots/${botId}/members/${viewer.id}`, { as: admin });
    await until('the last choice is stored', async () => (await stored()).json['role'] === 'owner');
    assert.equal(await role.inputValue(), 'owner');
    isBroken = true;
    await page.keyboard.press('ArrowUp');
    await page.getByRole('alert').waitFor();
    assert.equal(await role.inputValue(), 'owner');
    assert.equal(await page.locator(':focus').inputValue(), 'owner');
  });

  test('a role that was saved is shown if the next choice cannot be saved', async (t) => {
    const { botId, owner, viewer, path } = await team('first');
    const { page } = await openConsole(t, browser, path);
    await signInToConsole(page, owner);
    const role = page.getByRole('row').filter({ hasText: viewer.email }).getByRole('combobox');
    const held = Promise.withResolvers<void>();
    let changes = 0;
    await page.route(`**/bots/${botId}/members/${viewer.id}`, async (route) => {
      await held.promise;
      changes++;
      await (changes > 1 ? route.abort() : route.continue());
    });
    await role.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    held.resolve();
    await page.getByRole('alert').waitFor();
    assert.equal(await role.inputValue(), 'editor');
    const { json } = await client(`/bots/${botId}/members/${viewer.id}`, { as: admin });
    assert.equal(json['role'], 'editor');
  });

  test('a role that cannot be changed because of a change by somebody else shows that change', async (t) => {
    const { botId, owner, editor, path } = await team('stale');
    const { json } = await client(`/bots/${botId}/members`, { as: admin });
    const owners = (json['items'] as { userId: string; role: string }[]).filter(
      ({ role }) => role === 'owner',
    );
    await giveRole(client, admin, botId, editor.id, 'owner');
    const { page } = await openConsole(t, browser, path);
    await signInToConsole(page, owner);
    const row = ({ email }: { email: string }) => page.getByRole('row').filter({ hasText: email });
    await row(editor).getByRole('combobox').waitFor();
    await giveRole(client, admin, botId, editor.id, 'viewer');
    for (const { userId } of owners.filter(({ userId }) => userId !== owner.id))
      await client(`/bots/${botId}/members/${userId}`, { as: admin, method: 'DELETE' });
    await row(owner).getByRole('combobox').selectOption('Editor');
    await row(owner).getByRole('alert').waitFor();
    await until(
      'the list shows the role of the other person',
      async () => (await row(editor).getByRole('combobox').inputValue()) === 'viewer',
    );
    assert.equal(await row(owner).getByRole('combobox').inputValue(), 'owner');
    assert.equal(await row(owner).getByRole('alert').count(), 1);
  });

  test('users and members are found by a part of the name or email address', async (t) => {
    const { owner, editor, viewer, path } = await team('found');
    await client(`/users/${viewer.id}`, { method: 'PATCH', as: admin, body: { name: 'Zoë Ärz' } });
    const { page, assertClean } = await openConsole(t, browser, path);
    await signInToConsole(page, owner);
    const row = ({ email }: { email: string }) => page.getByRole('row').filter({ hasText: email });
    await row(editor).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('ZOË ä');
    await page.keyboard.press('Enter');
    await row(editor).waitFor({ state: 'detached' });
    await row(viewer).waitFor();
    await row(viewer).getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Nobody matches.').waitFor();
    await assertAccessible(page);
    await page.getByRole('link', { name: 'Show all people' }).click();
    await row(editor).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.goto(`${service.url}/console/users?search=found-`);
    await signInToConsole(page);
    await row(editor).waitFor();
    assert.equal(await page.getByLabel('Name or email address contains').inputValue(), 'found-');
    assert.equal(await page.getByRole('row').count(), 4);
    await page.getByLabel('Name or email address contains').fill('@EXAMPLE.com');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.waitForURL('**/users?search=%40EXAMPLE.com');
    await page.getByLabel('Name or email address contains').fill('nobody has this name');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByText('Nobody matches.').waitFor();
    await page.goBack();
    await row(editor).waitFor();
    assertClean();
  });

  test('an editor sees the members without actions, and a viewer sees nobody', async (t) => {
    const { editor, viewer, owner, path } = await team('read');
    const one = await openConsole(t, browser, path);
    await signInToConsole(one.page, editor);
    await one.page.getByRole('row').filter({ hasText: owner.email }).waitFor();
    assert.equal(await one.page.getByRole('table').getByRole('button').count(), 0);
    assert.equal(await one.page.getByRole('button', { name: 'Invite' }).count(), 0);
    assert.equal(await one.page.getByRole('main').getByRole('combobox').count(), 0);
    await assertAccessible(one.page);
    const other = await openConsole(t, browser, path);
    await signInToConsole(other.page, viewer);
    await other.page.getByText('Only editors and owners of the space can use this page.').waitFor();
    assert.equal(await other.page.getByRole('table').count(), 0);
    assert.equal(await other.page.getByRole('link', { name: 'Users' }).count(), 0);
  });

  test('an administrator ends the sessions of a user, creates a reset link and deactivates the user', async (t) => {
    const user = await makeUser(client, admin, 'leaver', PASSWORD);
    const session = await signIn(client, { ...user, password: PASSWORD });
    const status = async () => (await client('/auth/session', { as: session })).status;
    const { page, assertClean } = await openConsole(t, browser, `${service.url}/console/users`);
    await signInToConsole(page);
    await assertAccessible(page);
    await page.getByRole('row').filter({ hasText: user.email }).getByRole('link').click();
    await page.getByRole('table', { name: 'Sessions' }).waitFor();
    await assertAccessible(page);
    assert.equal(await status(), 200);
    await page.getByRole('button', { name: 'End all sessions' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'End all sessions' }).click();
    await page.getByText('This user is not signed in anywhere.').waitFor();
    assert.equal(await status(), 401);
    await page.getByRole('button', { name: 'Create a reset link' }).click();
    await dialog.getByRole('button', { name: 'Create' }).click();
    const url = await page.getByRole('region', { name: 'Reset link' }).innerText();
    assert.match(url, /\/console#reset=/);
    await page.getByRole('button', { name: 'Deactivate' }).click();
    assert.match(await dialog.innerText(), /All sessions of the user end immediately/);
    await dialog.getByRole('button', { name: 'Deactivate' }).click();
    await page.getByText('deactivated').waitFor();
    const body = { email: user.email, password: PASSWORD };
    assert.notEqual((await client('/auth/sign-in/email', { body })).status, 200);
    assertClean();
  });

  test('a user ends another own session and changes the password', async (t) => {
    const user = await makeUser(client, admin, 'self', PASSWORD);
    const other = await signIn(client, { ...user, password: PASSWORD });
    const { page } = await openConsole(t, browser, `${service.url}/console/account`);
    await signInToConsole(page, { ...user, password: PASSWORD });
    await page.getByText('this session').waitFor();
    await page.getByRole('button', { name: 'End', exact: true }).click();
    await page.getByRole('button', { name: 'End', exact: true }).waitFor({ state: 'detached' });
    assert.equal((await client('/auth/session', { as: other })).status, 401);
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel('New password').fill('another password for tests');
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('The password was changed.').waitFor();
    await assertAccessible(page);
  });

  test('hostile names are shown as text', async (t) => {
    const { id, botId } = await makeSpace(client, admin, { name: HOSTILE });
    const user = await makeUser(client, admin, 'hostile', PASSWORD);
    await client(`/users/${user.id}`, { method: 'PATCH', as: admin, body: { name: HOSTILE } });
    await giveRole(client, admin, botId, user.id, 'viewer');
    const root = `${service.url}/console`;
    const viewport = { width: 390, height: 800 };
    const { page, assertClean } = await openConsole(t, browser, root, { viewport });
    page.on('dialog', () => assert.fail('a script ran'));
    await signInToConsole(page);
    for (const part of [`/spaces/${id}/people`, '/users', `/users/${user.id}`]) {
      await page.goto(root + part);
      await page.getByText(HOSTILE.slice(0, 30)).first().waitFor();
      await page.waitForLoadState('networkidle');
      assert.equal(await page.locator('img, script:not([src])').count(), 0, part);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390, part);
    }
    const name = 'averylongnamewithoutspaces'.repeat(7);
    await client(`/users/${user.id}`, { method: 'PATCH', as: admin, body: { name } });
    for (const part of [`/spaces/${id}/people`, '/users']) {
      await page.goto(root + part);
      const cells = page.getByRole('row').filter({ hasText: name }).getByRole('cell');
      await cells.first().waitFor();
      const box = await cells.nth(1).boundingBox();
      assert.ok(
        (box?.x ?? 390) < 300,
        `the column after the name starts at ${box?.x} px in ${part}`,
      );
    }
    assertClean();
  });
});
