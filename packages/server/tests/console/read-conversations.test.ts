import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { Chat, openLink } from '../support/assistant/chat.ts';
import { browserOfThisFile, skip } from '../support/browser/browser.ts';
import { assertAccessible, openConsole, signInToConsole } from '../support/browser/console.ts';
import { addDocument, untilIndexed } from '../support/knowledge/knowledge.ts';
import { giveRole, makeSpace, makeUser, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

const HOSTILE = `<img src=x onerror=alert(1)><script>alert(2)</script> =cmd()\u202Egnp.exe`;
const REFUND = 'How long does a refund take?';
const LAMPS = 'Which colours do lamps have?';

const { service, client } = await serviceOfThisFile();
const admin = await signIn(client);

describe('conversations in the console', { skip }, () => {
  const browser = browserOfThisFile();
  let space = { id: '', botId: 0 };
  let path = '';
  before(async () => {
    space = await makeSpace(client, admin, { name: 'Support' });
    path = `${service.url}/console/spaces/${space.id}/conversations`;
    await addDocument(client, admin, space.id, {
      fileName: 'returns.md',
      markdown: '# Refunds\n\nA refund takes five days.',
      metadata: { audience: ['customers'] },
    });
    const permissionFilter = { audience: { eq: 'customers' } };
    const ada = await openLink(client, admin, { spaceId: space.id, sub: 'ada', permissionFilter });
    const chat = new Chat(service.url, ada.as, 'one');
    const { id } = await chat.ask(REFUND);
    await client(`/chat/messages/${id}/feedback`, {
      as: ada.as,
      body: { rating: 'down', comment: HOSTILE },
    });
    const bob = await openLink(client, admin, { spaceId: space.id, sub: 'bob', permissionFilter });
    await new Chat(service.url, bob.as, 'two').ask(LAMPS);
    const eve = await openLink(client, admin, { spaceId: space.id, sub: HOSTILE });
    await new Chat(service.url, eve.as, 'three').ask(`${HOSTILE} ${'x'.repeat(2000)}`);
  });

  test('lists and filters conversations, and shows one with its sources and feedback', async (t) => {
    const { page, assertClean } = await openConsole(t, browser, path);
    await signInToConsole(page);
    const lamps = page.getByRole('row', { name: /Which colours.*bob.*1 without an answer/ });
    await lamps.waitFor();
    await assertAccessible(page);
    await page.getByLabel('Feedback').selectOption('Disliked');
    await lamps.waitFor({ state: 'detached' });
    assert.equal(new URL(page.url()).search, '?rating=down');
    await page.getByRole('link', { name: REFUND }).click();
    await page.getByText('A refund takes five days.').waitFor();
    assert.match(await page.getByRole('main').innerText(), /disliked\s.*Comment: <img src=x/s);
    await assertAccessible(page);
    const sources = page.getByRole('list', { name: 'Sources' });
    await sources.getByRole('link', { name: 'Refunds' }).click();
    await page.getByRole('heading', { name: 'Extracted passages' }).waitFor();
    await page.goBack();
    await page.goBack();
    await page.getByRole('link', { name: REFUND }).waitFor();
    assert.equal(new URL(page.url()).search, '?rating=down');
    assertClean();
  });

  test('downloads the messages of the filtered conversations', async (t) => {
    const { page } = await openConsole(t, browser, `${path}?sub=ada`);
    await signInToConsole(page);
    for (const [name, start] of [
      ['CSV', 'conversationId,'],
      ['JSON Lines', '{"conversationId"'],
    ] as const) {
      const download = page.waitForEvent('download');
      await page.getByRole('link', { name }).click();
      const text = readFileSync(await (await download).path(), 'utf8');
      assert.ok(text.includes(start), text.slice(0, 200));
      assert.match(text, /five days/);
      assert.doesNotMatch(text, /lamps/);
    }
  });

  test('answers an unanswered question, with metadata, and the assistant then knows the answer', async (t) => {
    const { page, assertClean } = await openConsole(t, browser, path);
    await signInToConsole(page);
    await page.getByRole('link', { name: 'Questions without an answer' }).click();
    await page.getByRole('heading', { name: LAMPS }).waitFor();
    await assertAccessible(page);
    await page.getByRole('button', { name: `Write the answer ${LAMPS}` }).click();
    await page.getByText('Without metadata, only links').waitFor();
    await page.getByLabel('Answer (Markdown)').fill('All lamps are green or blue.');
    await page.getByLabel('Name of field 1').fill('audience');
    await page.getByLabel('Value of field 1').fill('customers');
    await assertAccessible(page);
    // Reading the conversation keeps what was typed.
    const isAsking = `!dispatchEvent(new Event('beforeunload', { cancelable: true }))`;
    assert.equal(await page.evaluate(isAsking), true);
    const group = page.getByRole('listitem').filter({ hasText: LAMPS });
    await group.getByRole('link', { name: 'Conversation 1' }).click();
    await page.getByRole('heading', { name: LAMPS, level: 1 }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Add the answer' }).click();
    await page.getByRole('link', { name: 'Open the document' }).waitFor();
    assert.equal(await page.evaluate(isAsking), false);
    await page.getByRole('link', { name: 'Open the document' }).click();
    await page.getByRole('heading', { name: LAMPS }).waitFor();
    await untilIndexed(client, admin, space.id);
    const link = await openLink(client, admin, {
      spaceId: space.id,
      sub: 'cleo',
      permissionFilter: { audience: { eq: 'customers' } },
    });
    const { parts } = await new Chat(service.url, link.as, 'four').ask(LAMPS);
    assert.match(JSON.stringify(parts), /green or blue/);
    assertClean();
  });

  test('answers a disliked question with the metadata of its source', async (t) => {
    const { page } = await openConsole(t, browser, `${path}/questions?state=disliked`);
    await signInToConsole(page);
    await page.getByRole('heading', { name: REFUND }).waitFor();
    await page.getByRole('link', { name: 'Conversation 1' }).click();
    // The list of questions, which has the same button, is shown until the page of the conversation has loaded.
    await page.getByRole('heading', { name: REFUND, level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Write the answer' }).click();
    const value = page.getByLabel('Value of field 1');
    await value.waitFor();
    await page.locator('textarea:not([required])').first().waitFor({ state: 'attached' });
    assert.equal(await page.getByLabel('Name of field 1').inputValue(), 'audience');
    assert.equal(await value.inputValue(), 'customers');
    assert.equal(await page.getByLabel('Question', { exact: true }).inputValue(), REFUND);
  });

  test('shows a note to people who may not read conversations', async (t) => {
    const viewer = await makeUser(client, admin, 'viewer');
    await giveRole(client, admin, space.botId, viewer.id, 'viewer');
    const { page } = await openConsole(t, browser, path);
    await signInToConsole(page, viewer);
    await page.getByText('You may not read the conversations of this space.').waitFor();
    assert.equal(await page.getByRole('link', { name: 'CSV' }).count(), 0);
  });

  test('shows hostile questions and people as text, on every width', async (t) => {
    const listed = await client(`/spaces/${space.id}/conversations`, { as: admin });
    const [hostile] = listed.json['items'] as { id: string }[];
    const { page, assertClean } = await openConsole(t, browser, path);
    page.on('dialog', () => assert.fail('a script ran'));
    await signInToConsole(page);
    for (const part of ['', `/${hostile?.id}`, '/questions', '/questions?state=disliked'])
      for (const width of [1280, 1024, 390]) {
        await page.setViewportSize({ width, height: 800 });
        await page.goto(path + part);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        assert.equal(await page.locator('img, script:not([src])').count(), 0, part);
        const overflow = 'document.documentElement.scrollWidth > innerWidth';
        assert.equal(await page.evaluate(overflow), false, `${part} at ${width}`);
      }
    assertClean();
  });
});
