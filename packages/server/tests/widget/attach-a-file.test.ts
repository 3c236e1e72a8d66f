import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { shownPrompt } from '../support/assistant/shown-prompt.ts';
import { accessibilityViolations } from '../support/browser/accessibility.ts';
import { holdRequests, skip, visit } from '../support/browser/browser.ts';
import { openHost } from '../support/browser/host-page.ts';
import { ask, shopOfThisFile } from '../support/browser/widget.ts';
import { until } from '../support/until.ts';

const INVOICE = {
  name: 'invoice <b>.txt',
  mimeType: 'text/plain',
  buffer: Buffer.from('The invoice total is 40 quetzals.'),
};

/** Dispatches a drop or a paste of a file. */
function give(page: Page, type: 'drop' | 'paste', name: string, content: string): Promise<void> {
  return page.evaluate(`{
    const transfer = new DataTransfer();
    transfer.items.add(new File([${JSON.stringify(content)}], ${JSON.stringify(name)}));
    const init = { bubbles: true, cancelable: true };
    document.body.dispatchEvent(
      ${JSON.stringify(type)} === 'drop'
        ? new DragEvent('drop', { ...init, dataTransfer: transfer })
        : new ClipboardEvent('paste', { ...init, clipboardData: transfer }),
    );
  }`);
}

