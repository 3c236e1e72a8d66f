import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { browserOfThisFile, skip } from '../support/browser/browser.ts';
import { assertAccessible, openConsole, signInToConsole } from '../support/browser/console.ts';
import { ingest, makeEvent, makeEvents, postEvents } from '../support/events/events.ts';
import { giveRole, makeKey, makeSpace, makeUser, signIn } from '../support/provision.ts';
import { childServiceOfThisFile } from '../support/services/file-service.ts';
import { startService } from '../support/services/service.ts';
import { until } from '../support/until.ts';

const HOSTILE = `<img src=x onerror=alert(1)><script>alert(2)</script>{{7*7}}\u202Egnp.exe`;

const { service, client, dataDir } = await childServiceOfThisFile();
const admin = await signIn(client);

describe('the events in the console', { skip }, () => {
  const browser = browserOfThisFile();

  async function shop(name: string) {
    const space = await makeSpace(client, admin, { name });
    const key = await makeKey(client, admin, space.id, ['events:write', 'read']);
    return { ...space, key, path: `${service.url}/console/spaces/${space.id}/events` };
  }

  test('the types of the events are visible in a narrow window without scrolling', async (t) => {
    const { key, path } = await shop('Narrow');
    const type = 'com.example.order.created';
    const event = makeEvent({
      type,
      source: 'https://shop.example/orders',
      subject: 'a'.repeat(90),
    });
    await ingest(client, { as: key, body: { events: [event] } });
    const viewport = { width: 320, height: 640 };
    const { page } = await openConsole(t, browser, path, { viewport });
    await signInToConsole(page);
    const link = page.getByRole('link', { name: type });
    await link.waitFor();
    const box = await link.boundingBox();
    assert.ok(box !== null && box.x + box.width <= 300, `the type is at ${JSON.stringify(box)}`);
  });

  test('a narrow window shows the filter after a click, and while it is set', async (t) => {
    const { key, path } = await shop('Folded filter');
    await ingest(client, { as: key, body: { events: makeEvents(2) } });
    const viewport = { width: 320, height: 640 };
    const { page, assertClean } = await openConsole(t, browser, path, { viewport });
    await signInToConsole(page);
    await page.locator('tbody tr').first().waitFor();
    const field = page.getByLabel('Subject');
    assert.equal(await field.isVisible(), false);
    await page.getByRole('button', { name: 'Filters', expanded: false }).click();
    await assertAccessible(page);
    await field.fill('order/1');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByText('No stored event matches').waitFor();
    await page.reload();
    await page.getByText('No stored event matches').waitFor();
    assert.equal(await field.inputValue(), 'order/1');
    await page.getByRole('button', { name: 'Filters', expanded: true }).click();
    assert.equal(await field.isVisible(), false);
    assertClean();
  });

  test('an operator filters the stored events, pages through them, and sees one exactly as it was received', async (t) => {
    const { key, path } = await shop('Stored');
    await ingest(client, { as: key, body: { events: makeEvents(60) } });
    const text = `{"specversion":"1.0", "id":"exact", "source":"urn:test:bank", "type":"test.paid", "subject":"order/1", "data":{"total":1.0,"large":12345678901234567890}}`;
    await postEvents(client, {
      as: key,
      body: text,
      headers: { 'content-type': 'application/cloudevents+json' },
    });
    const { page, assertClean } = await openConsole(t, browser, path);
    await signInToConsole(page);
    const rows = page.locator('tbody tr');
    await rows.first().waitFor();
    assert.match(await rows.first().innerText(), /test\.paid/);
    assert.equal(await rows.count(), 50);
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.getByRole('link', { name: 'First page' }).waitFor();
    await until('the list has 11 rows', async () => (await rows.count()) === 11);
    await page.goBack();
    await page.getByLabel('Subject').fill('order/1');
    await page.getByRole('button', { name: 'Filter' }).click();
    await until('the list has 1 rows', async () => (await rows.count()) === 1);
    assert.equal(new URL(page.url()).search, '?subject=order%2F1');
    await assertAccessible(page);
    await page.getByRole('link', { name: 'test.paid' }).click();
    await page.getByRole('button', { name: 'Exactly as received' }).click();
    const shown = page.getByRole('region', { name: 'Event exactly as received' });
    assert.equal(await shown.innerText(), text);
    await assertAccessible(page);
    await page.reload();
    await page.getByRole('heading', { name: 'test.paid' }).waitFor();
    await page.getByRole('link', { name: 'urn:test:bank' }).click();
    await until('the list has 1 rows', async () => (await rows.count()) === 1);
    await page.getByLabel('Received before').fill('2020-01-01T00:00:00');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByText('No stored event matches.').waitFor();
    assertClean();
  });

  test('forced colours keep the colours of the chart, and mark the current page', async (t) => {
    const { key, path } = await shop('Forced');
    await ingest(client, { as: key, body: { events: makeEvents(1) } });
    const options = { forcedColors: 'active' } as const;
    const { page } = await openConsole(t, browser, `${path}/rates`, options);
    await signInToConsole(page);
    const styleOf = (selector: string, property: string) =>
      page.evaluate<string>(
        `getComputedStyle(document.querySelector('${selector}')).getPropertyValue('${property}')`,
      );
    await page.locator('.legend').first().waitFor();
    const accepted = await styleOf('.legend.accepted', 'color');
    assert.notEqual(await styleOf('.legend.rejected', 'color'), accepted);
    assert.equal(await styleOf('nav a[aria-current]', 'border-left-width'), '3px');
  });

  test('an operator sees rejected events with reason and sender, and the rates as a chart', async (t) => {
    const { key, path } = await shop('Rejected');
    await ingest(client, { as: key, body: { events: makeEvents(3) } });
    await ingest(client, { as: key, body: { events: [makeEvent({ type: '' })] } });
    const { page, assertClean } = await openConsole(t, browser, `${path}/rates`);
    await signInToConsole(page);
    await page.getByText('3 events accepted, 1 rejection.').waitFor();
    await page.getByRole('img', { name: 'Events per minute in the last hour' }).waitFor();
    assert.ok(await page.evaluate('document.querySelector(".rates canvas").width > 200'));
    await page.getByText('The chart as a table').click();
    await assertAccessible(page);
    await page.getByRole('link', { name: 'Rejected', exact: true }).click();
    const row = page.getByRole('row', { name: /invalid/ });
    for (let found = false; !found; await page.reload()) {
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      found = (await row.count()) > 0;
    }
    await row.waitFor();
    assert.match(await row.innerText(), /type.*API key test.*event 1 of the request/s);
    await assertAccessible(page);
    assertClean();
  });

  test('a live list stays usable and small at 2,000 events per second, and says that it samples', async (t) => {
    const { key, path } = await shop('Load');
    const { page, assertClean } = await openConsole(t, browser, `${path}/live`);
    await signInToConsole(page);
    await page.getByText('connected', { exact: true }).waitFor();
    const load = new AbortController();
    const loading = sendUntil(key, load.signal);
    try {
      await page.getByText(/The list shows a sample of/).waitFor();
      const rows = page.locator('tbody tr');
      await until('the list has 100 rows', async () => (await rows.count()) === 100);
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText(/Paused\. [\d,]{3,} events since then/).waitFor();
      const paused = await rows.first().innerText();
      await page.getByText(/Paused\. [\d,]{5,} events since then/).waitFor();
      assert.equal(await rows.first().innerText(), paused);
      await assertAccessible(page);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText(/The list shows a sample of/).waitFor();
      assert.equal(await rows.count(), 100);
      await page.getByLabel('Type').fill('test.rare');
      await page.getByRole('button', { name: 'Filter' }).click();
      await page.getByText('No event has arrived yet').waitFor();
      await page.getByText('connected', { exact: true }).waitFor();
      await ingest(client, { as: key, body: { events: [makeEvent({ type: 'test.rare' })] } });
      await page.getByRole('link', { name: 'test.rare' }).waitFor();
      assert.equal(await rows.count(), 1);
    } finally {
      load.abort();
      await loading;
    }
    assertClean();
  });

  test('hostile and very long events are text', async (t) => {
    const { key, path } = await shop(HOSTILE);
    const long = `${HOSTILE}${'x'.repeat(1_000_000)}`;
    const events = [
      makeEvent({ type: HOSTILE, subject: HOSTILE, id: HOSTILE, data: { [HOSTILE]: HOSTILE } }),
      makeEvent({ type: long, subject: long, id: long, data: long }),
    ];
    await ingest(client, { as: key, body: { events } });
    await ingest(client, { as: key, body: { events: [makeEvent({ id: long, type: '' })] } });
    const { page, assertClean } = await openConsole(t, browser, path);
    page.on('dialog', () => assert.fail('a script ran'));
    await signInToConsole(page);
    await page.locator('tbody a').first().waitFor();
    const links = await page.locator('tbody a').all();
    const addresses: string[] = [];
    for (const link of links) addresses.push(service.url + (await link.getAttribute('href')));
    assert.equal(addresses.length, 2);
    for (const url of [path, `${path}/live`, `${path}/rejected`, `${path}/rates`, ...addresses]) {
      await page.goto(url);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('tbody tr, dl').first().waitFor({ state: 'attached' });
      assert.equal(await page.getByText('not found').count(), 0, url.slice(0, 200));
      assert.equal(await page.locator('img, script:not([src])').count(), 0, url.slice(0, 200));
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 800 });
        const overflow = 'document.documentElement.scrollWidth > innerWidth';
        assert.equal(await page.evaluate(overflow), false, `${url.slice(0, 200)} at ${width}`);
      }
    }
    assertClean();
  });

  // Last, because the test restarts the service.
  test('a live list continues after the user signs in again', async (t) => {
    const { key, botId, path } = await shop('Signed in again');
    const viewer = await makeUser(client, admin, 'live-viewer');
    await giveRole(client, admin, botId, viewer.id, 'viewer');
    const { page } = await openConsole(t, browser, `${path}/live`);
    await signInToConsole(page, viewer);
    await page.getByText('connected', { exact: true }).waitFor();
    await client(`/users/${viewer.id}/sessions`, { method: 'DELETE', as: admin });
    await page.getByText('Your session has ended.').waitFor();
    await signInToConsole(page, viewer);
    await page.getByText('connected', { exact: true }).waitFor();
    await ingest(client, { as: key, body: { events: [makeEvent({ type: 'test.again' })] } });
    await page.getByRole('link', { name: 'test.again' }).waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
  });

  test('a live list shows a lost connection, and continues without losing an event', async (t) => {
    const { key, path } = await shop('Lost');
    const { page, assertClean } = await openConsole(t, browser, `${path}/live`);
    await signInToConsole(page);
    await page.getByText('connected', { exact: true }).waitFor();
    await service.stop();
    await page.getByText('connection lost, reconnecting…').waitFor();
    await using _again = await startService(dataDir, { port: service.port });
    await ingest(client, { as: key, body: { events: [makeEvent({ type: 'test.after' })] } });
    await page.getByRole('link', { name: 'test.after' }).waitFor();
    await page.getByText('connected', { exact: true }).waitFor();
    assertClean();
  });
});

/** Sends 2,000 events per second until the signal aborts. */
async function sendUntil(key: string, signal: AbortSignal): Promise<void> {
  const startedAt = performance.now();
  for (let batches = 0; !signal.aborted; ) {
    const due = ((performance.now() - startedAt) / 1000) * 20;
    if (batches < due) {
      batches += 1;
      await ingest(client, { as: key, body: { events: makeEvents(100) } });
    } else await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
