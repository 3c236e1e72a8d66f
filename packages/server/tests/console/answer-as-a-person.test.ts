import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Chat, openLink } from '../support/assistant/chat.ts';
import { browserOfThisFile, skip } from '../support/browser/browser.ts';
import { assertAccessible, openConsole, signInToConsole } from '../support/browser/console.ts';
import { giveRole, makeSpace, makeUser, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

const { service, client } = await serviceOfThisFile();
const admin = await signIn(client);

describe('a handoff in the console', { skip }, () => {
  const browser = browserOfThisFile();

  test('is configured, found by its filter, answered by keyboard and ended', async (t) => {
    const space = await makeSpace(client, admin, { name: 'Support' });
    const path = `${service.url}/console/spaces/${space.id}`;
    const { page, assertClean } = await openConsole(t, browser, `${path}/settings`);
    await signInToConsole(page);
    const card = page.locator('details').first();
    await card.locator('summary').first().click();
    await card.getByLabel('Visitors can ask for a person').check();
    await card.getByLabel('Opening hours').first().fill('sunday 10:00-09:00');
    await card.getByLabel('Whom to contact').first().fill('Write to help@shop.example.');
    const save = card.getByRole('button', { name: 'Save' });
    await save.click();
    await page.getByText('Opening hours 1 to: must be later than from').waitFor();
    await card.getByLabel('Opening hours').first().fill('');
    await save.click();
    await page.getByText('must be later').waitFor({ state: 'detached' });

    const ada = await openLink(client, admin, { spaceId: space.id, sub: 'ada' });
    const chat = new Chat(service.url, ada.as, 'one');
    await chat.ask('Where is my parcel?');
    await client('/chat/handoff', { as: ada.as, body: { id: 'one' } });
    await page.goto(`${path}/conversations`);
    await page.getByLabel('People').selectOption('Waiting for a person');
    await page.getByRole('row', { name: /Where is my parcel.*waiting for a person/ }).waitFor();
    await page.getByRole('link', { name: 'Where is my parcel?' }).click();
    const field = page.getByLabel('Your answer (Markdown)');
    await field.waitFor();
    await assertAccessible(page);
    await chat.ask('Order 1001, please.');
    await page.getByText('Order 1001, please.').waitFor();
    await field.fill('It arrives today.');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('It arrives today.', { exact: true }).first().waitFor();
    await page.getByText('answered by a person').waitFor();
    assert.equal(await page.locator('textarea:focus').inputValue(), '');
    await page.getByRole('button', { name: 'End the handoff' }).click();
    await field.waitFor({ state: 'detached' });
    await page.getByText('It arrives today.', { exact: true }).waitFor();
    assert.equal(await page.getByText('Order 1001, please.').count(), 1);
    assertClean();
  });

  test('asks for the sign-in when the session ends while the page waits for messages', async (t) => {
    const space = await makeSpace(client, admin, { name: 'Waiting' });
    const owner = await makeUser(client, admin, 'waiting');
    await giveRole(client, admin, space.botId, owner.id, 'owner');
    const body = { handoff: {} };
    await client(`/bots/${space.botId}`, { method: 'PATCH', as: admin, body });
    const ada = await openLink(client, admin, { spaceId: space.id, sub: 'ada' });
    const chat = new Chat(service.url, ada.as, 'two');
    await chat.ask('Is anybody there?');
    await client('/chat/handoff', { as: ada.as, body: { id: 'two' } });
    const path = `${service.url}/console/spaces/${space.id}/conversations`;
    const { page } = await openConsole(t, browser, path);
    await signInToConsole(page, owner);
    await page.getByRole('link', { name: 'Is anybody there?' }).click();
    const field = page.getByLabel('Your answer (Markdown)');
    await field.fill('One moment');
    await client(`/users/${owner.id}/sessions`, { method: 'DELETE', as: admin });
    await page.getByText('Your session has ended.').waitFor();
    await signInToConsole(page, owner);
    await chat.ask('Hello?');
    await page.getByText('Hello?').waitFor();
    assert.equal(await field.inputValue(), 'One moment');
    assert.equal(await page.getByRole('alert').count(), 0);
  });
});