describe('an attachment in the widget', { skip }, () => {
  const shop = shopOfThisFile();

  test('is uploaded, sent with the question, cited, and shown again after a reload', async (t) => {
    const { browser, model, newLink } = shop();
    model.behave((request) => {
      const { passages } = shownPrompt(request);
      const found = passages.find(({ text }) => text.includes('quetzals'));
      return { does: 'answer', pieces: [`It is 40 quetzals [${found?.number}].`] };
    });
    const { page, problems } = await visit(t, browser);
    await page.goto((await newLink({ sub: 'ada' })).url);
    await page.getByRole('button', { name: 'Attach files' }).waitFor();
    await page.locator('input[type=file]').setInputFiles(INVOICE);
    const files = page.getByRole('list', { name: 'Attached files' });
    await files.getByText('Ready').waitFor();
    assert.deepEqual(await accessibilityViolations(page), []);
    await page.getByRole('textbox').fill('What is the total?');
    await page.keyboard.press('Enter');
    const answer = page.getByRole('article', { name: 'Shop assistant' });
    await answer.getByText('It is 40 quetzals').waitFor();
    assert.equal(await files.count(), 0);
    const question = page.getByRole('article', { name: 'You' });
    assert.match(await question.innerText(), /What is the total\?\s.*invoice <b>\.txt/s);
    await page
      .getByRole('button', { name: /invoice <b>\.txt/ })
      .last()
      .click();
    await page.getByRole('dialog').getByText('The invoice total is 40 quetzals.').waitFor();
    await page.keyboard.press('Escape');
    await page.reload();
    await question.getByText('invoice <b>.txt').waitFor();
    assert.deepEqual(problems, []);
  });

  test('does not hide its question while it is uploaded, and stays attached if the person stops the question', async (t) => {
    const { browser, model, newLink } = shop();
    model.reset();
    const { page, problems } = await visit(t, browser);
    const held = await holdRequests(page, '**/attachments');
    await page.goto((await newLink({ sub: 'mary' })).url);
    await page.getByRole('button', { name: 'Attach files' }).waitFor();
    await page.locator('input[type=file]').setInputFiles(INVOICE);
    const files = page.getByRole('list', { name: 'Attached files' });
    await ask(page, 'What is the total?');
    await page.getByRole('article', { name: 'You' }).getByText('What is the total?').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('article').last().getByText('Stopped.').waitFor();
    assert.equal(await files.getByText('Uploading…').count(), 1);
    await ask(page, 'And in euros?');
    await page.getByRole('article', { name: 'You' }).getByText('And in euros?').waitFor();
    assert.deepEqual(model.requests, []);
    held.resolve();
    await page.getByRole('article').last().getByText('Yes.').waitFor();
    assert.equal(await files.count(), 0);
    await page.getByRole('article', { name: 'You' }).last().getByText('invoice <b>.txt').waitFor();
    assert.deepEqual(problems, []);
  });

  test('that fails returns its question to the text field, and is uploaded again with the question', async (t) => {
    const { browser, model, newLink } = shop();
    model.reset();
    const { page } = await visit(t, browser);
    const held = await holdRequests(page, '**/attachments', 'abort');
    await page.goto((await newLink({ sub: 'eve' })).url);
    await page.getByRole('button', { name: 'Attach files' }).waitFor();
    await page.locator('input[type=file]').setInputFiles(INVOICE);
    const files = page.getByRole('list', { name: 'Attached files' });
    await ask(page, 'What is the total?');
    const question = page.getByRole('article', { name: 'You' });
    await question.getByText('What is the total?').waitFor();
    const field = page.getByRole('textbox');
    await field.fill('In euros');
    held.resolve();
    await files.getByRole('alert').getByText('The upload failed.').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    assert.equal(await page.getByRole('article').count(), 0);
    assert.equal(await field.inputValue(), 'What is the total?\nIn euros');
    assert.deepEqual(model.requests, []);

    await page.unroute('**/attachments');
    await field.press('Enter');
    await page.getByRole('article').last().getByText('Yes.').waitFor();
    assert.equal(await files.count(), 0);
    await question.getByText('invoice <b>.txt').waitFor();
    assert.equal(await field.inputValue(), '');
  });

  test('that cannot be read keeps its question in the text field until it is removed', async (t) => {
    const { browser, model, newLink } = shop();
    model.reset();
    const { page } = await visit(t, browser);
    await page.goto((await newLink({ sub: 'dan' })).url);
    await page.getByRole('button', { name: 'Attach files' }).waitFor();
    await give(page, 'drop', 'a.exe', 'MZ');
    await give(page, 'drop', INVOICE.name, INVOICE.buffer.toString());
    const files = page.getByRole('list', { name: 'Attached files' });
    await files.getByText('Ready').waitFor();
    const problem = files.getByRole('alert').getByText('This type of file is not supported.');
    await problem.waitFor();
    const again = page.waitForResponse('**/attachments');
    await ask(page, 'What is the total?');
    await again;
    await problem.waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    const field = page.getByRole('textbox');
    assert.equal(await field.inputValue(), 'What is the total?');
    assert.equal(await files.getByRole('listitem').count(), 2);
    assert.deepEqual(model.requests, []);
    const unsent = page.getByRole('alert').getByText('Your question was not sent');
    await unsent.getByText('Remove this file').waitFor();
    assert.deepEqual(await accessibilityViolations(page), []);

    await page.getByRole('button', { name: 'Remove “a.exe”' }).click();
    assert.equal(await unsent.count(), 0);
    await field.press('Enter');
    await page.getByRole('article').last().getByText('Yes.').waitFor();
    const question = page.getByRole('article', { name: 'You' });
    await question.getByText('invoice <b>.txt').waitFor();
    assert.equal(await question.count(), 1);
    assert.equal(await files.count(), 0);
  });

  test('is sent with its question if the person stops the question and then edits it', async (t) => {
    const { browser, model, newLink } = shop();
    model.reset();
    const { page } = await visit(t, browser);
    const held = await holdRequests(page, '**/attachments');
    await page.goto((await newLink({ sub: 'ann' })).url);
    await page.getByRole('button', { name: 'Attach files' }).waitFor();
    await page.locator('input[type=file]').setInputFiles(INVOICE);
    await ask(page, 'What is the total?');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('article').last().getByText('Stopped.').waitFor();
    held.resolve();
    const files = page.getByRole('list', { name: 'Attached files' });
    await files.getByText('Ready').waitFor();
    await page.getByRole('button', { name: 'Edit question' }).click();
    await page.getByRole('textbox', { name: 'Edit question' }).fill('What is the total in euros?');
    await page.keyboard.press('Enter');
    await page.getByRole('article').last().getByText('Yes.').waitFor();
    await page.getByRole('article', { name: 'You' }).getByText('invoice <b>.txt').waitFor();
    assert.equal(await files.count(), 0);
    assert.equal(await page.getByRole('textbox').inputValue(), '');
  });

  test('is kept for the next question if an answer from before the button was loaded is regenerated', async (t) => {
    const { browser, model, newLink } = shop();
    model.reset();
    const { page } = await visit(t, browser);
    const held = await holdRequests(page, '**/attach*.js');
    await page.goto((await newLink({ sub: 'lovelace' })).url);
    await ask(page, 'How long does a refund take?', 'Yes.');
    held.resolve();
    await page.getByRole('button', { name: 'Attach files' }).waitFor();
    await page.locator('input[type=file]').setInputFiles(INVOICE);
    const files = page.getByRole('list', { name: 'Attached files' });
    await files.getByText('Ready').waitFor();
    const asked = model.requests.length;
    await page.getByRole('button', { name: 'Regenerate answer' }).click();
    await until('the answer is regenerated', () => model.requests.length > asked);
    await page.getByRole('button', { name: 'Regenerate answer' }).waitFor();
    assert.equal(await files.getByRole('listitem').count(), 1);
    assert.equal(await page.getByRole('article', { name: 'You' }).getByText('invoice').count(), 0);
  });

  test('runs no code, loads no resources and cannot reorder text, whatever its name and content are', async (t) => {
    const { service, browser, model, newLink } = shop();
    await using thief = await openHost();
    const hostile = `<img src="${thief.origin}/a.png" onerror="window.hacked=1"><script>window.hacked=1</script>`;
    const escaped = hostile.replaceAll('<', '&lt;');
    model.behave((request) => {
      const { passages } = shownPrompt(request);
      const found = passages.find(({ text }) => text.includes('quetzals'));
      return { does: 'answer', pieces: [`It says ${found?.text} [${found?.number}]. The end.`] };
    });
    const { page, problems, requests } = await visit(t, browser);
    await page.goto((await newLink()).url);
    await page.locator('input[type=file]').setInputFiles({
      name: 'invoice <img src=x onerror=window.hacked=1>.html',
      mimeType: 'text/html',
      buffer: Buffer.from(
        `<title>\u2066${escaped}</title>${hostile}<h1>${escaped}</h1><p>40 quet\u202ezals, quetzals ${escaped}</p>`,
      ),
    });
    await page.getByRole('list', { name: 'Attached files' }).getByText('Ready').waitFor();
    await page.getByRole('textbox').fill('How many quetzals?');
    await page.keyboard.press('Enter');
    await page.getByRole('article').getByText('The end.').waitFor();
    await page.locator('.source').first().click();
    await page.getByRole('dialog').getByText('quetzals <img src=').waitFor();
    assert.doesNotMatch(await page.locator('html').innerHTML(), /[\u202e\u2066]/);
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByRole('article').getByText('The end.').waitFor();
    assert.doesNotMatch(await page.locator('html').innerHTML(), /[\u202e\u2066]/);
    assert.equal(await page.evaluate('window.hacked'), undefined);
    assert.equal(
      await page.locator('article :is(img, script), dialog :is(img, script)').count(),
      0,
    );
    const isForeign = (url: string) => !url.startsWith(`${service.url}/`) && url !== 'data:,';
    assert.deepEqual(requests.filter(isForeign), []);
    assert.deepEqual(problems, []);
  });

  test('can be dropped, pasted and removed, and a problem is shown in the language of the page', async (t) => {
    const { browser, newLink } = shop();
    const { page } = await visit(t, browser, { locale: 'de-DE' });
    await page.goto((await newLink({ sub: 'bob' })).url);
    await page.getByRole('button', { name: 'Dateien anhängen' }).waitFor();
    await give(page, 'drop', 'a.exe', 'MZ');
    await page.getByRole('alert').getByText('Dieser Dateityp wird nicht unterstützt.').waitFor();
    await give(page, 'paste', 'b.txt', 'Text');
    await page.getByText('Bereit').waitFor();
    assert.deepEqual(await accessibilityViolations(page), []);
    const removed = page.waitForRequest((request) => request.method() === 'DELETE');
    for (const name of ['„a.exe“ entfernen', '„b.txt“ entfernen'])
      await page.getByRole('button', { name }).click();
    await removed;
    assert.equal(await page.getByRole('list', { name: 'Angehängte Dateien' }).count(), 0);
    const focused = await page.evaluate('document.activeElement?.getAttribute("aria-label")');
    assert.equal(focused, 'Dateien anhängen');
  });

  test('is not offered if the link does not permit it', async (t) => {
    const { browser, newLink } = shop();
    const { page } = await visit(t, browser);
    await page.goto((await newLink({ features: { attachments: false } })).url);
    await page.getByRole('textbox').waitFor();
    await page.waitForLoadState('networkidle');
    assert.equal(await page.getByRole('button', { name: 'Attach files' }).count(), 0);
  });
});
