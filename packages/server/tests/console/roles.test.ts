import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Page, Request } from 'playwright-core';
import { browserOfThisFile, skip } from '../support/browser/browser.ts';
import { assertAccessible, openConsole, signInToConsole } from '../support/browser/console.ts';
import { addDocument } from '../support/knowledge/knowledge.ts';
import { giveRole, makeKey, makeLink, makeSpace, makeUser, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';
import { ADMIN } from '../support/services/service.ts';

const PASSWORD = 'a password for tests';
const OF_VIEWERS = ['Overview', 'Documents', 'Projections', 'Events', 'Subscriptions', 'Sinks'];
const OF_EDITORS = [
  ...['Overview', 'Links', 'Access preview', 'API keys', 'Widget'],
  ...['Documents', 'Crawls', 'Projections'],
  ...['Events', 'Event sources', 'Subscriptions', 'Sinks', 'People', 'Usage', 'Settings'],
];
const OF_OWNERS = [
  ...['Overview', 'Links', 'Access preview', 'API keys', 'Widget'],
  ...['Documents', 'Crawls', 'Projections'],
  ...['Conversations', 'Events', 'Event sources', 'Subscriptions', 'Sinks'],
  ...['People', 'Usage', 'Audit', 'Settings'],
];

const { service, client } = await serviceOfThisFile();
const admin = await signIn(client);

describe('the roles in the console', { skip }, () => {
  const browser = browserOfThisFile();

  /** Creates a space with one resource of each kind. Returns the paths of their pages. */
  async function filledSpace(name: string) {
    const { id, botId } = await makeSpace(client, admin, { name });
    const post = async (path: string, body: object) => {
      const made = await client(path, { as: admin, body });
      assert.ok(made.status < 300, made.text);
      return String(made.json['id']);
    };
    const document = await addDocument(client, admin, id, { fileName: 'a.txt', text: 'A text.' });
    const link = await makeLink(client, admin, { spaceId: id, sub: 'customer-1' });
    await makeKey(client, admin, id);
    const source = 'https://shop.example/orders';
    const event = { id: '1', source, type: 'example.order.placed', subject: 'ord-1', data: {} };
    await post(`/spaces/${id}/event-sources`, { name: 'shop', source: 'https://shop.example/s' });
    const target = await post(`/spaces/${id}/subscriptions`, { url: 'https://shop.example/hook' });
    const definition = { types: ['example.order.*'], key: 'subject', fields: {}, metadata: {} };
    const named = { ...definition, name: 'Order', title: 'Order {key}', text: 'Order {key}.' };
    const projection = await post(`/spaces/${id}/projections`, named);
    const events = [{ specversion: '1.0', ...event }];
    await client(`/events?spaceId=${id}`, { as: admin, body: { events } });
    const details = {
      link: `/links/${link.id}`,
      document: `/documents/${document.id}`,
      subscription: `/subscriptions/${target}`,
      projection: `/projections/${projection}`,
    };
    return { id, botId, root: `${service.url}/console/spaces/${id}`, details };
  }

  async function openAs(t: TestContext, url: string, user: { email: string; password: string }) {
    const { page, assertClean } = await openConsole(t, browser, url);
    const forbidden: string[] = [];
    const pending = new Set<Request>();
    page.on('request', (request) => pending.add(request));
    page.on('requestfinished', (request) => pending.delete(request));
    page.on('requestfailed', (request) => pending.delete(request));
    page.on('response', (response) => {
      if (response.status() !== 403) return;
      forbidden.push(`${response.request().method()} ${response.url()} on ${page.url()}`);
    });
    await signInToConsole(page, user);
    /** Waits until the page has no request in flight. */
    const settle = async () => {
      do await page.waitForTimeout(50);
      while (pending.size > 0);
    };
    /** Opens a path, if possible with the navigation, which does not load the page again. Waits until its data are loaded. */
    const show = async (path: string) => {
      const entry = navigation(page).locator(`a[href="${new URL(path).pathname}"]`);
      if (page.url() !== path && (await entry.count()) > 0) {
        await entry.click();
        // `useButtons` fills in fields, so the console can ask whether the edits may be lost.
        const leave = page.getByRole('button', { name: 'Leave without saving' });
        await settle();
        if (await leave.isVisible()) await leave.click();
      } else await page.goto(path);
      await page.locator('main :is(h1, [role=alert])').first().waitFor();
      await settle();
    };
    return { page, assertClean, forbidden, settle, show };
  }

  async function member(botId: number, role: 'viewer' | 'editor' | 'owner', name: string) {
    const user = await makeUser(client, admin, name, PASSWORD);
    await giveRole(client, admin, botId, user.id, role);
    return { ...user, password: PASSWORD };
  }

  test('a viewer sees no action that changes something, and no visible action is rejected', async (t) => {
    const { botId, root, details } = await filledSpace('Viewed');
    const viewer = await member(botId, 'viewer', 'the-viewer');
    const visit = await openAs(t, root, viewer);
    const { page, forbidden, assertClean } = visit;
    await page.getByText('You may read the documents').waitFor();
    assert.deepEqual(await entries(page), OF_VIEWERS);
    await assertAccessible(page);
    const { document, subscription, projection } = details;
    const paths = [...(await targets(page)), root + document, root + subscription];
    const seen = new Set<string>();
    for (const path of [...paths, root + projection])
      for (const name of await useButtons(visit, path)) seen.add(name);
    assert.deepEqual([...seen].sort(), ['Copy', 'Filter']);
    assert.deepEqual(forbidden, []);
    await page.goto(`${root}/links`);
    await page.getByText('Only editors and owners of the space can use this page.').waitFor();
    await assertAccessible(page);
    assert.deepEqual(forbidden, []);
    assertClean();
  });

  test('an editor sees no action for owners, and no visible action is rejected', async (t) => {
    const { botId, root, details } = await filledSpace('Edited');
    const editor = await member(botId, 'editor', 'the-editor');
    const visit = await openAs(t, root, editor);
    const { page, forbidden } = visit;
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    assert.deepEqual(await entries(page), OF_EDITORS);
    await page.goto(`${root}/settings`);
    await page.getByRole('heading', { name: 'Assistants' }).waitFor();
    assert.equal(await page.getByLabel('Who may read the conversations').count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Save the filter' }).count(), 0);
    await page.goto(`${root}/keys`);
    await page.getByText('events:write').last().waitFor();
    assert.equal(await page.getByText('conversations:read').count(), 0);
    await page.goto(`${root}/people`);
    await page.getByRole('table').waitFor();
    assert.equal(await page.getByRole('table').getByRole('button').count(), 0);
    const paths = [...(await targets(page)), ...Object.values(details).map((one) => root + one)];
    for (const path of paths) await useButtons(visit, path);
    assert.deepEqual(forbidden, []);
  });

  test('an owner sees all pages of the space, and an owner of one assistant sees fewer', async (t) => {
    const { id, botId, root } = await filledSpace('Owned');
    const owner = await member(botId, 'owner', 'the-owner');
    const one = await openAs(t, root, owner);
    await one.page.getByRole('heading', { name: 'First steps' }).waitFor();
    assert.deepEqual(await entries(one.page), OF_OWNERS);
    for (const path of await targets(one.page)) await one.show(path);
    assert.deepEqual(one.forbidden, []);
    await client(`/spaces/${id}/bots`, { as: admin, body: { name: 'Second' } });
    const partly = await member(botId, 'owner', 'the-partial-owner');
    const other = await openAs(t, root, partly);
    await other.page.getByRole('heading', { name: 'First steps' }).waitFor();
    const expected = OF_OWNERS.filter((name) => name !== 'Conversations' && name !== 'Audit');
    assert.deepEqual(await entries(other.page), expected);
    for (const path of await targets(other.page)) await other.show(path);
    assert.deepEqual(other.forbidden, []);
  });

  test('an administrator sees all pages, except conversations that nobody may read', async (t) => {
    const { id, root } = await filledSpace('Administered');
    const { page, forbidden, show } = await openAs(t, `${service.url}/console`, ADMIN);
    await page.getByRole('link', { name: 'Users' }).waitFor();
    assert.deepEqual(await entries(page), ['Spaces', 'Users', 'Audit', 'State']);
    for (const path of await targets(page)) await show(path);
    const change = { conversationAccess: 'nobody' };
    await client(`/spaces/${id}`, { method: 'PATCH', as: admin, body: change });
    await show(root);
    const expected = OF_OWNERS.filter((name) => name !== 'Conversations');
    assert.deepEqual(await entries(page), expected);
    for (const path of await targets(page)) await show(path);
    assert.deepEqual(forbidden, []);
  });

  test('a user without a space sees the list of spaces and no navigation', async (t) => {
    const user = await makeUser(client, admin, 'nobody', PASSWORD);
    const { page, forbidden } = await openAs(t, `${service.url}/console`, user);
    await page.getByText('You have no space yet').waitFor();
    assert.equal(await navigation(page).count(), 0);
    await assertAccessible(page);
    await page.goto(`${service.url}/console/users`);
    await page.getByText('Only administrators can use this page.').waitFor();
    assert.deepEqual(forbidden, []);
  });
});

function navigation(page: Page) {
  return page.getByRole('navigation', { name: 'Pages' });
}

/** Returns the names of the entries of the navigation. */
function entries(page: Page): Promise<string[]> {
  return navigation(page).getByRole('link').allInnerTexts();
}

/** Returns the addresses of the entries of the navigation. */
function targets(page: Page): Promise<string[]> {
  return navigation(page)
    .getByRole('link')
    .evaluateAll((links) =>
      links.map((link) => (link as unknown as { readonly href: string }).href),
    );
}

interface Visit {
  readonly page: Page;
  readonly show: (path: string) => Promise<void>;
  readonly settle: () => Promise<void>;
}

/** Clicks every button of a page and confirms the question that follows. Returns the names of the buttons. */
async function useButtons({ page, show, settle }: Visit, path: string): Promise<string[]> {
  await show(path);
  const buttons = page.locator('main button:enabled:visible');
  const names = await buttons.evaluateAll((all) => [
    ...new Set(
      all
        .toSorted((a, b) => Number(a.matches('.danger')) - Number(b.matches('.danger')))
        .map((one) => one.firstChild?.textContent?.trim() ?? ''),
    ),
  ]);
  for (const name of names) {
    const button = buttons.filter({ hasText: name }).first();
    if ((await button.count()) === 0) await show(path);
    if ((await button.count()) === 0) continue;
    for (const field of await page.locator('main [required]:visible').all())
      if ((await field.inputValue()) === '') await field.fill('x@example.com');
    await button.click();
    const confirm = page.locator('dialog[open] .danger, dialog[open] .main').first();
    if ((await confirm.count()) > 0) await confirm.click();
    await settle();
    await page.keyboard.press('Escape');
  }
  return names;
}
