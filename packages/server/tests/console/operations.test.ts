import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { browserOfThisFile, skip } from '../support/browser/browser.ts';
import { assertAccessible, openConsole, signInToConsole } from '../support/browser/console.ts';
import { makeEvent } from '../support/events/events.ts';
import { makeLink, makeSpace, makeUser, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';
import { until } from '../support/until.ts';

const HOSTILE = `<img src=x onerror=alert(1)><script>alert(2)</script>\u202Egnp.exe`;
const PASSWORD = 'a password for tests';

const { service, client } = await serviceOfThisFile();
const admin = await signIn(client);

describe('operations in the console', { skip }, () => {
  const browser = browserOfThisFile();

  test('the audit of a space is filtered by the address, and leads to the link of an entry', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Audited' });
    const link = await makeLink(client, admin, { spaceId: id, sub: HOSTILE });
    await client(`/assistant-link/${link.id}`, { method: 'DELETE', as: admin });
    const path = `${service.url}/console/spaces/${id}/audit`;
    const { page, assertClean } = await openConsole(t, browser, path);
    page.on('dialog', () => assert.fail('a script ran'));
    await signInToConsole(page);
    await page.getByText('link.revoked').waitFor();
    await assertAccessible(page);
    await page.getByLabel('Action').fill('link.created');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByText('link.revoked').waitFor({ state: 'detached' });
    assert.equal(new URL(page.url()).search, '?action=link.created');
    await page.getByRole('link', { name: `…${link.id.slice(-12)}` }).click();
    await page.getByRole('heading', { name: 'Payload' }).waitFor();
    await page.goBack();
    await page.getByText('link.created').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export as CSV' }).click();
    assert.equal((await download).suggestedFilename(), 'audit.csv');
    await page.goto(`${path}?from=2001-01-01&to=2001-01-02`);
    await page.getByText('No entry matches.').waitFor();
    assertClean();
  });

  test('the usage shows the days with usage, and the chart follows the address', async (t) => {
    const { id } = await makeSpace(client, admin, { name: 'Used' });
    const path = `${service.url}/console/spaces/${id}/usage?days=7&amount=events`;
    const { page, assertClean } = await openConsole(t, browser, path);
    await signInToConsole(page);
    await page.getByText('Events per day').waitFor();
    await page.getByText('Nothing was counted in this period.').waitFor();
    assert.equal(await page.getByRole('row').count(), 0);
    await client(`/events?spaceId=${id}`, { as: admin, body: { events: [makeEvent({})] } });
    await until('the event is counted', async () => {
      const { json } = await client(`/spaces/${id}/usage`, { as: admin });
      return (json['totals'] as { events: number }).events === 1;
    });
    await page.getByLabel('Period').selectOption('30 days');
    // The header, the total and today.
    await page.getByRole('row').nth(2).waitFor();
    assert.equal(await page.getByRole('row').count(), 3);
    assert.equal(new URL(page.url()).search, '?days=30&amount=events');
    await assertAccessible(page);
    assertClean();
  });

  test('an administrator sees the state and the settings of the installation, without secrets', async (t) => {
    const path = `${service.url}/console/installation`;
    const { page, assertClean } = await openConsole(t, browser, path);
    await signInToConsole(page);
    await page.getByText('serves requests').waitFor();
    await page.getByRole('table', { name: 'Replicas' }).getByText('answered').waitFor();
    await page.getByRole('row', { name: /GATEHOUSE_PORT/ }).waitFor();
    await assertAccessible(page);
    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByText('session.created').first().waitFor();
    await assertAccessible(page);
    const links = await page
      .getByRole('table', { name: 'Audit' })
      .getByRole('link')
      .evaluateAll((all) => all.map(({ textContent, href }) => [textContent, href] as const));
    for (const [name, target] of links)
      assert.equal(new Map(links).get(name), target, `${name} leads to one page`);
    assertClean();
  });

  test('other users do not see the pages of the installation', async (t) => {
    const user = await makeUser(client, admin, 'curious', PASSWORD);
    const { page } = await openConsole(t, browser, `${service.url}/console/installation`);
    await signInToConsole(page, { ...user, password: PASSWORD });
    await page.getByText('Only administrators can use this page.').waitFor();
    assert.equal(await page.getByRole('navigation').count(), 0);
  });

  test('the pages fit a phone', async (t) => {
    const { id } = await makeSpace(client, admin, { name: HOSTILE });
    const root = `${service.url}/console`;
    const viewport = { width: 390, height: 800 };
    const { page } = await openConsole(t, browser, root, { viewport });
    await signInToConsole(page);
    for (const part of [`/spaces/${id}/audit`, `/spaces/${id}/usage`, '/installation']) {
      await page.goto(root + part);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390, part);
    }
  });
});
