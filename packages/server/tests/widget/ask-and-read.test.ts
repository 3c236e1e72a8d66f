import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { strict } from '../support/assistant/fake-model.ts';
import { shownPrompt } from '../support/assistant/shown-prompt.ts';
import { accessibilityViolations } from '../support/browser/accessibility.ts';
import { skip, visit } from '../support/browser/browser.ts';
import { ask, REFUND, shopOfThisFile } from '../support/browser/widget.ts';
import { addDocument } from '../support/knowledge/knowledge.ts';

describe('a user who asks a question', { skip }, () => {
  const shop = shopOfThisFile();

  test('sees the answer stream, opens its source, and finds the conversation after a reload', async (t) => {
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
    await ask(page, 'How long does a refund take?');
    const answer = page.getByRole('article').last();
    await answer.getByText('Refunds take').waitFor();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    assert.equal(await answer.getAttribute('aria-busy'), 'true');
    held.resolve('days** [1].');
    await page.getByRole('button', { name: 'Send' }).waitFor();
    assert.equal(await answer.getAttribute('aria-busy'), 'false');
    assert.equal(await answer.locator('strong').textContent(), 'five days');

    const source = answer.getByRole('list').getByRole('button', { name: /Returns/ });
    await source.click();
    const dialog = page.getByRole('dialog', { name: 'Returns' });
    await dialog.getByText('A refund reaches your account within five days.').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await source.evaluate((button) => button.matches(':focus')), true);

    await page.reload();
    await page.getByText('Welcome back').waitFor();
    await page
      .getByRole('article', { name: 'You' })
      .getByText('How long does a refund take?')
      .waitFor();
    await page.locator('article strong', { hasText: 'five days' }).waitFor();
    model.behave(REFUND);
    await ask(page, 'And a parcel?', 'five days');
    assert.equal(await page.getByRole('article').count(), 4);
    assert.match(String(model.requests.at(-1)?.text), /How long does a refund take\?/);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      requests.filter((url) => !url.startsWith(service.url) && !url.startsWith('data:')),
      [],
    );
  });

  test('can edit an earlier question with the keyboard, also after a reload, which removes the later messages', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    model.behave((request) => ({
      does: 'answer',
      pieces: [`To ${shownPrompt(request).question}`],
    }));
    await page.goto((await newLink({ sub: 'hopper' })).url);
    await ask(page, 'First', 'To First');
    await ask(page, 'Second', 'To Second');
    const edit = page.getByRole('button', { name: 'Edit question' });
    const field = page.getByRole('textbox', { name: 'Edit question' });
    await edit.nth(1).press('Enter');
    await field.press('Escape');
    assert.equal(await field.count(), 0);
    assert.ok(
      await edit.nth(1).evaluate((button) => button === button.ownerDocument.activeElement),
    );
    await edit.nth(1).press('Enter');
    await page.keyboard.type('Changed');
    await page.keyboard.press('Enter');
    await page.getByRole('article').getByText('To Changed').waitFor();
    assert.equal(await page.getByRole('article').getByText('Second').count(), 0);
    await page.reload();
    await page.getByRole('article').getByText('To Changed').waitFor();
    assert.equal(await page.getByRole('article').getByText('Second').count(), 0);
    await edit.first().click();
    await field.fill('  ');
    await field.press('Enter');
    await field.fill('New');
    await field.press('Enter');
    await page.getByRole('article').getByText('To New').waitFor();
    assert.equal(await page.getByRole('article').count(), 2);
    await page.reload();
    await page.getByRole('article').getByText('To New').waitFor();
    assert.equal(await page.getByRole('article').count(), 2);
    assert.deepEqual(problems, []);
  });

  test('can stop an answer and regenerate the answer', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    model.reset();
    model.behave({ does: 'stall', pieces: ['Refunds take'] });
    await page.goto((await newLink()).url);
    await ask(page, 'How long does a refund take?');
    await page.getByRole('article').getByText('Refunds take').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('article').getByText('Stopped.').waitFor();
    assert.equal(await model.requests[0]?.ended, false);
    model.behave(REFUND);
    await page.getByRole('button', { name: 'Regenerate answer' }).click();
    await page.getByRole('article').getByText('five days').waitFor();
    assert.equal(await page.getByRole('article').count(), 2);
    await page.reload();
    await page.getByRole('article').getByText('five days').waitFor();
    assert.equal(await page.getByRole('article').count(), 2);
    assert.deepEqual(problems, []);
  });

  test('sees after eight seconds that a slow answer is still in progress, can stop the answer and ask again', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    model.reset();
    model.behave(strict({ does: 'stall', pieces: [] }));
    await page.clock.install();
    await page.goto((await newLink()).url);
    await ask(page, 'How long does a refund take?');
    const answer = page.getByRole('article').last();
    await answer.locator('.dots').waitFor();
    while (model.requests.length === 0) await page.waitForTimeout(10);
    const slow = answer.getByText('Still working…');
    await page.clock.pauseAt(Date.now() + 5_000);
    assert.equal(await slow.count(), 0);
    await page.clock.resume();
    await page.clock.fastForward(8_000);
    await slow.waitFor();
    const log = page.getByRole('log').getByText('Still working…');
    assert.equal(await log.count(), 1);
    assert.deepEqual(await accessibilityViolations(page), []);
    await answer.getByRole('button', { name: 'Stop' }).click();
    await answer.getByText('Stopped.').waitFor();
    assert.equal(await slow.count(), 0);
    assert.equal(await model.requests[0]?.ended, false);
    const field = page.getByRole('textbox', { name: 'Your question' });
    assert.equal(await field.evaluate((element) => element.matches(':focus')), true);

    model.behave(strict(REFUND));
    await ask(page, 'And a parcel?', 'five days');
    assert.equal(await page.getByRole('alert').count(), 0);
    assert.deepEqual(problems, []);
  });

  test('sees that an answer is still in progress when the answer pauses, until more text arrives', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    const more = [Promise.withResolvers<string>(), Promise.withResolvers<string>()] as const;
    model.behave({
      does: 'answer',
      pieces: (async function* () {
        yield 'Refunds take ';
        yield await more[0].promise;
        yield await more[1].promise;
      })(),
    });
    await page.clock.install();
    await page.goto((await newLink()).url);
    await ask(page, 'How long does a refund take?');
    const answer = page.getByRole('article').last();
    const slow = answer.getByText('Still working…');
    await answer.getByText('Refunds take').waitFor();
    await page.clock.fastForward(8_000);
    await slow.waitFor();
    await answer.getByRole('button', { name: 'Stop' }).focus();
    more[0].resolve('five ');
    await slow.waitFor({ state: 'detached' });
    const field = page.getByRole('textbox', { name: 'Your question' });
    assert.equal(await field.evaluate((element) => element.matches(':focus')), true);
    await page.clock.fastForward(8_000);
    await slow.waitFor();
    more[1].resolve('days.');
    await page.getByRole('button', { name: 'Send' }).waitFor();
    assert.equal(await slow.count(), 0);
    // Screen readers announce the delay once per answer.
    assert.equal(await page.getByRole('log').getByText('Still working…').count(), 1);
    assert.deepEqual(problems, []);
  });

  test('sees why an answer failed and can try again', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    model.behave({ does: 'drop', pieces: ['Refunds ta'] });
    await page.goto((await newLink()).url);
    await ask(page, 'How long does a refund take?');
    await page.getByRole('alert').getByText('The answer was cut off. Please try again.').waitFor();
    await page.getByRole('article').getByText('Refunds ta').waitFor();
    model.behave(REFUND);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('article').getByText('five days').waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    assert.deepEqual(problems, []);
  });

  test('can stop a question that is waiting for a widget session', async (t) => {
    const { browser, newLink } = shop();
    const { page } = await visit(t, browser);
    await page.goto((await newLink()).url);
    await page.getByText('Hello!').waitFor();
    await page.route('**/chat', (request) => request.fulfill({ status: 401, json: {} }));
    await page.route('**/assistant-link/exchange', () => {});
    const renewing = page.waitForRequest('**/assistant-link/exchange');
    await ask(page, 'How long does a refund take?');
    await renewing;
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('article').getByText('Stopped.').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
  });

  test('sees why a question was rejected and can retry only if the retry might succeed', async (t) => {
    const { browser, newLink } = shop();
    const { page } = await visit(t, browser);
    const refusals = [
      [429, 'chat.too-many-turns', 'Please wait 7 seconds.', 1],
      [429, 'chat.link-busy', 'The assistant is busy right now.', 1],
      [503, 'http.overloaded', 'The assistant is busy right now.', 1],
      [500, 'http.internal', 'Something went wrong. Please try again.', 1],
      [400, 'chat.invalid', 'Please contact the administrator.', 0],
    ] as const;
    await page.goto((await newLink()).url);
    for (const [status, code, sentence, again] of refusals) {
      const headers = { 'retry-after': '7' };
      await page.route('**/chat', (route) => route.fulfill({ status, headers, json: { code } }));
      await ask(page, 'How long does a refund take?');
      await page.getByRole('alert').last().getByText(sentence).waitFor();
      const tryAgain = page.getByRole('button', { name: 'Try again' });
      if (again === 1) await tryAgain.waitFor();
      assert.equal(await tryAgain.count(), again, code);
      await page.unroute('**/chat');
    }
  });

  test('can rate an answer and leave a comment', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    model.behave(REFUND);
    await page.goto((await newLink()).url);
    await ask(page, 'How long does a refund take?', 'five days');
    await page.getByRole('button', { name: 'Not helpful' }).click();
    await page.getByRole('textbox', { name: /What could be better/ }).fill('Too short');
    await page.getByRole('button', { name: 'Send comment' }).click();
    await page.getByRole('status').getByText('Thanks for your feedback.').waitFor();
    await page.reload();
    const pressed = page.getByRole('button', { name: 'Not helpful', pressed: true });
    await pressed.waitFor();
    assert.deepEqual(problems, []);
  });

  test('sees that a rating could not be saved', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    model.behave(REFUND);
    await page.goto((await newLink()).url);
    await ask(page, 'How long does a refund take?', 'five days');
    await page.route('**/feedback', (request) => request.abort());
    await page.getByRole('button', { name: 'Helpful', exact: true }).click();
    await page.getByRole('alert').getByText('No connection.').waitFor();
    assert.equal(await page.getByRole('button', { pressed: true }).count(), 0);
    await page.unroute('**/feedback');
    await page.getByRole('button', { name: 'Helpful', exact: true }).click();
    await page.getByRole('status').getByText('Thanks for your feedback.').waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    assert.deepEqual(problems, []);
  });

  test('can double-click Send without stopping the answer', async (t) => {
    const { browser, model, newLink } = shop();
    const { page } = await visit(t, browser);
    model.behave({ does: 'stall', pieces: ['Refunds take'] });
    await page.goto((await newLink()).url);
    await page.getByRole('textbox').fill('How long does a refund take?');
    await page.getByRole('button', { name: 'Send' }).dblclick();
    await page.getByRole('article').getByText('Refunds take').waitFor();
    assert.equal(await page.getByText('Stopped.').count(), 0);
  });

  test('can start with a suggested question and type a question with several lines', async (t) => {
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
    await page.getByText('4,001 / 4,000').waitFor();
    await page.getByRole('alert').getByText('The limit is 4,000 characters').waitFor();
    const asked = await page.getByRole('article').count();
    await field.press('Enter');
    assert.equal(await page.getByRole('article').count(), asked);
    assert.deepEqual(problems, []);
  });

  test('can ask a suggested further question, and sees no suggestion from a hidden document', async (t) => {
    const { browser, model, newLink, client, session, space } = shop();
    const headings = {
      'Zebra food': 'customers',
      'Zebra stripes': 'customers',
      'Zebra prices': 'staff',
    };
    for (const [heading, audience] of Object.entries(headings))
      await addDocument(client, session, space.id, {
        fileName: `${heading}.md`,
        markdown: `# ${heading}\n\nEverything that a visitor may ask about our animals.`,
        metadata: { audience: [audience] },
      });
    model.reset();
    model.behave({ does: 'answer', pieces: ['Zebras eat grass [1].'] });
    const { page, problems } = await visit(t, browser);
    await page.goto((await newLink()).url);
    await ask(page, 'What may a visitor ask about animals?', 'eat grass');
    const further = page.getByRole('region', { name: 'Suggested questions' });
    const suggestion = further.getByRole('button', { name: 'Zebra' });
    // The answer cites one of the two visible documents.
    const text = String(await suggestion.textContent());
    assert.match(text, /^Zebra (food|stripes)$/);
    assert.deepEqual(await accessibilityViolations(page), []);
    await suggestion.click();
    const second = page.getByRole('article').nth(3);
    await second.filter({ hasText: 'eat grass' }).waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    await page.getByRole('article', { name: 'You' }).getByText(text, { exact: true }).waitFor();
    const [, request] = model.requests;
    assert.ok(request);
    assert.equal(shownPrompt(request).question, text);
    assert.equal(await page.getByRole('article').nth(1).locator(further).count(), 0);
    assert.equal(await page.getByText('Zebra prices').count(), 0);
    assert.deepEqual(problems, []);
  });

  test('asks with the time zone and the language of the browser', async (t) => {
    const { browser, model, newLink } = shop();
    model.reset();
    model.behave(REFUND);
    const { page } = await visit(t, browser, { timezoneId: 'Asia/Tokyo', locale: 'de-AT' });
    await page.goto((await newLink()).url);
    const field = page.getByRole('textbox');
    await field.fill('refund?');
    await field.press('Enter');
    await page.getByRole('article').filter({ hasText: 'five days' }).waitFor();
    const [request] = model.requests;
    assert.ok(request);
    const { time } = JSON.parse(shownPrompt(request).facts ?? '{}');
    const { timeZone, localTime } = time;
    assert.equal(timeZone, 'Asia/Tokyo');
    assert.match(localTime, /^\w+day,? \d+ \w+ \d{4} at \d\d:\d\d$/);
  });
});
