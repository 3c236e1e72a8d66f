import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { browserOfThisFile, skip } from '../support/browser/browser.ts';
import {
  assertAccessible,
  createFirstSpace,
  openConsole,
  signInToConsole,
} from '../support/browser/console.ts';
import { addDocument } from '../support/knowledge/knowledge.ts';
import { giveRole, makeLink, makeSpace, makeUser, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';
import { ADMIN } from '../support/services/service.ts';

const CUSTOMERS = { audience: { eq: 'customers' } };
/** Text that runs a script, loads an image or changes the direction of the text if a page does not treat it as text. */
const HOSTILE = `<img src=x onerror=alert(1)><script>alert(2)</script>{{7*7}}\u202Egnp.exe`;

const { service, client } = await serviceOfThisFile();
const admin = await signIn(client);

describe('a product developer in the console', { skip }, () => {
  const browser = browserOfThisFile();

  async function shop(name: string) {
    const space = await makeSpace(client, admin, { name });
    for (const [fileName, audience] of [
      ['refunds.txt', 'customers'],
      ['margins.txt', 'staff'],
    ])
      await addDocument(client, admin, space.id, {
        fileName,
        text: `${fileName}: a refund takes five days.`,
        metadata: { audience },
      });
    return { ...space, path: `${service.url}/console/spaces/${space.id}` };
  }

  test('signs in, creates a space, and creates a key and a link with the snippets that the console shows', async (t) => {
    const { page, assertClean } = await openConsole(t, browser, `${service.url}/console`);
    await assertAccessible(page);
    await signInToConsole(page);
    const { key, setUp } = await createFirstSpace(page);
    assert.ok(setUp.includes(`GATEHOUSE_URL=${service.url}\n`), setUp);
    const snippet = await page.getByRole('region', { name: 'Create a link' }).innerText();
    const [, body = ''] = /-d '(.*)'/s.exec(snippet) ?? [];
    const created = await client('/assistant-link', { as: key, body: JSON.parse(body) });
    assert.equal(created.status, 200, created.text);
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByRole('heading', { name: 'Create a link done' }).waitFor();
    await assertAccessible(page);
    assertClean();
  });

  test('finds the links of a person, and revokes one of them', async (t) => {
    const { id, path } = await shop('Links');
    const link = await makeLink(client, admin, {
      spaceId: id,
      sub: 'ada',
      permissionFilter: CUSTOMERS,
    });
    await makeLink(client, admin, { spaceId: id, sub: 'bob' });
    const { page, assertClean } = await openConsole(t, browser, `${path}/links`);
    await signInToConsole(page);
    const unrestricted = page.getByRole('row', { name: /bob/ }).getByText('unrestricted');
    await unrestricted.waitFor();
    await page.getByLabel('Person (sub)').fill('ada');
    await page.getByRole('button', { name: 'Filter' }).click();
    await unrestricted.waitFor({ state: 'detached' });
    assert.equal(new URL(page.url()).search, '?sub=ada');
    await assertAccessible(page);
    await page.getByRole('link', { name: 'ada' }).click();
    await page.getByRole('heading', { name: 'Payload' }).waitFor();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Revoke' }).click();
    const dialog = page.getByRole('dialog', { name: 'Revoke this link?' });
    assert.match(await dialog.innerText(), /ends every session of this link/);
    await assertAccessible(page);
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('revoked', { exact: true }).waitFor();
    const shown = await client(`/assistant-link/${link.id}`, { as: admin });
    assert.equal(shown.json['state'], 'revoked');
    await page.goBack();
    await page.getByRole('link', { name: 'ada' }).waitFor();
    assert.equal(new URL(page.url()).search, '?sub=ada');
    assertClean();
  });

  test('creates a link whose filter the console checks, and opens it', async (t) => {
    const { path } = await shop('New link');
    const { page, assertClean } = await openConsole(t, browser, `${path}/links/new`);
    await signInToConsole(page);
    await page.getByText('this link shows every document').waitFor();
    const filter = page.getByLabel('Permission filter');
    await filter.fill('{ "audience": { "eqq": "customers" } }');
    await page.getByText('audience.eqq: unknown operator (did you mean "eq"?)').waitFor();
    await assertAccessible(page);
    assert.ok(await page.getByRole('button', { name: 'Create' }).isDisabled());
    await filter.fill('');
    await page.getByText('Fields of the documents').click();
    await page.getByRole('button', { name: 'customers' }).click();
    assert.deepEqual(JSON.parse(await filter.inputValue()), CUSTOMERS);
    await page.getByLabel('Person (sub)').fill('ada');
    await page.getByRole('button', { name: 'Create' }).click();
    const url = await page.getByRole('region', { name: 'URL of the link' }).innerText();
    const exchanged = await client('/assistant-link/exchange', {
      body: { linkToken: new URL(url).pathname.split('/').at(-1) },
    });
    assert.equal(exchanged.status, 200, exchanged.text);
    assertClean();
  });

  test('sees which documents a link shows, why it hides the others, and what it answers', async (t) => {
    const { id, path } = await shop('Access');
    const link = await makeLink(client, admin, {
      spaceId: id,
      sub: 'ada',
      permissionFilter: CUSTOMERS,
    });
    const { page, assertClean } = await openConsole(t, browser, `${path}/links/${link.id}`);
    await signInToConsole(page);
    await page.getByRole('link', { name: 'What does it show?' }).click();
    await page.getByText('1 visible, 1 hidden').waitFor();
    const documents = page.getByRole('region', { name: 'Documents' });
    assert.match(await documents.innerText(), /refunds\.txt/);
    assert.doesNotMatch(await documents.innerText(), /margins\.txt/);
    await page.getByLabel('Document', { exact: true }).selectOption('margins.txt');
    const row = page.getByRole('row', { name: /Permission filter of the link/ });
    assert.match(
      await row.innerText(),
      /\{"audience":\{"eq":"customers"\}\}\s+"staff"\s+does not hold/,
    );
    await page.getByLabel('Question').fill('How long does a refund take?');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByText('refunds.txt: a refund takes five days. [1]').waitFor();
    await assertAccessible(page);
    await page.getByRole('link', { name: 'Try a filter instead' }).click();
    await page.getByLabel('Permission filter to try').fill('{ "audience": { "eq": "staff" } }');
    await page.getByRole('button', { name: 'Show' }).click();
    await documents.getByText('margins.txt').waitFor();
    assertClean();
  });

  test('creates a key, which is shown once, and revokes it', async (t) => {
    const { id, path } = await shop('Keys');
    const { page, assertClean } = await openConsole(t, browser, `${path}/keys`);
    await signInToConsole(page);
    await page.getByLabel('Name').fill('backend');
    await page.getByLabel('read Read links').check();
    await page.getByRole('button', { name: 'Create' }).click();
    const key = await page.getByRole('region', { name: 'The new key' }).innerText();
    const read = () => client(`/spaces/${id}/documents`, { as: key });
    assert.equal((await read()).status, 200);
    await assertAccessible(page);
    await page.reload();
    await page.getByRole('row', { name: /backend/ }).waitFor();
    assert.ok(!(await page.content()).includes(key));
    await page.getByRole('button', { name: 'Revoke backend' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Your backend sends an API key').waitFor();
    assert.equal((await read()).status, 401);
    assertClean();
  });

  test('sees a clear note on a page that the role does not permit', async (t) => {
    const { botId, path } = await shop('Viewer');
    const viewer = await makeUser(client, admin, 'viewer', ADMIN.password);
    await giveRole(client, admin, botId, viewer.id, 'viewer');
    const { page } = await openConsole(t, browser, `${path}/keys`);
    await signInToConsole(page, { email: viewer.email, password: ADMIN.password });
    await page.getByText('Only editors and owners of the space can use this page.').waitFor();
  });

  test('sees hostile names and metadata as text', async (t) => {
    const space = await makeSpace(client, admin, { name: HOSTILE });
    const metadata = { [HOSTILE.slice(0, 30)]: HOSTILE };
    await addDocument(client, admin, space.id, {
      fileName: '<b>.txt',
      title: HOSTILE.replace('\u202E', ''),
      text: HOSTILE,
      metadata,
    });
    const { id } = await makeLink(client, admin, {
      spaceId: space.id,
      sub: HOSTILE,
      email: HOSTILE,
      context: { [HOSTILE]: `${HOSTILE}${'x'.repeat(1_000_000)}` },
    });
    const sub = `${HOSTILE}${'x'.repeat(1_000_000)}`;
    const long = await makeLink(client, admin, { spaceId: space.id, sub });
    const path = `${service.url}/console/spaces/${space.id}`;
    const { page, assertClean } = await openConsole(t, browser, path);
    page.on('dialog', () => assert.fail('a script ran'));
    await signInToConsole(page);
    for (const part of [
      '',
      '/links',
      '/links/new',
      `/links/${id}`,
      `/access?link=${id}`,
      `/links/${long.id}`,
      `/access?link=${long.id}`,
      '/keys',
      '/audit',
    ]) {
      await page.goto(path + part);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      assert.equal(await page.locator('img, script:not([src])').count(), 0, part);
      const overflow = 'document.documentElement.scrollWidth > innerWidth';
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        assert.equal(await page.evaluate(overflow), false, `${part} at ${width}`);
      }
      // A long value does not push the rest of the page away.
      const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
      assert.ok(height < 10_000, `${part} is ${height} pixels high`);
    }
    assertClean();
  });

  test('uses the console on a phone without scrolling sideways', async (t) => {
    const { id, path } = await shop('Phone');
    await makeLink(client, admin, { spaceId: id, sub: 'ada' });
    const viewport = { width: 390, height: 800 };
    const { page } = await openConsole(t, browser, path, { viewport });
    await signInToConsole(page);
    for (const name of ['Links', 'Access preview', 'API keys', 'Overview']) {
      await page.getByRole('button', { name: 'Menu' }).click();
      await page.getByRole('navigation').getByRole('link', { name }).click();
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390, name);
    }
  });
});
