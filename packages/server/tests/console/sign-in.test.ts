import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { browserOfThisFile, skip } from '../support/browser/browser.ts';
import {
  assertAccessible,
  createFirstSpace,
  openConsole,
  signInToConsole,
} from '../support/browser/console.ts';
import { clientOf } from '../support/http/client.ts';
import { addDocument } from '../support/knowledge/knowledge.ts';
import { giveRole, makeSpace, makeUser, signIn } from '../support/provision.ts';
import { startChild } from '../support/services/child-server.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';
import { programOfService } from '../support/services/program.ts';
import { runCommand } from '../support/services/run-service.ts';
import { temporaryDirectory } from '../support/services/service.ts';
import { backendOf } from '../support/storage/backend.ts';

const NEW_PASSWORD = 'a very new password';

const { service, client, bareClient } = await serviceOfThisFile();
const admin = await signIn(client);

describe('signing in to the console', { skip }, () => {
  const browser = browserOfThisFile();

  test('shows an error for a wrong password', async (t) => {
    const { page } = await openConsole(t, browser, `${service.url}/console`);
    await page.getByLabel('Email address').fill('nobody@example.com');
    await page.getByLabel('Password').fill('a wrong password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page
      .getByRole('alert')
      .getByText('The email address or the password is wrong.')
      .waitFor();
    await assertAccessible(page);
  });

  test('hides the session from scripts, and ends it at the sign-out', async (t) => {
    const { page } = await openConsole(t, browser, `${service.url}/console`);
    await signInToConsole(page);
    assert.equal(await page.evaluate('document.cookie'), '');
    const [cookie] = await page.context().cookies();
    assert.equal(cookie?.name, 'gatehouse');
    const read = async () => {
      const headers = { cookie: `gatehouse=${cookie?.value}` };
      return (await client('/auth/session', { headers })).status;
    };
    assert.equal(await read(), 200);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Gatehouse' }).waitFor();
    assert.equal(await read(), 401);
  });

  test('opens the requested page after the sign-in', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Deep' });
    const { page } = await openConsole(
      t,
      browser,
      `${service.url}/console/spaces/${id}/links?state=active`,
    );
    await signInToConsole(page);
    await page.getByRole('heading', { name: 'Links' }).waitFor();
    assert.equal(await page.getByLabel('State').inputValue(), 'active');
  });

  test('asks for the password again when the session has ended elsewhere', async (t) => {
    const { page } = await openConsole(t, browser, `${service.url}/console`);
    const user = await makeUser(client, admin, 'ended', NEW_PASSWORD);
    await signInToConsole(page, { email: user.email, password: NEW_PASSWORD });
    await client(`/users/${user.id}/sessions`, { method: 'DELETE', as: admin });
    await page.getByLabel('Name').fill('Space');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Sign in to Gatehouse' }).waitFor();
  });

  test('continues with what the user has typed when the same user signs in again, and forgets it for others', async (t) => {
    const space = await makeSpace(client, admin, { name: 'Interrupted' });
    const editor = await makeUser(client, admin, 'interrupted', NEW_PASSWORD);
    const viewer = await makeUser(client, admin, 'onlooker', NEW_PASSWORD);
    await giveRole(client, admin, space.botId, editor.id, 'editor');
    await giveRole(client, admin, space.botId, viewer.id, 'viewer');
    const { id } = await addDocument(client, admin, space.id, { fileName: 'a.txt', text: 'Text' });
    const path = `${service.url}/console/spaces/${space.id}/documents/${id}`;
    const { page, assertClean } = await openConsole(t, browser, path);
    await signInToConsole(page, { email: editor.email, password: NEW_PASSWORD });
    const title = page.getByRole('textbox', { name: 'Title' });
    const save = page.getByRole('button', { name: 'Save' });
    const endSession = () =>
      client(`/users/${editor.id}/sessions`, { method: 'DELETE', as: admin });
    await title.fill('Typed before');
    await endSession();
    await save.click();
    await page.getByText('Your session has ended.').waitFor();
    await assertAccessible(page);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    assert.equal(await title.isVisible(), false);
    assert.equal(await page.locator('[inert] main').count(), 1);
    await signInToConsole(page, { email: editor.email, password: NEW_PASSWORD });
    assert.equal(await title.inputValue(), 'Typed before');
    await page.getByText('Your session had ended. Please try again.').waitFor();
    await save.click();
    await page.getByText('Saved.').waitFor();
    await title.fill('Typed again');
    await endSession();
    await save.click();
    await page.getByText('Your session has ended.').waitFor();
    await signInToConsole(page, { email: viewer.email, password: NEW_PASSWORD });
    await page.getByRole('heading', { name: 'Typed before' }).waitFor();
    assert.equal(await save.count(), 0);
    assert.equal(await page.getByText('Your session has ended.').count(), 0);
    assertClean();
  });

  test('signing out, or in as another user, takes effect in all tabs of the browser', async (t) => {
    const { botId, id } = await makeSpace(client, admin, { name: 'Tabs' });
    const users = [];
    for (const name of ['tabs-ada', 'tabs-bob']) {
      const user = await makeUser(client, admin, name);
      await giveRole(client, admin, botId, user.id, 'owner');
      users.push(user);
    }
    const [ada, bob] = users;
    assert.ok(ada && bob);
    const path = `${service.url}/console/spaces/${id}/settings`;
    const { page, assertClean } = await openConsole(t, browser, path);
    await signInToConsole(page, ada);
    await page.getByLabel('Name').first().fill('Typed by Ada');
    const other = await page.context().newPage();
    await other.goto(`${service.url}/console`);
    await other.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Your session has ended.').waitFor();
    await signInToConsole(other, ada);
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    assert.equal(await page.getByLabel('Name').first().inputValue(), 'Typed by Ada');
    await other.getByRole('button', { name: 'Sign out' }).click();
    await signInToConsole(other, bob);
    await page.getByRole('link', { name: 'Your account: tabs-bob' }).waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).first().waitFor();
    assert.equal(await page.getByLabel('Name').first().inputValue(), 'Tabs');
    assertClean();
  });

  test('accepts an invitation, and removes its token from the address and the history', async (t) => {
    const { botId } = await makeSpace(client, admin, { name: 'Invited' });
    const body = { email: 'cleo@example.com', role: 'editor' };
    const { json } = await client(`/bots/${botId}/members`, { as: admin, body });
    const { page } = await openConsole(t, browser, String(json['url']));
    await page.getByRole('heading', { name: 'Accept the invitation' }).waitFor();
    assert.equal(page.url(), `${service.url}/console`);
    await page.getByLabel('Name').fill('Cleo');
    await page.getByLabel('Password').fill(NEW_PASSWORD);
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Accept and sign in' }).click();
    await page.getByRole('link', { name: 'Invited' }).waitFor();
    await assertAccessible(page);
    await page.getByText('Cleo').waitFor();
  });

  test('sets a new password with a reset link, and shows an error for a used link', async (t) => {
    const user = await makeUser(client, admin, 'reset', 'the old password');
    const { json } = await client(`/users/${user.id}/reset-link`, { method: 'POST', as: admin });
    const url = String(json['url']);
    const { page } = await openConsole(t, browser, url);
    await page.getByLabel('Password').fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Save and sign in' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await signIn(client, { ...user, password: NEW_PASSWORD });
    const again = await openConsole(t, browser, url);
    await again.page.getByLabel('Password').fill(NEW_PASSWORD);
    await again.page.getByRole('button', { name: 'Save and sign in' }).click();
    await again.page.getByRole('alert').getByText('This link was used or replaced').waitFor();
  });

  test('the setup link of an empty installation leads to an account, a space, a key, a link and a first event', async (t) => {
    using directory = temporaryDirectory();
    const env = {
      GATEHOUSE_DATA_DIR: directory.path,
      ...(await backendOf(directory.path, 'empty')),
    };
    await using empty = await startChild(programOfService(), { env });
    const command = ['setup-link'];
    const printed = await runCommand(command, { ...env, GATEHOUSE_PORT: String(empty.port) }).ended;
    const [url = ''] = /http\S+#setup=[\w-]{43}/.exec(printed.stdout) ?? [];
    assert.ok(url.startsWith(`${empty.url}/console#`), printed.stderr);
    const { page, assertClean } = await openConsole(t, browser, url);
    await page.getByRole('heading', { name: 'Create the first administrator' }).waitFor();
    assert.equal(page.url(), `${empty.url}/console`);
    await assertAccessible(page);
    await page.getByLabel('Email address').fill('eve@example.com');
    await page.getByLabel('Name').fill('Eve');
    await page.getByLabel('Password').fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Create the account' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    const { key } = await createFirstSpace(page);
    await page.getByRole('link', { name: 'Add documents here' }).click();
    await page.getByText('Drop files here').waitFor();
    const file = {
      name: 'Returns.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('Thirty days.'),
    };
    await page.getByLabel('Files').setInputFiles(file);
    await page.getByText('added', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    for (const [name, path] of [
      ['Create a link', '/assistant-link'],
      ['Send an event', '/events'],
    ] as const) {
      const snippet = await page.getByRole('region', { name }).innerText();
      const [, body = ''] = /-d '(.*)'/s.exec(snippet) ?? [];
      const sent = await clientOf(empty.url)(path, { as: key, body: JSON.parse(body) });
      assert.equal(sent.status, 200, sent.text);
    }
    await page.getByRole('button', { name: 'Check again' }).click();
    for (const step of ['Add documents', 'Create an API key', 'Create a link', 'Send an event'])
      await page.getByRole('heading', { name: `${step} done` }).waitFor();
    assertClean();
  });

  test('a sign-in link does nothing before a click, so nobody is signed in to an account of others unnoticed', async (t) => {
    const { page } = await openConsole(t, browser, `${service.url}/console`);
    await page.getByRole('heading', { name: 'Sign in to Gatehouse' }).waitFor();
    // The browser changes only the fragment and does not load the page again.
    await page.goto(`${service.url}/console#sign-in=unknown`);
    await page.getByRole('heading', { name: 'Sign in with a one-time link' }).waitFor();
    assert.equal(page.url(), `${service.url}/console`);
    assert.deepEqual(await page.context().cookies(), []);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').getByText('This link is incomplete or unknown').waitFor();
  });
});

test('another loopback name of the service leads to the base URL', async () => {
  const { port } = new URL(service.url);
  for (const path of ['/console', '/console/spaces/x?after=1']) {
    const { status, headers } = await clientOf(`http://localhost:${port}`)(path);
    assert.equal(status, 302);
    assert.equal(headers.get('location'), service.url + path);
  }
});

test('the page of the console permits no inline scripts, no other hosts and no frames around it', async () => {
  for (const path of ['/console', '/console/spaces/x/links']) {
    const { status, headers, text } = await bareClient(path);
    assert.equal(status, 200, path);
    assert.equal(
      headers.get('content-security-policy'),
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'; frame-ancestors 'none'",
    );
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    assert.doesNotMatch(text, /<script>|<style|style=|https?:/);
  }
});
