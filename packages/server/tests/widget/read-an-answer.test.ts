import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { skip, visit } from '../support/browser.ts';
import { ask, shopOfThisFile } from '../support/widget.ts';

const CODE = ['Do this:\n\n```js\nconst days', ' = 5;\n```\n\nThe end.'];

describe('a person who reads an answer', { skip }, () => {
  const shop = shopOfThisFile();

  test('has what was read stay as it is while more comes', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    const held = Promise.withResolvers<void>();
    const parts = Array.from({ length: 60 }, (_, part) => ` part${part}`);
    model.behave({
      does: 'answer',
      pieces: (async function* () {
        yield '# Refunds\n\nThey take **five days**.\n\n- one\n- two\n\n> quoted\n\nThis is settled.\n\n';
        yield 'So is this.\n\nA **last';
        await held.promise;
        yield* parts;
        yield '**, and\n\n| a | b |\n|---|---|\n| c | d |\n\nThe end.';
      })(),
    });
    await page.goto((await newLink()).url);
    await ask(page, 'How long is a refund?');
    await page.getByText('last', { exact: true }).waitFor();
    await page.evaluate(observeChanges);
    held.resolve();
    await page.getByRole('article').getByText('The end.').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    assert.deepEqual(await page.evaluate('window.changes'), []);
    const last = page.locator('.answer-text strong').last();
    assert.equal(await last.innerText(), `last${parts.join('')}`);
    assert.deepEqual(problems, []);
  });

  test('opens a source where it is cited', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    model.behave({ does: 'answer', pieces: ['Five days [1', ']. Not cited [', '9].'] });
    await page.goto((await newLink()).url);
    await ask(page, 'How long is a refund?', '[9]');
    const citation = page.locator('p').getByRole('button', { name: 'Open source 1: returns.md' });
    await citation.click();
    await page.getByRole('dialog', { name: 'returns.md' }).getByText('within five days').waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await citation.evaluate((button) => button.matches(':focus')), true);
    assert.deepEqual(problems, []);
  });

  test('copies code', async (t) => {
    const { browser, model, newLink } = shop();
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { page, problems } = await visit(t, browser, { permissions });
    model.behave({ does: 'answer', pieces: CODE });
    await page.goto((await newLink()).url);
    await ask(page, 'How?', 'The end.');
    await page.getByRole('button', { name: 'Copy code' }).click();
    await page.locator('.code').getByRole('button', { name: 'Copied' }).waitFor();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), 'const days = 5;');
    assert.deepEqual(problems, []);
  });

  test('has code selected where copying is denied', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    await page.addInitScript('delete Navigator.prototype.clipboard');
    model.behave({ does: 'answer', pieces: CODE });
    await page.goto((await newLink()).url);
    await ask(page, 'How?', 'The end.');
    await page.getByRole('button', { name: 'Copy code' }).click();
    assert.equal(await page.evaluate('String(getSelection())'), 'const days = 5;');
    assert.equal(await page.getByRole('button', { name: 'Copied' }).count(), 0);
    assert.deepEqual(problems, []);
  });

  test('can go on after an answer that is made to be slow', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    const pieces = ['> ', '- ', '*a ', '[a](b ', '`', '|a', '![', 'a@b.', '<a '].flatMap(
      (piece) => [piece.repeat(2_000 / piece.length), '\n\n'],
    );
    model.behave({ does: 'answer', pieces: [...pieces, 'The end.'] });
    await page.goto((await newLink()).url);
    await ask(page, 'How long is a refund?', 'The end.');
    model.behave({ does: 'answer', pieces: ['Still **here**.'] });
    await ask(page, 'And now?', 'Still here.');
    assert.deepEqual(problems, []);
  });
});

/** Notes every change to the first five blocks of the answer, in the page. */
const observeChanges = `
  window.changes = [];
  const settled = [...document.querySelector('.answer-text').children].slice(0, 5);
  const observer = new MutationObserver((records) => {
    for (const { type, target } of records)
      if (settled.some((block) => block.contains(target))) window.changes.push(type);
    for (const block of settled) if (!block.isConnected) window.changes.push('gone');
  });
  observer.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
`;
