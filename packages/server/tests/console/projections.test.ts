import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Projection } from '@gatehouse/contract';
import { browserOfThisFile, skip } from '../support/browser/browser.ts';
import { assertAccessible, openConsole, signInToConsole } from '../support/browser/console.ts';
import { projectionsOf } from '../support/knowledge/projections.ts';
import { makeSpace, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

const HOSTILE = `<img src=x onerror=alert(1)><script>alert(2)</script>\u202Egnp.exe`;

const { service, client } = await serviceOfThisFile();
const admin = await signIn(client);

describe('projections in the console', { skip }, () => {
  const browser = browserOfThisFile();

  async function shop(status: string) {
    const { id } = await makeSpace(client, admin, { name: 'Orders' });
    const order = (key: string) => ({
      specversion: '1.0',
      id: key,
      source: 'https://shop.example/orders',
      type: 'example.order.placed',
      subject: key,
      data: { status, customerId: 'customer-42' },
    });
    const events = [order('ord-1001'), order('ord-1002')];
    const sent = await client(`/events?spaceId=${id}`, { as: admin, body: { events } });
    assert.equal(sent.status, 200, sent.text);
    return { id, path: `${service.url}/console/spaces/${id}/projections` };
  }

  test('an editor tries a definition, creates it, finds a record, rebuilds and deletes the projection', async (t) => {
    const { id, path } = await shop('placed');
    const projections = projectionsOf(client, admin, id);
    const { page, assertClean } = await openConsole(t, browser, path);
    await signInToConsole(page);
    await page.getByText('A projection turns events into records').waitFor();
    await assertAccessible(page);
    await page.getByRole('link', { name: 'Create a projection' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Order');
    await page.getByLabel('Types of events', { exact: true }).fill('example.order.*');
    await page.getByLabel('Name of field 1').fill('status');
    await page.getByLabel('Pointer of field 1').fill('/status');
    await page.getByRole('button', { name: 'Add a field Fields' }).click();
    await page.getByLabel('Name of field 2').fill('customer');
    await page.getByLabel('Pointer of field 2').fill('/customerId');
    await page.getByLabel('Title').fill('Order {key}');
    await page.getByLabel('Text', { exact: true }).fill('Order {key} is {state}.');
    await page.getByRole('button', { name: 'Add a field Metadata from fields' }).click();
    await page.getByLabel('Name of metadata 1').fill('customer');
    await page.getByLabel('Field of metadata 1').selectOption('customer');
    const create = page.getByRole('button', { name: 'Create' });
    const trial = page.getByRole('button', { name: 'Try on the last hundred events' });
    await trial.click();
    await page.getByText('text: {state} is not a field').waitFor();
    assert.equal(await create.isDisabled(), true);
    await page.getByLabel('Text', { exact: true }).fill('Order {key} is {status}.');
    await trial.click();
    await page.getByText('They result in 2 records.').waitFor();
    await page.getByText('Order ord-1001', { exact: true }).click();
    await page.getByText('Order ord-1001 is placed.').waitFor();
    await assertAccessible(page);
    const stored = async () => {
      const { json } = await client(projections.path, { as: admin });
      return json['items'] as Projection[];
    };
    assert.equal((await stored()).length, 0);
    await create.click();
    await page.getByRole('heading', { name: 'Order', exact: true }).waitFor();
    const [projection] = await stored();
    assert.ok(projection);
    assert.deepEqual(projection.metadata, { customer: { field: 'customer' } });
    await page.getByText('up to date').waitFor();
    await page.getByText('Order ord-1002', { exact: true }).waitFor();
    await page.getByLabel('Key', { exact: true }).fill('ord-1001');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByText('Order ord-1002', { exact: true }).waitFor({ state: 'detached' });
    await page.getByText('Order ord-1001', { exact: true }).click();
    await page.getByRole('cell', { name: 'customer-42' }).waitFor();
    await assertAccessible(page);
    await page.getByText('Change the definition').click();
    assert.equal(await page.getByLabel('Title').inputValue(), 'Order {key}');
    await page.getByLabel('Title').fill('Your order {key}');
    await trial.click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByLabel('Title').waitFor({ state: 'detached' });
    await page.getByText('Your order ord-1001', { exact: true }).waitFor();
    const dialog = page.getByRole('dialog');
    await projections.untilCurrent(projection.id);
    await page.reload();
    await page.locator('main').getByText('up to date').waitFor();
    await page.getByRole('button', { name: 'Rebuild' }).click();
    assert.match(await dialog.innerText(), /stay searchable until they are replaced/);
    await dialog.getByRole('button', { name: 'Rebuild' }).click();
    await dialog.waitFor({ state: 'detached' });
    // The page shows the previous state until it has loaded the new one.
    await projections.untilCurrent(projection.id);
    await page.reload();
    await page.getByText('2 records').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    assert.match(await dialog.innerText(), /no longer finds 2 records.*The events remain stored/s);
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('A projection turns events into records').waitFor();
    assert.equal((await stored()).length, 0);
    assertClean();
  });

  test('hostile definitions and records are shown as text, and the pages fit a phone', async (t) => {
    const { id, path } = await shop(HOSTILE);
    const made = await client(`/spaces/${id}/projections`, {
      as: admin,
      body: {
        name: HOSTILE,
        types: ['example.order.*', HOSTILE],
        key: 'subject',
        fields: { status: '/status' },
        title: `{key} ${'x'.repeat(300)} {status}`,
        text: `${HOSTILE} {status}`,
        metadata: { note: { field: 'status' } },
      },
    });
    assert.equal(made.status, 201, made.text);
    const viewport = { width: 390, height: 800 };
    const { page, assertClean } = await openConsole(t, browser, path, { viewport });
    page.on('dialog', () => assert.fail('a script ran'));
    await signInToConsole(page);
    for (const part of ['', '/new', `/${made.json['id']}`]) {
      await page.goto(path + part);
      await page.getByRole('heading', { level: 1 }).waitFor();
      if (part.length > 5) await page.locator('details.card', { hasText: 'ord-1001' }).click();
      await page.waitForLoadState('networkidle');
      await assertAccessible(page);
      assert.equal(await page.locator('img, script:not([src])').count(), 0, part);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390, part);
    }
    assertClean();
  });
});
