import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { browserOfThisFile, skip } from '../support/browser/browser.ts';
import {
  assertAccessible,
  createFirstSpace,
  openConsole,
  signInToConsole,
} from '../support/browser/console.ts';
import { ingest, makeEvent, postEvents } from '../support/events/events.ts';
import { ALLOW_RECEIVERS, startReceiver, verify } from '../support/events/receiver.ts';
import { registerSource, webhookHeaders } from '../support/events/signing.ts';
import { subscribingIn } from '../support/events/subscribing.ts';
import { makeSpace, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';
import { until } from '../support/until.ts';

/** Text that runs a script, loads an image or changes the direction of the text if a page does not treat it as text. */
const HOSTILE = `<img src=x onerror=alert(1)><script>alert(2)</script>{{7*7}}\u202Egnp.exe`;

const { service, client } = await serviceOfThisFile({ env: ALLOW_RECEIVERS });
const admin = await signIn(client);

describe('an operator in the console', { skip }, () => {
  const browser = browserOfThisFile();

  async function shop(name: string) {
    const space = await makeSpace(client, admin, { name });
    return { ...space, path: `${service.url}/console/spaces/${space.id}` };
  }

  /** Returns the secret that the page shows. */
  async function shownSecret(page: Page): Promise<string> {
    return page.getByRole('region', { name: 'The new secret' }).innerText();
  }

  test('registers an event source, changes it, rotates its secret and deletes it', async (t) => {
    const { path } = await shop('Sources');
    const { page, assertClean } = await openConsole(t, browser, `${path}/sources`);
    await signInToConsole(page);
    await page.getByText('Register the first one below').waitFor();
    await page.getByLabel('Name').fill('shop backend');
    await page.getByLabel('Source', { exact: true }).fill('urn:test:shop');
    await page.getByRole('button', { name: 'Create' }).click();
    const first = await shownSecret(page);
    await page.getByRole('row', { name: /shop backend.*urn:test:shop.*only signed/ }).waitFor();
    await assertAccessible(page);
    const send = async (secret: string) => {
      const body = JSON.stringify({ events: [makeEvent()] });
      const headers = { 'content-type': 'application/json', ...webhookHeaders(body, secret) };
      return (await postEvents(client, { body, headers })).status;
    };
    assert.equal(await send(first), 200);
    await page.reload();
    await page.getByRole('button', { name: 'Rotate secret shop backend' }).click();
    await page.getByLabel('The old secret stays valid').selectOption('not at all');
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Create a new secret' }).click();
    const second = await shownSecret(page);
    assert.deepEqual([await send(first), await send(second)], [401, 200]);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Change shop backend' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('store backend');
    await page.getByLabel('Signed events of this source may change documents').first().check();
    await assertAccessible(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /store backend.*may change documents/ }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Delete store backend' }).click();
    assert.ok(!(await page.content()).includes(second));
    const dialog = page.getByRole('dialog');
    assert.match(await dialog.innerText(), /rejects its signed events/);
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Register the first one below').waitFor();
    assert.equal(await send(second), 401);
    assertClean();
  });

  test('sets up a space until an event arrives at a webhook, and retries a failed delivery', async (t) => {
    await using receiver = await startReceiver();
    receiver.behave(() => ({ status: 500, body: '{"error":"out of memory"}' }));
    const { page, assertClean } = await openConsole(t, browser, `${service.url}/console`);
    await signInToConsole(page);
    const { key } = await createFirstSpace(page);
    const navigation = page.getByRole('navigation');
    await navigation.getByRole('link', { name: 'Events', exact: true }).click();
    await page.getByText('Send events with').waitFor();
    await assertAccessible(page);
    await navigation.getByRole('link', { name: 'Subscriptions' }).click();
    await page.getByText('Create the first one below').waitFor();
    await page.getByLabel('URL').fill(receiver.url);
    await page.getByLabel('Types (empty: all)').fill('test.order.*');
    await page.getByRole('button', { name: 'Create' }).click();
    const secret = await shownSecret(page);
    await assertAccessible(page);
    const event = makeEvent({ type: 'test.order.paid', data: { total: 42 } });
    await ingest(client, { as: key, body: { events: [event, makeEvent({ type: 'other' })] } });
    await page.getByRole('link', { name: receiver.url }).click();
    await page.getByText('the target answered 500').first().waitFor();
    await page.getByText('waiting', { exact: true }).waitFor();
    await assertAccessible(page);
    await page.getByRole('link', { name: 'test.order.paid' }).click();
    await page.getByText('{"error":"out of memory"}').first().waitFor();
    await assertAccessible(page);
    receiver.behave(() => ({ status: 204 }));
    await page.getByRole('button', { name: 'Retry now' }).click();
    await page.getByText('delivered', { exact: true }).waitFor();
    assert.deepEqual(receiver.taken(), [event['id']]);
    const taken = receiver.received.at(-1);
    assert.ok(taken);
    verify(taken, secret);
    await page.getByRole('link', { name: String(event['id']) }).click();
    await page.getByRole('heading', { name: 'test.order.paid' }).waitFor();
    await page.goBack();
    await page.getByText('delivered', { exact: true }).waitFor();
    await page.goBack();
    await page.getByLabel('State').selectOption('Delivered');
    await page.getByRole('link', { name: 'test.order.paid' }).waitFor();
    assert.equal(new URL(page.url()).search, '?state=delivered');
    assertClean();
  });

  test('shows a subscription as failing until a delivery succeeds', async (t) => {
    await using receiver = await startReceiver();
    receiver.behave(() => ({ status: 500 }));
    const { id, path } = await shop('Failing');
    await subscribingIn(client, admin, id).subscribe({ url: receiver.url });
    await ingest(client, { as: admin, body: { events: [makeEvent()] } }, `?spaceId=${id}`);
    const { page, assertClean } = await openConsole(t, browser, `${path}/subscriptions`);
    await signInToConsole(page);
    await page.getByText('failing', { exact: true }).waitFor();
    await assertAccessible(page);
    await page.getByRole('link', { name: receiver.url }).click();
    await page.getByText('failing', { exact: true }).waitFor();
    receiver.behave(() => ({ status: 204 }));
    await page.getByRole('button', { name: 'Retry now' }).click();
    await page.getByText('active', { exact: true }).waitFor();
    assertClean();
  });

  test('sees that a delivery waits behind an earlier one of its subject', async (t) => {
    await using receiver = await startReceiver();
    receiver.behave(() => ({ status: 500 }));
    const { id, path } = await shop('Behind');
    const subscription = await subscribingIn(client, admin, id).subscribe({ url: receiver.url });
    const events = ['first', 'second'].map((name) => makeEvent({ id: name, subject: 'order-1' }));
    await ingest(client, { as: admin, body: { events } }, `?spaceId=${id}`);
    const { page, assertClean } = await openConsole(
      t,
      browser,
      `${path}/subscriptions/${subscription.id}`,
    );
    await signInToConsole(page);
    await page.getByRole('row', { name: /second waiting 0 – after an earlier delivery/ }).waitFor();
    await page.getByRole('row', { name: /first waiting [1-9]/ }).waitFor();
    await page.getByRole('link', { name: 'second' }).click();
    await page.getByText('after an earlier delivery').waitFor();
    assertClean();
  });

  test('forgets the error of a retry when the delivery is discarded', async (t) => {
    await using receiver = await startReceiver();
    receiver.behave(() => ({ status: 500 }));
    const { id, path } = await shop('Forgotten error');
    const { subscribe } = subscribingIn(client, admin, id);
    const subscription = await subscribe({ url: receiver.url });
    await ingest(client, { as: admin, body: { events: [makeEvent()] } }, `?spaceId=${id}`);
    const { page } = await openConsole(t, browser, `${path}/subscriptions/${subscription.id}`);
    await signInToConsole(page);
    await page.route('**/resend', (route) => route.fulfill({ status: 503, json: {} }));
    await page.getByRole('button', { name: 'Retry now' }).click();
    const alert = page.getByRole('main').getByRole('alert').filter({ hasText: /\S/ });
    await alert.waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await page.getByText('No delivery is waiting.').waitFor();
    assert.equal(await alert.count(), 0);
  });

  test('says why a delivery cannot be retried although its buttons have disappeared', async (t) => {
    await using receiver = await startReceiver();
    receiver.behave(() => ({ status: 500 }));
    const { id, path } = await shop('Retries');
    const { subscribe, deliveries, ask } = subscribingIn(client, admin, id);
    const subscription = await subscribe({ url: receiver.url });
    const url = `${path}/subscriptions/${subscription.id}`;
    const { page, assertClean } = await openConsole(t, browser, url);
    await signInToConsole(page);
    const again = page.getByRole('button', { name: 'Retry now' });
    /** Fails a delivery, and lets somebody else retry it successfully. */
    const fail = async () => {
      receiver.behave(() => ({ status: 500 }));
      await ingest(client, { as: admin, body: { events: [makeEvent()] } }, `?spaceId=${id}`);
      await again.waitFor();
      const [delivery] = await deliveries(subscription.id);
      assert.ok(delivery);
      const succeed = async () => {
        receiver.behave(() => ({ status: 204 }));
        await ask('POST', `/${subscription.id}/deliveries/${delivery.id}/resend`);
        const waiting = async () => (await deliveries(subscription.id)).length;
        await until('the delivery succeeds', async () => (await waiting()) === 0);
      };
      return { delivery, succeed };
    };
    const first = await fail();
    const { promise: isGone, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/resend', async (route) => {
      await isGone;
      await route.continue();
    });
    await again.click();
    await first.succeed();
    await page.getByText('No delivery is waiting.').waitFor();
    release();
    await page.getByRole('alert').getByText('no waiting or parked delivery').waitFor();
    const second = await fail();
    await page.goto(`${url}/deliveries/${second.delivery.id}`);
    await again.waitFor();
    await second.succeed();
    await again.click();
    await again.waitFor({ state: 'detached' });
    await page.getByText('delivered', { exact: true }).waitFor();
    await page.getByRole('alert').getByText('no waiting or parked delivery').waitFor();
    assertClean();
  });

  test('says that a retried delivery has failed again, and why, until it succeeds', async (t) => {
    await using receiver = await startReceiver();
    receiver.behave(() => ({ status: 500 }));
    const { id, path } = await shop('Failures');
    const { subscribe, deliveries } = subscribingIn(client, admin, id);
    const subscription = await subscribe({ url: receiver.url });
    const event = makeEvent();
    await ingest(client, { as: admin, body: { events: [event] } }, `?spaceId=${id}`);
    await until('an attempt failed', async () => {
      const [delivery] = await deliveries(subscription.id);
      return delivery?.failure != null;
    });
    const [delivery] = await deliveries(subscription.id);
    const url = `${path}/subscriptions/${subscription.id}`;
    const { page, assertClean } = await openConsole(t, browser, url);
    await signInToConsole(page);
    const again = page.getByRole('button', { name: 'Retry now' });
    const note = (status: number) =>
      page.getByRole('alert').getByText(`: the target answered ${status}`);
    receiver.behave(() => ({ status: 502 }));
    await again.click();
    await page
      .getByRole('row')
      .filter({ has: note(502) })
      .waitFor();
    assert.match(
      await note(502).innerText(),
      new RegExp(`^${event['id']} failed again \\(.+\\): `),
    );
    await assertAccessible(page);
    await page.goto(`${url}/deliveries/${delivery?.id}`);
    receiver.behave(() => ({ status: 503 }));
    await again.click();
    await note(503).waitFor();
    await page.goto(url);
    await again.click();
    await note(503).waitFor();
    receiver.behave(() => ({ status: 204 }));
    await again.click();
    await page.getByText('No delivery is waiting').waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    assertClean();
  });

  test('sees when a test event failed', async (t) => {
    await using receiver = await startReceiver();
    receiver.behave(() => ({ status: 503 }));
    const { id, path } = await shop('Test');
    const subscription = await subscribingIn(client, admin, id).subscribe({ url: receiver.url });
    const url = `${path}/subscriptions/${subscription.id}`;
    const { page } = await openConsole(t, browser, url);
    await signInToConsole(page);
    await page.getByRole('button', { name: 'Send a test event' }).click();
    const result = page.getByRole('status').filter({ hasText: 'The test failed' });
    await result.waitFor();
    const at = await result.locator('time').getAttribute('datetime', { timeout: 5000 });
    assert.ok(Math.abs(Date.now() - Date.parse(at ?? '')) < 60_000);
  });

  test('sees the error of a change although a test has failed before', async (t) => {
    const { id, path } = await shop('Errors');
    const { subscribe } = subscribingIn(client, admin, id);
    const subscription = await subscribe({ url: 'http://127.0.0.1:9/' });
    const url = `${path}/subscriptions/${subscription.id}`;
    const { page } = await openConsole(t, browser, url);
    await signInToConsole(page);
    const refuse = (path: string, message: string) =>
      page.route(path, (route) => {
        if (route.request().method() === 'GET') return route.continue();
        const error = { error: message, code: 'request.conflict', message };
        return route.fulfill({ status: 409, json: error });
      });
    await refuse(`**/subscriptions/${subscription.id}/test`, 'no test now');
    await refuse(`**/subscriptions/${subscription.id}`, 'no change now');
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.getByRole('alert').filter({ hasText: 'no test now' }).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('alert').filter({ hasText: 'no change now' }).waitFor();
  });

  test('sees the state of a subscription in a narrow window without scrolling', async (t) => {
    const { id, path } = await shop('Narrow');
    const { subscribe } = subscribingIn(client, admin, id);
    await subscribe({ url: `http://127.0.0.1:9/${'long-path/'.repeat(30)}` });
    const viewport = { width: 320, height: 640 };
    const { page } = await openConsole(t, browser, `${path}/subscriptions`, { viewport });
    await signInToConsole(page);
    const badge = page.getByText('active', { exact: true });
    await badge.waitFor();
    const box = await badge.boundingBox();
    assert.ok(box !== null && box.x + box.width <= 300, `the state is at ${JSON.stringify(box)}`);
  });

  test('tests, pauses, replays and deletes a subscription', async (t) => {
    await using receiver = await startReceiver();
    const { id, path } = await shop('Subscriptions');
    const { subscribe, show } = subscribingIn(client, admin, id);
    const subscription = await subscribe({ url: receiver.url });
    const event = makeEvent();
    await ingest(client, { as: admin, body: { events: [event] } }, `?spaceId=${id}`);
    await until('the event is delivered', () => receiver.taken().length === 1);
    const url = `${path}/subscriptions/${subscription.id}`;
    const { page, assertClean } = await openConsole(t, browser, url);
    await signInToConsole(page);
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.getByText('The target accepted the test event with status 204.').waitFor();
    receiver.behave(() => ({ status: 503 }));
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.getByText('The test failed: the target answered 503').waitFor();
    receiver.behave(() => ({ status: 204 }));
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('paused', { exact: true }).waitFor();
    assert.equal((await show(subscription.id)).state, 'disabled');
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('active', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Replay' }).click();
    await assertAccessible(page);
    const before = receiver.received.length;
    await page.getByRole('button', { name: 'Start the replay' }).click();
    await until('the event is delivered again', () =>
      receiver.received.slice(before).some((one) => one.event['id'] === event['id']),
    );
    await page.getByText(/^Events since .*: finished/).waitFor();
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByRole('button', { name: 'Create a new secret' }).click();
    assert.notEqual(await shownSecret(page), subscription.secret);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete this subscription?' });
    assert.match(await dialog.innerText(), /discards its deliveries: 0 waiting, 0 parked/);
    await assertAccessible(page);
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Create the first one below').waitFor();
    assertClean();
  });

  test('a new secret is shown although the user tries to close the dialog before it arrives', async (t) => {
    const { id, path } = await shop('Slow secrets');
    const source = { name: 'shop', source: 'https://shop.example/slow' };
    await client(`/spaces/${id}/event-sources`, { as: admin, body: source });
    const { page } = await openConsole(t, browser, `${path}/sources`);
    await signInToConsole(page);
    const isHeld = Promise.withResolvers<void>();
    await page.route('**/event-sources/*/secrets', async (route) => {
      await isHeld.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Rotate secret shop' }).click();
    await page.getByRole('button', { name: 'Create a new secret' }).click();
    for (let press = 0; press < 3; press++) await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Cancel' }).press('Enter');
    isHeld.resolve();
    assert.match(await shownSecret(page), /^whsec_/);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('discards a waiting delivery, and sees hostile texts as text on every width', async (t) => {
    await using receiver = await startReceiver();
    receiver.behave(() => ({ status: 500, body: HOSTILE }));
    const { id, path } = await shop(HOSTILE);
    const { subscribe, deliveries } = subscribingIn(client, admin, id);
    const types = ['*', `${HOSTILE.replace('*', '+')}${'y'.repeat(900)}`];
    const subscription = await subscribe({ url: `${receiver.url}?${'x'.repeat(900)}`, types });
    await registerSource(client, admin, id, {
      name: HOSTILE.replace('\u202E', ''),
      source: `urn:${'x'.repeat(900)}`,
    });
    const hostile = { type: HOSTILE, subject: HOSTILE, id: HOSTILE, data: HOSTILE.repeat(1000) };
    const body = { events: [makeEvent(hostile)] };
    await ingest(client, { as: admin, body }, `?spaceId=${id}`);
    await until('an attempt failed', async () => {
      const [delivery] = await deliveries(subscription.id);
      return (delivery?.attempts ?? 0) > 0;
    });
    const [delivery] = await deliveries(subscription.id);
    const own = `${path}/subscriptions/${subscription.id}`;
    const { page, assertClean } = await openConsole(t, browser, own);
    page.on('dialog', () => assert.fail('a script ran'));
    await signInToConsole(page);
    for (const url of [
      `${path}/sources`,
      `${path}/subscriptions`,
      own,
      `${own}/deliveries/${delivery?.id}`,
      `${path}/sinks`,
    ]) {
      await page.goto(url);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('main').locator('tbody tr, dl').first().waitFor();
      assert.equal(await page.locator('img, script:not([src])').count(), 0, url);
      for (const width of [1280, 1024, 390]) {
        await page.setViewportSize({ width, height: 800 });
        const overflow = 'document.documentElement.scrollWidth > innerWidth';
        assert.equal(await page.evaluate(overflow), false, `${url} at ${width}`);
      }
      await page.setViewportSize({ width: 1280, height: 800 });
    }
    await assertAccessible(page);
    await page.goto(own);
    await page.getByRole('button', { name: /^Discard/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Discard this delivery?' });
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('No delivery is waiting').waitFor();
    assert.deepEqual(await deliveries(subscription.id), []);
    assertClean();
  });
});
