import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { browserOfThisFile, skip } from '../../support/browser/browser.ts';
import { assertAccessible, openConsole, signInToConsole } from '../../support/browser/console.ts';
import { makeSpace, signIn } from '../../support/provision.ts';
import { serviceOfThisFile } from '../../support/services/file-service.ts';

const { service, client } = await serviceOfThisFile();
const admin = await signIn(client);

describe('values that the service rejects in the console', { skip }, () => {
  const browser = browserOfThisFile();

  test('a field shows the problem of its value with its label, and receives the focus', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Rejected' });
    const path = `${service.url}/console/spaces/${id}/settings`;
    const { page, assertClean } = await openConsole(t, browser, path);
    await signInToConsole(page);
    const retention = page.getByRole('region', { name: 'Retention of events' });
    const age = retention.getByLabel('Maximum age in days');
    await age.fill('-1');
    await retention.getByRole('button', { name: 'Save the retention' }).click();
    await retention.getByText('Maximum age in days: must be at least').waitFor();
    const alert = retention.getByRole('alert');
    assert.equal(await alert.innerText(), 'Please correct the marked fields.');
    assert.equal(await age.getAttribute('aria-invalid'), 'true');
    assert.equal(await age.evaluate((field) => field.matches(':focus')), true);
    await assertAccessible(page);
    await age.fill('30');
    await retention.getByRole('button', { name: 'Save the retention' }).click();
    await retention.getByText('Saved', { exact: true }).waitFor();
    assert.equal(await age.getAttribute('aria-invalid'), null);
    assertClean();
  });

  test('a field for several values shows the position of the rejected one', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Lines' });
    const path = `${service.url}/console/spaces/${id}/settings`;
    const { page, assertClean } = await openConsole(t, browser, path);
    await signInToConsole(page);
    const card = page.locator('details.card').first();
    await card.locator('summary').first().click();
    await card.getByLabel('Visitors can ask for a person').check();
    await card.getByLabel('Opening hours').first().fill('monday 09:00-17:00\nsomeday 9-5');
    await card.getByRole('button', { name: 'Save' }).click();
    await card.getByText('Opening hours 2 day: must be').waitFor();
    assert.doesNotMatch(await card.innerText(), /handoff\.openingHours/);
    assertClean();
  });

  test('a problem of a member without a field stays in the list of the form', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Other' });
    const path = `${service.url}/console/spaces/${id}/keys`;
    const { page, assertClean } = await openConsole(t, browser, path);
    await signInToConsole(page);
    await page.route('**/api-keys', (route) =>
      route.fulfill({
        status: 400,
        json: {
          code: 'access.invalid',
          message: 'The request has 2 problems.',
          issues: [{ message: 'name: is taken' }, { message: 'other.member: must be 1' }],
        },
      }),
    );
    await page.getByLabel('Name').fill('backend');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Name: is taken').waitFor();
    const alert = page.getByRole('alert');
    assert.match(await alert.innerText(), /Please correct:\s+other\.member: must be 1/);
    assertClean();
  });
});
