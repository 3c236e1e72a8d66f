import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { accessibilityViolations } from '../support/browser/accessibility.ts';
import { skip, visit } from '../support/browser/browser.ts';
import { ask, REFUND, shopOfThisFile } from '../support/browser/widget.ts';

describe('a visitor who needs a person', { skip }, () => {
  const shop = shopOfThisFile();

  test('asks for one, reads who answers, also after a reload, and returns to the assistant', async (t) => {
    const { browser, model, newLink, client, session, space } = shop();
    const { page, problems } = await visit(t, browser);
    model.behave(REFUND);
    const bot = { method: 'PATCH', as: session } as const;
    await client(`/bots/${space.botId}`, { ...bot, body: { handoff: null } });
    await page.goto((await newLink({ sub: 'ada' })).url);
    await ask(page, 'How long does a refund take?', 'five days');
    assert.equal(await page.getByRole('button', { name: 'Talk to a person' }).count(), 0);

    await client(`/bots/${space.botId}`, { ...bot, body: { handoff: {} } });
    await page.reload();
    await page.getByRole('button', { name: 'Talk to a person' }).click();
    await page.getByText('A person will answer here.').waitFor();
    assert.deepEqual(await accessibilityViolations(page), []);
    const asked = model.requests.length;
    await page.getByRole('textbox').fill('My parcel is broken.');
    await page.keyboard.press('Enter');
    const listed = await client(`/spaces/${space.id}/conversations?handoff=requested`, {
      as: session,
    });
    const [{ id }] = listed.json['items'] as [{ id: string }];
    const path = `/spaces/${space.id}/conversations/${id}`;
    await client(`${path}/messages`, {
      as: session,
      body: { text: 'I am **sorry** to hear that.', author: 'Grace <b>' },
    });
    const answer = page.getByRole('article', { name: 'Grace <b>' });
    await answer.getByText('sorry').waitFor();
    await page.getByText('Grace <b> has joined the conversation.').waitFor();
    await page.getByRole('log').getByText('Grace <b>: I am').waitFor({ state: 'attached' });
    await page.reload();
    await answer.getByText('sorry').waitFor();
    await page.getByRole('article', { name: 'You' }).getByText('My parcel is broken.').waitFor();
    assert.equal(await answer.count(), 1);
    assert.equal(await answer.getByRole('button', { name: 'Helpful', exact: true }).count(), 0);
    await client(`${path}/messages`, { as: session, body: { text: 'Done.', author: 'Grace <b>' } });
    await page.getByText('Done.', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Back to the assistant' }).click();
    await page.getByText('The assistant answers again.').waitFor();
    assert.equal(model.requests.length, asked);
    await ask(page, 'How long does a refund take?', 'five days');
    assert.deepEqual(problems, []);
  });

  test('can start a new conversation with the assistant before the response to the request arrives', async (t) => {
    const { browser, model, newLink, client, session, space } = shop();
    const { page, problems } = await visit(t, browser);
    model.behave(REFUND);
    const body = { handoff: {} };
    await client(`/bots/${space.botId}`, { method: 'PATCH', as: session, body });
    await page.goto((await newLink({ sub: 'lin' })).url);
    await ask(page, 'How long does a refund take?', 'five days');
    const [requested, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route('**/chat/handoff', async (route) => {
      requested.resolve();
      await held.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Talk to a person' }).click();
    await requested.promise;
    await page.getByRole('button', { name: 'New conversation' }).click();
    const arrived = page.waitForResponse('**/chat/handoff');
    held.resolve();
    await (await arrived).finished();
    await page.locator('.handoff button[aria-disabled=false]').waitFor();
    assert.equal(await page.getByText('A person will answer here.').count(), 0);
    await ask(page, 'What about labels?', 'five days');
    assert.deepEqual(problems, []);
  });

  test('sees that a message was not sent because of the connection, and can send it again', async (t) => {
    const { browser, newLink, client, session, space } = shop();
    const { page, problems } = await visit(t, browser);
    const body = { handoff: {} };
    await client(`/bots/${space.botId}`, { method: 'PATCH', as: session, body });
    await page.goto((await newLink({ sub: 'emmy' })).url);
    await page.getByRole('button', { name: 'Talk to a person' }).click();
    await page.getByText('A person will answer here.').waitFor();
    await page.route('**/chat', (route) => route.abort());
    await ask(page, 'My parcel is broken.');
    await page.getByRole('alert').getByText('No connection.').waitFor();
    await page.unroute('**/chat');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Send' }).waitFor();
    await page.reload();
    await page.getByRole('article', { name: 'You' }).getByText('My parcel is broken.').waitFor();
    assert.equal(await page.getByRole('article').count(), 1);
    assert.deepEqual(problems, []);
  });

  test('does not send a question to the team by regenerating its answer in a tab that does not know of the handoff', async (t) => {
    const { browser, model, newLink, client, session, space } = shop();
    const { page, problems } = await visit(t, browser);
    model.behave(REFUND);
    const body = { handoff: {} };
    await client(`/bots/${space.botId}`, { method: 'PATCH', as: session, body });
    const { url } = await newLink({ sub: 'rosalind' });
    await page.goto(url);
    await ask(page, 'How long does a refund take?', 'five days');
    const other = await page.context().newPage();
    await other.goto(url);
    await other.getByRole('button', { name: 'Talk to a person' }).click();
    await other.getByText('A person will answer here.').waitFor();
    assert.equal(await other.getByRole('button', { name: 'Regenerate answer' }).count(), 0);
    await page.getByRole('button', { name: 'Regenerate answer' }).click();
    await page.getByRole('alert').getByText('newer messages').waitFor();
    await page.getByText('A person will answer here.').waitFor();
    assert.equal(await page.getByRole('article', { name: 'You' }).count(), 1);
    const sent = page.waitForResponse('**/chat');
    await ask(page, 'My parcel is broken.');
    await sent;
    await page.reload();
    await page.getByRole('article', { name: 'You' }).getByText('My parcel is broken.').waitFor();
    assert.equal(await page.getByRole('article', { name: 'You' }).count(), 2);
    assert.deepEqual(problems, []);
  });

  test('sees an answer of the team that arrives while a file of the next message is uploaded', async (t) => {
    const { browser, newLink, client, session, space } = shop();
    const { page, problems } = await visit(t, browser);
    const body = { handoff: {} };
    await client(`/bots/${space.botId}`, { method: 'PATCH', as: session, body });
    await page.goto((await newLink({ sub: 'kim' })).url);
    await page.getByRole('button', { name: 'Talk to a person' }).click();
    await page.getByText('A person will answer here.').waitFor();
    await page.getByRole('textbox').fill('My parcel is broken.');
    await page.keyboard.press('Enter');
    await page.getByRole('article', { name: 'You' }).waitFor();
    const held = Promise.withResolvers<void>();
    await page.route('**/chat/*/attachments', async (route) => {
      await held.promise;
      await route.continue();
    });
    const file = { name: 'photo.txt', mimeType: 'text/plain', buffer: Buffer.from('A photo.') };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByRole('textbox').fill('Here is a photo.');
    await page.keyboard.press('Enter');
    const query = 'handoff=requested&sub=kim';
    const listed = await client(`/spaces/${space.id}/conversations?${query}`, { as: session });
    const [{ id }] = listed.json['items'] as [{ id: string }];
    await client(`/spaces/${space.id}/conversations/${id}/messages`, {
      as: session,
      body: { text: 'I am sorry.', author: 'Grace' },
    });
    await page.getByRole('article', { name: 'Grace' }).waitFor();
    held.resolve();
    await page.getByRole('article', { name: 'You' }).getByText('photo.txt').waitFor();
    assert.equal(await page.getByRole('article', { name: 'Grace' }).count(), 1);
    assert.deepEqual(problems, []);
  });

  test('hears only the newest message of the team, however many came before', async (t) => {
    const { browser, newLink, client, session, space } = shop();
    const { page } = await visit(t, browser);
    const body = { handoff: {} };
    await client(`/bots/${space.botId}`, { method: 'PATCH', as: session, body });
    await page.goto((await newLink({ sub: 'franz' })).url);
    await page.getByRole('button', { name: 'Talk to a person' }).click();
    await page.getByText('A person will answer here.').waitFor();
    const query = 'handoff=requested&sub=franz';
    const listed = await client(`/spaces/${space.id}/conversations?${query}`, { as: session });
    const [{ id }] = listed.json['items'] as [{ id: string }];
    const path = `/spaces/${space.id}/conversations/${id}/messages`;
    const write = (number: number) =>
      client(path, { as: session, body: { text: `Step ${number}.`, author: 'Grace' } });
    const spoken = page.locator('.handoff [role=log]');
    for (let number = 1; number <= 30; number++) await write(number);
    await spoken.getByText('Grace: Step 30.').waitFor({ state: 'attached' });
    await page.evaluate(`{
      globalThis.spoken = [];
      const options = { subtree: true, childList: true, characterData: true };
      new MutationObserver((records) => {
        for (const { target, addedNodes } of records)
          spoken.push(...[...addedNodes, ...(target.data ? [target] : [])].map((node) => node.textContent));
      }).observe(document.querySelector('.handoff [role=log]'), options);
    }`);
    await write(31);
    await spoken.getByText('Grace: Step 31.').waitFor({ state: 'attached' });
    assert.deepEqual(await page.evaluate('spoken'), ['Grace: Step 31.']);
  });

  test('reads the away message outside of the opening hours', async (t) => {
    const { browser, newLink, client, session, space } = shop();
    const { page, problems } = await visit(t, browser);
    // No period contains the present: this one ended a minute after midnight of a day that is not today anywhere.
    const day = new Date(Date.now() + 3 * 86_400_000);
    const name = day.toLocaleDateString('en-US', { timeZone: 'UTC', weekday: 'long' });
    const periods = [{ day: name.toLowerCase(), from: '00:00', to: '00:01' }];
    const openingHours = { timeZone: 'UTC', periods };
    const handoff = { openingHours, awayMessage: 'We are back soon.' };
    await client(`/bots/${space.botId}`, { method: 'PATCH', as: session, body: { handoff } });
    await page.goto((await newLink({ widget: { locale: 'de' } })).url);
    await page.getByRole('button', { name: 'Mit einem Menschen sprechen' }).click();
    await page.getByRole('status').getByText('We are back soon.').waitFor();
    await page.getByRole('button', { name: 'Mit einem Menschen sprechen' }).waitFor();
    assert.deepEqual(problems, []);
  });
});
