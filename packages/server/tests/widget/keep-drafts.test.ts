import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { goOffline, holdRequests, skip, visit } from '../support/browser/browser.ts';
import { ask, REFUND, shopOfThisFile } from '../support/browser/widget.ts';

describe('a user who has not sent a text yet', { skip }, () => {
  const shop = shopOfThisFile();

  test('finds the unsent draft after a reload, but only in the same tab', async (t) => {
    const { browser, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    const { url } = await newLink({ sub: 'turing' });
    await page.goto(url);
    // The text field appears before the chat is open and knows the draft.
    await page.getByText('Hello!').waitFor();
    await page.getByRole('textbox').fill('Half a thou');
    await page.reload();
    await page.getByText('Hello!').waitFor();
    assert.equal(await page.getByRole('textbox').inputValue(), 'Half a thou');
    const other = await page.context().newPage();
    await other.goto(url);
    await other.getByText('Hello!').waitFor();
    assert.equal(await other.getByRole('textbox').inputValue(), '');
    assert.deepEqual(problems, []);
  });

  test('does not find the draft of another user in the same tab', async (t) => {
    const { browser, newLink } = shop();
    const { page } = await visit(t, browser);
    const links = [{ sub: 'turing' }, { sub: 'noether' }, {}, {}];
    for (const link of links) {
      await page.goto((await newLink(link)).url);
      await page.getByText('Hello!').waitFor();
      assert.equal(await page.getByRole('textbox').inputValue(), '');
      await page.getByRole('textbox').fill(`A secret of ${JSON.stringify(link)}`);
    }
    await page.goto((await newLink({ sub: 'turing' })).url);
    await page.getByText('Hello!').waitFor();
    assert.equal(await page.evaluate('JSON.stringify({ ...sessionStorage })'), '{}');
  });

  test('finds the draft after a notice replaced the conversation, even if the link disables the history', async (t) => {
    const { browser, newLink } = shop();
    const { page } = await visit(t, browser);
    await page.clock.install();
    await page.goto((await newLink({ features: { chatHistory: false } })).url);
    await page.getByRole('textbox').fill('Half a thou');
    await goOffline(page);
    await page.clock.fastForward(1_000_000);
    await page.getByRole('heading', { name: 'No connection' }).waitFor();
    await page.context().setOffline(false);
    await page.getByRole('textbox').waitFor();
    assert.equal(await page.getByRole('textbox').inputValue(), 'Half a thou');
    assert.equal(await page.evaluate('JSON.stringify({ ...sessionStorage })'), '{}');
  });

  test('finds an edited question, a comment and an attached file after a notice replaced the conversation', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    model.behave(REFUND);
    await page.clock.install();
    await page.goto((await newLink({ sub: 'keller' })).url);
    await ask(page, 'How long does a refund take?', 'five days');
    await attach(page);
    const files = page.getByRole('list', { name: 'Attached files' });
    await files.getByText('Ready').waitFor();
    await page.getByRole('button', { name: 'Not helpful' }).click();
    const comment = page.getByRole('textbox', { name: 'What could be better?' });
    await comment.fill('Too short.');
    await page.getByRole('button', { name: 'Edit question' }).click();
    const edited = page.getByRole('textbox', { name: 'Edit question' });
    await edited.fill('How long does a refund to a card take?');
    await goOffline(page);
    await page.clock.fastForward(1_000_000);
    await page.getByRole('heading', { name: 'No connection' }).waitFor();
    await page.context().setOffline(false);
    await comment.waitFor();
    assert.equal(await comment.inputValue(), 'Too short.');
    assert.equal(await edited.inputValue(), 'How long does a refund to a card take?');
    await files.getByText('Ready').waitFor();
    await edited.press('Enter');
    await page.getByRole('article', { name: 'You' }).getByText('to a card').waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
    await ask(page, 'And this one?', 'five days');
    await page.getByRole('article', { name: 'You' }).getByText('invoice.txt').waitFor();
    assert.deepEqual(problems, []);
  });

  test('finds a question that waits for its file after a reload, in front of another draft', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    model.behave(REFUND);
    const held = await holdRequests(page, '**/attachments');
    await page.goto((await newLink({ sub: 'hopper' })).url);
    await attach(page);
    await ask(page, 'How long does a refund take?');
    await page.getByRole('article', { name: 'You' }).waitFor();
    const field = page.getByRole('textbox');
    await field.fill('To a card?');
    await page.reload();
    await page.getByText('Hello!').waitFor();
    assert.equal(await field.inputValue(), 'How long does a refund take?\nTo a card?');
    held.resolve();
    await attach(page);
    await ask(page, 'How long does a refund take?', 'five days');
    await page.reload();
    await page.getByText('Welcome back').waitFor();
    assert.equal(await field.inputValue(), '');
    assert.deepEqual(problems, []);
  });

  test('finds a question that waits for its file after another tab has changed the conversation', async (t) => {
    const { browser, newLink, client, session, space } = shop();
    const { page, problems } = await visit(t, browser);
    const body = { handoff: {} };
    await client(`/bots/${space.botId}`, { method: 'PATCH', as: session, body });
    const { url } = await newLink({ sub: 'mirzakhani' });
    const offline = Promise.withResolvers<void>();
    await page.route('**/handoff/stream', async (route) => {
      await offline.promise;
      await route.continue();
    });
    await page.goto(url);
    await page.getByRole('button', { name: 'Talk to a person' }).click();
    await page.getByText('A person will answer here.').waitFor();
    await holdRequests(page, '**/attachments');
    await attach(page);
    await ask(page, 'My parcel is broken.');
    await page.getByRole('article', { name: 'You' }).waitFor();
    const other = await page.context().newPage();
    await other.goto(url);
    await other.getByRole('button', { name: 'Back to the assistant' }).click();
    await other.getByText('The assistant answers again.').waitFor();
    offline.resolve();
    await page.getByText('The assistant answers again.').waitFor();
    assert.equal(await page.getByRole('article', { name: 'You' }).count(), 0);
    assert.equal(await page.getByRole('textbox').inputValue(), 'My parcel is broken.');
    assert.deepEqual(problems, []);
  });

  test('does not find the waiting question of another user in the same tab', async (t) => {
    const { browser, newLink } = shop();
    const { page } = await visit(t, browser);
    await holdRequests(page, '**/attachments');
    for (const sub of ['cartwright', 'robinson']) {
      await page.goto((await newLink({ sub })).url);
      await page.getByText('Hello!').waitFor();
      assert.equal(await page.getByRole('textbox').inputValue(), '');
      await attach(page);
      await ask(page, 'A secret.');
      await page.getByRole('article', { name: 'You' }).waitFor();
    }
  });
});

async function attach(page: Page): Promise<void> {
  const file = { name: 'invoice.txt', mimeType: 'text/plain', buffer: Buffer.from('Invoice.') };
  await page.getByRole('button', { name: 'Attach files' }).waitFor();
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByRole('list', { name: 'Attached files' }).waitFor();
}
