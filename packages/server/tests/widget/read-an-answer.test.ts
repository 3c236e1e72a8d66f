import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { accessibilityViolations } from '../support/browser/accessibility.ts';
import { skip, visit } from '../support/browser/browser.ts';
import { ask, REFUND, shopOfThisFile } from '../support/browser/widget.ts';
import { addDocument } from '../support/knowledge/knowledge.ts';

const CODE = ['Do this:\n\n```js\nconst days', ' = 5;\n```\n\nThe end.'];

describe('a user who reads an answer', { skip }, () => {
  const shop = shopOfThisFile();

  test('sees that completed blocks do not change while the rest of the answer streams', async (t) => {
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
    await ask(page, 'How long does a refund take?');
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

  test('never sees a citation without a source, not even while the answer streams', async (t) => {
    const { browser, model, newLink } = shop();
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { page, problems } = await visit(t, browser, { permissions });
    const held = Promise.withResolvers<void>();
    model.behave({
      does: 'answer',
      pieces: (async function* () {
        for (const piece of [
          'Five days [',
          '1',
          '] or six [',
          '9',
          ']. In Code: `a [9]`. 七天【',
          '8',
        ]) {
          yield piece;
          await new Promise((resolve) => setTimeout(resolve, 60));
        }
        await held.promise;
        yield '】。';
      })(),
    });
    await page.addInitScript(recordCitations);
    await page.goto((await newLink()).url);
    await ask(page, 'How long does a refund take?');
    const answer = page.getByRole('article').last();
    await answer.getByText('七天').waitFor();
    held.resolve();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    const shown = 'Five days 1 or six. In Code: a [9]. 七天。';
    assert.equal(await page.locator('.answer-text').innerText(), shown);
    assert.deepEqual(await page.evaluate('window.citations'), []);
    await answer.getByRole('button', { name: 'Copy' }).click();
    await answer.getByRole('button', { name: 'Copied' }).waitFor();
    const text = 'Five days [1] or six. In Code: `a [9]`. 七天。';
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), text);
    await page.reload();
    await page.locator('.answer-text', { hasText: 'Five days' }).waitFor();
    assert.equal(await page.locator('.answer-text').innerText(), shown);
    assert.deepEqual(problems, []);
  });

  test('can unfold the reasoning of the model if the link shows it, but not after a reload', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    model.behave({ does: 'reason', forMs: 10, pieces: ['Five days [1].'] });
    await page.goto((await newLink({ features: { reasoning: true } })).url);
    await ask(page, 'How long does a refund take?', 'Five days');
    const reasoning = page.getByText('hm hm hm');
    assert.equal(await reasoning.isVisible(), false);
    await page.getByText('Reasoning of the model').click();
    await reasoning.waitFor();
    assert.deepEqual(await accessibilityViolations(page), []);
    await page.reload();
    await page.getByRole('article').getByText('Five days').waitFor();
    assert.equal(await page.getByText('Reasoning of the model').count(), 0);
    assert.deepEqual(problems, []);
  });

  test('can open a source by its citation', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    model.behave({ does: 'answer', pieces: ['Five days [1', ']. Not cited [', '9].'] });
    await page.goto((await newLink()).url);
    await ask(page, 'How long does a refund take?', 'Not cited.');
    const citation = page.locator('p').getByRole('button', { name: 'Open source 1: Returns' });
    await citation.click();
    await page.getByRole('dialog', { name: 'Returns' }).getByText('within five days').waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await citation.evaluate((button) => button.matches(':focus')), true);
    assert.deepEqual(problems, []);
  });

  test('sees that a source could not be loaded because of the connection, and can try again', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    model.behave(REFUND);
    await page.goto((await newLink()).url);
    await ask(page, 'How long does a refund take?', 'five days');
    await page.route('**/passages?*', (request) => request.abort());
    await page.getByRole('button', { name: 'Open source 1' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('alert').getByText('No connection. Please try again.').waitFor();
    await page.unroute('**/passages?*');
    await dialog.getByRole('button', { name: 'Try again' }).press('Enter');
    await dialog.getByText('A refund reaches your account within five days.').waitFor();
    assert.equal(await page.evaluate('document.activeElement.getAttribute("aria-label")'), 'Close');
    assert.deepEqual(problems, []);
  });

  test('sees the titles of sources, and the file name when a source is open', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    model.behave({ does: 'answer', pieces: ['Five days [1].'] });
    await page.route('**/chat', async (route) => {
      const response = await route.fetch();
      const body = await response.text();
      const titled = body.replace('"title":"Returns"', '"title":"Our \\u202ereturns policy"');
      assert.notEqual(titled, body);
      await route.fulfill({ response, body: titled });
    });
    await page.goto((await newLink()).url);
    await ask(page, 'How long does a refund take?', 'Five days');
    const answer = page.getByRole('article').last();
    await answer
      .locator('p')
      .getByRole('button', { name: 'Open source 1: Our returns policy' })
      .waitFor();
    const source = answer.getByRole('list').getByRole('button', { name: /Our returns policy/ });
    assert.doesNotMatch(await source.innerText(), /\u202e|returns\.md/);
    await source.click();
    const dialog = page.getByRole('dialog', { name: 'Our returns policy' });
    await dialog.getByText('within five days').waitFor();
    assert.equal(await dialog.getByText('returns.md').count(), 1);
    assert.deepEqual(problems, []);
  });

  test('sees complete formulas as mathematics, incomplete ones as source text, and prices and code unchanged', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems, requests } = await visit(t, browser);
    const isRenderer = (url: string) => url.includes('/temml-');
    const held = Promise.withResolvers<void>();
    model.behave(REFUND);
    await page.goto((await newLink()).url);
    await ask(page, 'How long does a refund take?', 'five days');
    assert.ok(!requests.some(isRenderer));
    await page.getByRole('button', { name: 'New conversation' }).click();
    model.behave({
      does: 'answer',
      pieces: (async function* () {
        yield 'Use $a_1 * b_2 * c$, \\(x_1\\) and `$y_1$` for **$5** and *$10*.\n\n';
        yield '$$\n\\sum_{i=1}^n x_i * y_i * ';
        await held.promise;
        yield 'z\n- 1\n$$\n\nThe end [1].';
      })(),
    });
    await ask(page, 'How long does a refund take?');
    const formulas = page.locator('.answer-text .formula');
    await formulas.nth(2).waitFor();
    await formulas.locator('math').nth(1).waitFor();
    assert.deepEqual(await formulas.locator('msub').allTextContents(), ['a1', 'b2', 'x1']);
    const display = '$$\n\\sum_{i=1}^n x_i * y_i *';
    assert.equal((await formulas.nth(2).innerText()).trim(), display);
    held.resolve();
    await page.locator('.answer-text').getByText('The end').waitFor();
    await page.locator('p.formula munderover').waitFor();
    assert.equal(requests.filter(isRenderer).length, 1);
    assert.equal(await formulas.locator('math').count(), 3);
    assert.doesNotMatch((await formulas.allTextContents()).join(' '), /\\|_|\^/);
    const rest = page.locator('.answer-text');
    assert.equal(await rest.locator('code').innerText(), '$y_1$');
    assert.equal(await rest.locator('strong').innerText(), '$5');
    assert.equal(await rest.locator('em').innerText(), '$10');
    await rest.getByRole('button', { name: 'Open source 1: Returns' }).waitFor();
    assert.deepEqual(problems, []);
  });

  test('can open the page of a cited document in a new tab, which cannot access the chat', async (t) => {
    const { browser, model, newLink, client, session, space } = shop();
    const { page, problems } = await visit(t, browser);
    const metadata = { audience: 'customers' };
    await addDocument(client, session, space.id, {
      fileName: 'vouchers.txt',
      text: 'A voucher is valid for three years.',
      title: 'www.bank.example',
      url: 'https://shop.example/vouchers?from=assistant',
      metadata,
    });
    model.behave({ does: 'answer', pieces: ['Three years [1].'] });
    await page.goto((await newLink()).url);
    await ask(page, 'How long is a voucher valid?', 'Three years');
    await page
      .getByRole('button', { name: /www\.bank\.example/ })
      .first()
      .waitFor();
    const inList = page
      .locator('.sources')
      .getByRole('link', { name: 'shop.example', exact: true });
    assert.deepEqual(
      [await inList.getAttribute('href'), await inList.getAttribute('target')],
      ['https://shop.example/vouchers?from=assistant', '_blank'],
    );
    assert.match((await inList.getAttribute('rel')) ?? '', /noopener noreferrer/);
    await page.locator('.source').first().click();
    await page.getByRole('dialog').getByRole('link', { name: 'shop.example' }).waitFor();
    assert.deepEqual(problems, []);
  });

  test('can print the whole conversation, and long lines of code', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser, { colorScheme: 'dark' });
    const lines = Array.from({ length: 100 }, (_, at) => `Line ${at}.\n\n`);
    model.behave({ does: 'answer', pieces: [`\`\`\`\n${'code '.repeat(99)}\n\`\`\`\n`, ...lines] });
    await page.goto((await newLink()).url);
    await ask(page, 'How long does a refund take?', 'Line 99.');
    await page.emulateMedia({ media: 'print' });
    const clipped = `[...document.querySelectorAll('.log, pre')]
      .filter((box) => box.scrollHeight > box.clientHeight || box.scrollWidth > box.clientWidth)`;
    assert.deepEqual(await page.evaluate(clipped), []);
    assert.equal(await page.getByRole('button').count(), 0);
    const pages = (await page.pdf()).toString('latin1').match(/\/Type \/Page\b/g);
    assert.ok((pages?.length ?? 0) > 2, `${pages?.length} pages`);
    assert.deepEqual(problems, []);
  });

  test('can copy code', async (t) => {
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

  test('sees that the code is selected if the browser denies copying', async (t) => {
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

  test('can ask another question after an answer with pathological Markdown', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    const pieces = ['> ', '- ', '*a ', '[a](b ', '`', '|a', '![', 'a@b.', '<a '].flatMap(
      (piece) => [piece.repeat(2_000 / piece.length), '\n\n'],
    );
    model.behave({ does: 'answer', pieces: [...pieces, 'The end.'] });
    await page.goto((await newLink()).url);
    await ask(page, 'How long does a refund take?', 'The end.');
    model.behave({ does: 'answer', pieces: ['Still **here**.'] });
    await ask(page, 'And now?', 'Still here.');
    assert.deepEqual(problems, []);
  });
});

/** Records every change to the first five blocks of the answer. This function runs in the browser page. */
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

/** Records the brackets and numbers that appear as plain text (not as citation buttons) in the paragraphs of an answer. This function runs in the browser page. */
const recordCitations = `
  window.citations = [];
  new MutationObserver(() => {
    for (const paragraph of document.querySelectorAll('article.answer p')) {
      const copy = paragraph.cloneNode(true);
      for (const other of copy.querySelectorAll('button, code')) other.remove();
      if (/[\\[\\]【】\\d]/.test(copy.textContent)) window.citations.push(copy.textContent);
    }
  }).observe(document, { subtree: true, childList: true, characterData: true });
`;
