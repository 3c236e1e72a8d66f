import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { accessibilityViolations } from '../support/browser/accessibility.ts';
import { skip, visit } from '../support/browser/browser.ts';
import { ask, shopOfThisFile } from '../support/browser/widget.ts';
import { startReceiver } from '../support/events/receiver.ts';
import { until } from '../support/until.ts';

const QUESTION = 'The assistant wants to do this for you. Do you allow it?';

const backend = await startReceiver();
after(() => backend[Symbol.asyncDispose]());

describe('a tool call in the widget', { skip }, () => {
  const shop = shopOfThisFile();
  let isMade = false;

  async function makeTool(): Promise<void> {
    if (isMade) return;
    const { client, session, space } = shop();
    const inputSchema = { type: 'object', properties: { order: { type: 'string' } } };
    const tool = { name: 'cancel_order', title: 'Cancel <b>order</b>', description: 'Cancels.' };
    const body = { ...tool, url: backend.url, inputSchema };
    const { status, text } = await client(`/bots/${space.botId}/tools`, { as: session, body });
    assert.equal(status, 201, text);
    isMade = true;
  }

  for (const decision of ['Allow', 'Do not allow'] as const)
    test(`is shown with its arguments, and sent only if the person allows it: ${decision}`, async (t) => {
      const { browser, model, newLink } = shop();
      await makeTool();
      backend.received.length = 0;
      backend.behave(() => ({ status: 200, body: '<img src=x onerror=window.hacked=1>' }));
      const order = '<img src=x onerror=window.hacked=1>\u202e1001';
      model.callOnce({ name: 'cancel_order', input: { order } });
      const { page, problems } = await visit(t, browser);
      await page.goto((await newLink()).url);
      await page.getByRole('textbox').fill('Cancel my order');
      await page.keyboard.press('Enter');
      await page.getByText(QUESTION).waitFor();
      const shown = page.getByRole('region', { name: 'Action of the assistant' });
      const text = await shown.innerText();
      assert.ok(text.includes('Cancel <b>order</b>'), text);
      assert.ok(text.includes('<img src=x onerror=window.hacked=1>\\u{202e}1001'), text);
      assert.deepEqual(await accessibilityViolations(page), []);
      assert.equal(backend.received.length, 0);
      await page.getByRole('button', { name: decision, exact: true }).click();
      await page.getByRole('article').getByText('The end.').waitFor();
      const isAllowed = decision === 'Allow';
      await shown.getByText(isAllowed ? 'Done' : 'Not allowed').waitFor();
      assert.equal(await shown.getByRole('button').count(), 0);
      assert.equal(backend.received.length, isAllowed ? 1 : 0);
      assert.equal(await page.evaluate('window.hacked'), undefined);
      assert.deepEqual(problems, []);
    });

  test('is asked in the language of the person, even if the translation arrives after the question', async (t) => {
    const { browser, model, newLink } = shop();
    await makeTool();
    model.behave({ does: 'call', calls: [{ name: 'cancel_order', input: { order: '1001' } }] });
    const { page } = await visit(t, browser, { locale: 'de-DE' });
    const translation = Promise.withResolvers<void>();
    await page.route(/\/assets\/de-/, async (request) => {
      await translation.promise;
      await request.continue();
    });
    await page.goto((await newLink()).url);
    await ask(page, 'Cancel my order');
    await page.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    translation.resolve();
    await page.getByRole('button', { name: 'Erlauben', exact: true }).waitFor();
  });

  test('is denied and not sent if the person stops the answer', async (t) => {
    const { browser, model, newLink } = shop();
    await makeTool();
    backend.received.length = 0;
    model.behave({ does: 'call', calls: [{ name: 'cancel_order', input: { order: '1001' } }] });
    const { page } = await visit(t, browser, { locale: 'de-DE' });
    await page.goto((await newLink()).url);
    await page.getByRole('textbox').fill('Storniere');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Erlauben', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Diese Aktion wurde nicht abgeschlossen.').waitFor();
    await until('no call arrives', () => backend.received.length === 0);
  });
});
