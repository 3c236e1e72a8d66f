import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { Chat, exchange } from '../support/assistant/chat.ts';
import { shownPrompt } from '../support/assistant/shown-prompt.ts';
import { skip, visit } from '../support/browser/browser.ts';
import { ask, REFUND, shopOfThisFile } from '../support/browser/widget.ts';
import { addDocument } from '../support/knowledge/knowledge.ts';
import { allStored } from '../support/storage/stored.ts';
import { until } from '../support/until.ts';

describe('a user who returns', { skip }, () => {
  const shop = shopOfThisFile();

  test('can continue an earlier conversation, even with another link, and can delete a conversation', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    model.behave(REFUND);
    await page.goto((await newLink({ sub: 'grace' })).url);
    await ask(page, 'How long does a refund take?', 'five days');
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.getByRole('button', { name: 'Where is my parcel?' }).waitFor();
    await ask(page, 'What about labels?', 'five days');

    await page.goto((await newLink({ sub: 'grace' })).url);
    await page.getByText('Welcome back').waitFor();
    await page.getByRole('article', { name: 'You' }).getByText('What about labels?').waitFor();
    await page.getByRole('button', { name: 'Earlier conversations' }).click();
    const dialog = page.getByRole('dialog', { name: 'Earlier conversations' });
    const entries = dialog.getByRole('listitem');
    await entries.nth(1).waitFor();
    assert.equal(await entries.count(), 2);
    await entries.nth(1).getByRole('button').first().click();
    await page
      .getByRole('article', { name: 'You' })
      .getByText('How long does a refund take?')
      .waitFor();
    assert.equal(await page.getByText('What about labels?').count(), 0);

    await page.getByRole('button', { name: 'Earlier conversations' }).click();
    await dialog.getByRole('button', { name: 'Delete “How long does a refund take?”' }).click();
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await entries.nth(1).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    assert.equal(await page.getByRole('article').count(), 0);
    await page.reload();
    await page.getByRole('article', { name: 'You' }).getByText('What about labels?').waitFor();
    assert.deepEqual(problems, []);
  });

  test('does not see the greeting for new users while the earlier conversation loads', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    model.behave(REFUND);
    await page.goto((await newLink({ sub: 'franklin' })).url);
    await page.getByText('Hello!').waitFor();
    await ask(page, 'How long does a refund take?', 'five days');
    const held = Promise.withResolvers<void>();
    await page.route('**/chat/conversations/*', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.reload();
    await page.getByText('Loading…').waitFor();
    assert.equal(await page.getByText('Hello!').count(), 0);
    held.resolve();
    await page.getByText('Welcome back').waitFor();
    assert.deepEqual(problems, []);
  });

  test('sees each message once after opening a conversation again while it loads', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    model.behave(REFUND);
    await page.goto((await newLink({ sub: 'johnson' })).url);
    await ask(page, 'How long does a refund take?', 'five days');
    await page.getByRole('button', { name: 'New conversation' }).click();
    await ask(page, 'What about labels?', 'five days');
    await page.getByRole('button', { name: 'New conversation' }).click();
    const held = Promise.withResolvers<void>();
    let loads = 0;
    await page.route('**/chat/conversations/*', async (route) => {
      loads++;
      await held.promise;
      await route.continue();
    });
    for (const question of ['labels', 'refund', 'labels']) {
      await page.getByRole('button', { name: 'Earlier conversations' }).click();
      const entry = page.getByRole('listitem').filter({ hasText: question });
      await entry.getByRole('button').first().click();
      await page.getByText('Loading…').waitFor();
    }
    await until('all requests are waiting', () => loads === 3);
    const loaded = page.waitForResponse(async (response) => {
      if (/\/chat\/conversations\/[^/]+$/.test(response.url())) loads--;
      return loads === 0;
    });
    held.resolve();
    await (await loaded).finished();
    await page.getByText('What about labels?').first().waitFor();
    await ask(page, 'Thank you.', 'five days');
    assert.equal(await page.getByText('What about labels?').count(), 1);
    assert.equal(await page.getByText('How long does a refund take?').count(), 0);
    assert.deepEqual(problems, []);
  });

  test('sees a question and its answer once if the question is asked while the earlier conversation loads', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    model.reset();
    model.behave(REFUND);
    await page.goto((await newLink({ sub: 'vaughan' })).url);
    await ask(page, 'How long does a refund take?', 'five days');
    const held = Promise.withResolvers<void>();
    await page.route('**/chat/conversations/*', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.reload();
    await page.getByText('Loading…').waitFor();
    await ask(page, 'What about labels?');
    const questions = page.getByRole('article', { name: 'You' });
    await questions.getByText('What about labels?').waitFor();
    // Enough time to answer the question, if it does not wait for the messages.
    await page.waitForTimeout(500);
    held.resolve();
    await page.getByText('Welcome back').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    assert.deepEqual(await questions.allInnerTexts(), [
      'How long does a refund take?',
      'What about labels?',
    ]);
    assert.equal(await page.getByRole('article', { name: 'Shop assistant' }).count(), 2);
    assert.equal(model.requests.length, 2);
    assert.deepEqual(problems, []);
  });

  test('sees the same answer continue after a reload, and can stop it', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    model.reset();
    model.behave({
      does: 'answer',
      pieces: (async function* () {
        yield 'Refunds take ';
        await first.promise;
        yield '**five** ';
        await second.promise;
        yield 'days.';
      })(),
    });
    await page.goto((await newLink({ sub: 'hamilton' })).url);
    await ask(page, 'How long does a refund take?');
    const answer = page.getByRole('article').last();
    await answer.getByText('Refunds take').waitFor();
    await page.reload();
    await answer.getByText('Refunds take').waitFor();
    first.resolve();
    await answer.getByText('five').waitFor();
    second.resolve();
    await answer.getByText('Refunds take five days.').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    assert.equal(await page.getByRole('article').count(), 2);
    assert.equal(model.requests.length, 1);

    model.behave({ does: 'stall', pieces: ['Parcels take'] });
    await ask(page, 'And a parcel?');
    await answer.getByText('Parcels take').waitFor();
    await page.reload();
    await answer.getByText('Parcels take').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await answer.getByText('Stopped.').waitFor();
    assert.equal(await model.requests[1]?.ended, false);
    assert.deepEqual(problems, []);
  });

  test('sees an answer continue after the connection was lost, without another question to the model', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    const continued = Promise.withResolvers<void>();
    model.reset();
    model.behave({
      does: 'answer',
      pieces: (async function* () {
        yield 'Refunds take ';
        await continued.promise;
        yield 'five days.';
      })(),
    });
    await page.addInitScript(LOSE_CONNECTION);
    await page.goto((await newLink({ sub: 'liskov' })).url);
    await ask(page, 'How long does a refund take?');
    const answer = page.getByRole('article').last();
    await answer.getByText('Refunds take').waitFor();
    const file = { name: 'receipt.txt', mimeType: 'text/plain', buffer: Buffer.from('A receipt.') };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText('receipt.txt').waitFor();
    await page.evaluate('loseConnection()');
    await answer.getByText('No connection.').waitFor();
    await page.route('**/chat/conversations/*', (route) => route.abort());
    const tryAgain = page.getByRole('button', { name: 'Try again' });
    for (let attempt = 0; attempt < 2; attempt++) {
      const failed = page.waitForEvent('requestfailed');
      await tryAgain.click();
      await failed;
      await page.getByRole('alert').getByText('No connection.').waitFor();
      assert.equal(await page.getByText('No connection.').count(), 1);
    }
    await answer.getByText('Refunds take').waitFor();
    await page.unroute('**/chat/conversations/*');
    await tryAgain.click();
    await page.getByText('Welcome back').waitFor();
    await answer.getByText('Refunds take').waitFor();
    continued.resolve();
    await answer.getByText('Refunds take five days.').waitFor();
    assert.equal(await page.getByRole('article').count(), 2);
    assert.equal(model.requests.length, 1);
    model.behave(REFUND);
    await ask(page, 'Is it on the receipt?', 'five days');
    await page.getByRole('article', { name: 'You' }).getByText('receipt.txt').waitFor();
    assert.deepEqual(problems, []);
  });

  test('edits a question after an answer that was stopped before its first text replaced nothing', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    model.behave(REFUND);
    await page.goto((await newLink({ sub: 'ritchie' })).url);
    await ask(page, 'How long does a refund take?', 'five days');
    model.behave({ does: 'stall', pieces: [] });
    await page.getByRole('button', { name: 'Regenerate answer' }).click();
    await page.getByRole('button', { name: 'Stop' }).first().click();
    const answer = page.getByRole('article').last();
    await answer.getByText('Stopped.').waitFor();
    model.behave(REFUND);
    await page.getByRole('button', { name: 'Edit question' }).click();
    await page.getByRole('textbox', { name: 'Edit question' }).fill('And to a card?');
    await page.keyboard.press('Enter');
    await answer.getByText('Refunds take five days').waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    assert.deepEqual(problems, []);
  });

  test('asks another question while the service still sends the answer whose connection was lost', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    model.reset();
    model.behave({ does: 'stall', pieces: ['Refunds take '] });
    await page.addInitScript(LOSE_CONNECTION);
    await page.goto((await newLink({ sub: 'perlman' })).url);
    await ask(page, 'How long does a refund take?');
    const answer = page.getByRole('article').last();
    await answer.getByText('Refunds take').waitFor();
    await page.evaluate('loseConnection()');
    await answer.getByText('No connection.').waitFor();
    model.behave(REFUND);
    const refused = page.waitForResponse((response) => response.status() === 429);
    await ask(page, 'To a card?', 'five days');
    await refused;
    assert.equal(await model.requests[0]?.ended, false);
    assert.deepEqual(problems, []);
  });

  test('can read all messages of a long conversation, and download them', async (t) => {
    const { browser, model, newLink, client, service } = shop();
    const link = await newLink({ sub: 'lovelace' });
    const { as } = await exchange(client, link.token);
    const chat = new Chat(service.url, as, 'long');
    model.behave((request) => ({
      does: 'answer',
      pieces: [`To ${shownPrompt(request).question}`],
    }));
    for (let number = 1; number <= 101; number++) await chat.ask(`Question ${number}.`);

    const { page, problems } = await visit(t, browser);
    await page.goto(link.url);
    await page.getByText('Question 101.', { exact: true }).waitFor();
    const log = page.getByRole('region', { name: 'Conversation' });
    const top = log.getByText('Question 2.', { exact: true });
    assert.equal(await log.getByText('Question 1.', { exact: true }).count(), 0);
    const more = log.getByRole('button', { name: 'Show more' });
    await more.scrollIntoViewIfNeeded();
    await more.click();
    await log.getByText('Question 1.', { exact: true }).waitFor({ state: 'attached' });
    await more.waitFor({ state: 'detached' });
    // The button is gone, so the focus is in the conversation. The messages that were in view still are.
    await log.and(page.locator(':focus')).waitFor();
    await until('the first message of the first page is in view', async () => {
      const box = await top.boundingBox();
      return box !== null && box.y >= 0 && box.y < 700;
    });

    await page.getByRole('button', { name: 'Earlier conversations' }).click();
    const started = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download “Question 1.”' }).click();
    const download = await started;
    assert.equal(download.suggestedFilename(), 'Question 1..md');
    const text = readFileSync(await download.path(), 'utf8');
    assert.match(
      text,
      /^# Question 1\.\n\n\*\*You\*\*\n\nQuestion 1\.\n\n\*\*Assistant\*\*\n\nTo Question 1\./,
    );
    assert.equal(text.match(/\*\*You\*\*/g)?.length, 101);
    assert.deepEqual(problems, []);
  });

  test('no longer sees an answer whose cited document is now forbidden', async (t) => {
    const { browser, model, newLink, client, session, space } = shop();
    const { page, problems } = await visit(t, browser);
    model.behave({ does: 'answer', pieces: ['The outlet is in Linz [1].'] });
    const document = { fileName: 'outlet.md', markdown: '# Outlet\n\nThe outlet is in Linz.' };
    const metadata = { audience: 'customers' };
    const { id } = await addDocument(client, session, space.id, { ...document, metadata });
    await page.goto((await newLink({ sub: 'hopper' })).url);
    await ask(page, 'Where is the outlet?', 'Linz');
    const source = page.getByRole('list').getByRole('button', { name: /Outlet/ });
    await source.waitFor();

    const path = `/spaces/${space.id}/documents/${id}`;
    const body = { metadata: { audience: 'staff' } };
    const { status } = await client(path, { method: 'PATCH', as: session, body });
    assert.equal(status, 200);
    await source.click();
    await page.getByRole('alert').getByText('This passage is not available.').waitFor();
    assert.equal(await page.getByRole('dialog').getByText('Linz').count(), 0);
    await page.reload();
    await page
      .getByText('This answer is hidden because you no longer have access to its sources.')
      .waitFor();
    assert.equal(await page.getByText('Linz').count(), 0);
    assert.equal(await page.getByText('Outlet', { exact: true }).count(), 0);
    assert.deepEqual(problems, []);
  });

  test('leaves no data behind if the link disables the history', async (t) => {
    const { browser, model, newLink, dataDir } = shop();
    const { page, problems } = await visit(t, browser);
    model.behave({ does: 'answer', pieces: ['A quokka weighs three kilograms.'] });
    await page.goto((await newLink({ sub: 'lovelace', features: { chatHistory: false } })).url);
    await page.getByText('This conversation is not saved.').waitFor();
    await ask(page, 'How heavy is a wombat?', 'quokka');
    await ask(page, 'And a koala?', 'quokka');
    // Each request includes the previous messages, because the service does not store them.
    assert.match(String(model.requests.at(-1)?.text), /wombat/);
    await page.getByRole('textbox', { name: 'Your question' }).fill('A draft about a numbat');
    assert.equal(await page.getByRole('button', { name: 'Earlier conversations' }).count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Helpful' }).count(), 0);
    const stored = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }]),
    );
    assert.equal(stored, '[{},{}]');
    assert.deepEqual(await page.context().cookies(), []);
    await page.reload();
    await page.getByText('Hello!').waitFor();
    assert.equal(await page.getByRole('article').count(), 0);
    assert.equal(await page.getByRole('textbox').inputValue(), '');
    const bytes = await allStored(dataDir);
    assert.match(bytes, /What about labels\?/);
    assert.doesNotMatch(bytes, /quokka|wombat|koala/);
    assert.deepEqual(problems, []);
  });
});

/** Initialisation script. `loseConnection` fails a running answer as if the network was lost, which the service does not notice. */
const LOSE_CONNECTION = `{
  const send = fetch;
  window.fetch = async (path, init) => {
    const response = await send(path, init);
    if (path !== '/chat') return response;
    const [body, unread] = response.body.tee();
    return new Response(body.pipeThrough(new TransformStream({
      start: (controller) => {
        window.loseConnection = () => controller.error(new TypeError('network error', { cause: unread }));
      },
    })), response);
  };
}`;
