import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { skip, visit } from '../support/browser.ts';
import { ask, REFUND, shopOfThisFile } from '../support/widget.ts';

describe('a person who asks', { skip }, () => {
  const shop = shopOfThisFile();

  test('sees the answer come, opens its source, and finds the talk again after a reload', async (t) => {
    const { service, browser, model, newLink } = shop();
    const { page, problems, requests } = await visit(t, browser);
    const held = Promise.withResolvers<string>();
    model.behave({
      does: 'answer',
      pieces: (async function* () {
        yield 'Refunds take **five ';
        yield await held.promise;
      })(),
    });
    await page.goto((await newLink()).url);
    await ask(page, 'How long is a refund?');
    const answer = page.getByRole('article').last();
    await answer.getByText('Refunds take').waitFor();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    assert.equal(await answer.getAttribute('aria-busy'), 'true');
    held.resolve('days** [1].');
    await page.getByRole('button', { name: 'Send' }).waitFor();
    assert.equal(await answer.getAttribute('aria-busy'), 'false');
    assert.equal(await answer.locator('strong').textContent(), 'five days');

    const source = answer.getByRole('list').getByRole('button', { name: /returns\.md/ });
    await source.click();
    const dialog = page.getByRole('dialog', { name: 'returns.md' });
    await dialog.getByText('A refund reaches your account within five days.').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await source.evaluate((button) => button.matches(':focus')), true);

    await page.reload();
    await page.getByText('Welcome back').waitFor();
    await page.getByRole('article', { name: 'You' }).getByText('How long is a refund?').waitFor();
    await page.locator('article strong', { hasText: 'five days' }).waitFor();
    model.behave(REFUND);
    await ask(page, 'And a parcel?', 'five days');
    assert.equal(await page.getByRole('article').count(), 4);
    assert.match(String(model.requests.at(-1)?.text), /How long is a refund\?/);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      requests.filter((url) => !url.startsWith(service.url) && !url.startsWith('data:')),
      [],
    );
  });

  test('stops an answer, and has it given again', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    model.reset();
    model.behave({ does: 'stall', pieces: ['Refunds take'] });
    await page.goto((await newLink()).url);
    await ask(page, 'How long is a refund?');
    await page.getByRole('article').getByText('Refunds take').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('article').getByText('Stopped.').waitFor();
    assert.equal(await model.requests[0]?.ended, false);
    model.behave(REFUND);
    await page.getByRole('button', { name: 'Answer again' }).click();
    await page.getByRole('article').getByText('five days').waitFor();
    assert.equal(await page.getByRole('article').count(), 2);
    await page.reload();
    await page.getByRole('article').getByText('five days').waitFor();
    assert.equal(await page.getByRole('article').count(), 2);
    assert.deepEqual(problems, []);
  });

  test('learns what went wrong, and tries again', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    model.behave({ does: 'drop', pieces: ['Refunds ta'] });
    await page.goto((await newLink()).url);
    await ask(page, 'How long is a refund?');
    await page.getByRole('alert').getByText('The answer was cut off. Please try again.').waitFor();
    await page.getByRole('article').getByText('Refunds ta').waitFor();
    model.behave(REFUND);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('article').getByText('five days').waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    assert.deepEqual(problems, []);
  });

  test('stops what waits for a session', async (t) => {
    const { browser, newLink } = shop();
    const { page } = await visit(t, browser);
    await page.goto((await newLink()).url);
    await page.getByText('Hello!').waitFor();
    await page.route('**/chat', (request) => request.fulfill({ status: 401, json: {} }));
    await page.route('**/assistant-link/exchange', () => {});
    const renewing = page.waitForRequest('**/assistant-link/exchange');
    await ask(page, 'How long is a refund?');
    await renewing;
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('article').getByText('Stopped.').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
  });

  test('learns that too much is asked, and what cannot be helped by asking again', async (t) => {
    const { browser, newLink } = shop();
    const { page } = await visit(t, browser);
    const refusals = [
      [429, 'chat.too-many-turns', 'Please wait 7 seconds.', 1],
      [429, 'chat.link-busy', 'The assistant is busy at the moment.', 1],
      [503, 'http.overloaded', 'The assistant is busy at the moment.', 1],
      [500, 'http.internal', 'Something went wrong on our side. Please try again.', 1],
      [400, 'chat.invalid', 'Please tell whoever runs this service.', 0],
    ] as const;
    await page.goto((await newLink()).url);
    for (const [status, code, sentence, again] of refusals) {
      const headers = { 'retry-after': '7' };
      await page.route('**/chat', (route) => route.fulfill({ status, headers, json: { code } }));
      await ask(page, 'How long is a refund?');
      await page.getByRole('alert').last().getByText(sentence).waitFor();
      const tryAgain = page.getByRole('button', { name: 'Try again' });
      if (again === 1) await tryAgain.waitFor();
      assert.equal(await tryAgain.count(), again, code);
      await page.unroute('**/chat');
    }
  });

  test('says whether an answer helped, and why not', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    model.behave(REFUND);
    await page.goto((await newLink()).url);
    await ask(page, 'How long is a refund?', 'five days');
    await page.getByRole('button', { name: 'Not helpful' }).click();
    await page.getByRole('textbox', { name: /What could be better/ }).fill('Too short');
    await page.getByRole('button', { name: 'Send comment' }).click();
    await page.getByRole('status').getByText('Thank you.').waitFor();
    await page.reload();
    const pressed = page.getByRole('button', { name: 'Not helpful', pressed: true });
    await pressed.waitFor();
    assert.deepEqual(problems, []);
  });

  test('learns that it was not kept what they said of an answer', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    model.behave(REFUND);
    await page.goto((await newLink()).url);
    await ask(page, 'How long is a refund?', 'five days');
    await page.route('**/feedback', (request) => request.abort());
    await page.getByRole('button', { name: 'Helpful', exact: true }).click();
    await page.getByRole('alert').getByText('There is no connection.').waitFor();
    assert.equal(await page.getByRole('button', { pressed: true }).count(), 0);
    await page.unroute('**/feedback');
    await page.getByRole('button', { name: 'Helpful', exact: true }).click();
    await page.getByRole('status').getByText('Thank you.').waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    assert.deepEqual(problems, []);
  });

  test('is not stopped by pressing twice to send', async (t) => {
    const { browser, model, newLink } = shop();
    const { page } = await visit(t, browser);
    model.behave({ does: 'stall', pieces: ['Refunds take'] });
    await page.goto((await newLink()).url);
    await page.getByRole('textbox').fill('How long is a refund?');
    await page.getByRole('button', { name: 'Send' }).dblclick();
    await page.getByRole('article').getByText('Refunds take').waitFor();
    assert.equal(await page.getByText('Stopped.').count(), 0);
  });

  test('begins with a suggestion, and may type more than one line', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    model.reset();
    model.behave(REFUND);
    await page.goto((await newLink()).url);
    await page.getByRole('button', { name: 'Where is my parcel?' }).click();
    await page.getByRole('article').getByText('five days').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Where is my parcel?' }).count(), 0);
    const field = page.getByRole('textbox', { name: 'Your question' });
    await field.pressSequentially('One');
    await field.press('Shift+Enter');
    await field.pressSequentially('two');
    await field.press('Enter');
    await page.getByRole('article').nth(3).getByText('five days').waitFor();
    assert.match(model.requests.at(-1)?.messages.at(-1)?.content ?? '', /One\ntwo$/);
    await field.fill('x'.repeat(4001));
    await page.getByRole('alert').getByText('at most 4000 characters').waitFor();
    const asked = await page.getByRole('article').count();
    await field.press('Enter');
    assert.equal(await page.getByRole('article').count(), asked);
    assert.deepEqual(problems, []);
  });
});
