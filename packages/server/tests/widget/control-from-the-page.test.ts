import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { skip } from '../support/browser/browser.ts';
import {
  hostOfThisFile,
  scriptTag,
  strictPolicy,
  visitHost,
} from '../support/browser/host-page.ts';
import { untilTrue } from '../support/browser/until-true.ts';
import { ask, REFUND, shopOfThisFile } from '../support/browser/widget.ts';

const NAMES = ['open', 'close', 'state', 'question', 'answer', 'error'];
/** Makes the page record the events from `on`, DOM events and messages from all windows. */
const RECORD = `
  window.heard = []; window.messages = [];
  window.Gatehouse = window.Gatehouse || [];
  for (const name of ${JSON.stringify(NAMES)}) {
    Gatehouse.push(['on', name, (detail) => heard.push([name, detail])]);
    document.addEventListener('gatehouse-' + name, ({ detail }) => messages.push(detail));
  }
  window.addEventListener('message', ({ data }) => messages.push(data));
`;
/** Makes the page itself open the chat. `page.evaluate` would count as a user action. */
const opening = (page: Page) => page.addInitScript("window.Gatehouse = [['open']]");
/** Makes the frame receive the first messages of the page only after the frame has called `receive()`. */
const HOLD = `if (window !== top) {
  const held = [];
  const hold = (event) => {
    event.stopImmediatePropagation();
    held.push(event);
  };
  addEventListener('message', hold);
  window.receive = () => {
    removeEventListener('message', hold);
    for (const { data, origin, source } of held)
      dispatchEvent(new MessageEvent('message', { data, origin, source }));
  };
}`;
/** Makes the window of the frame receive the event `focus` only when the test calls `focusLate()`. */
const HOLD_FOCUS = `if (window !== top) {
  const hold = (event) => event.target === window && event.stopImmediatePropagation();
  addEventListener('focus', hold);
  window.focusLate = () => {
    removeEventListener('focus', hold);
    dispatchEvent(new FocusEvent('focus'));
  };
}`;
const heard = (page: Page) => page.evaluate('heard') as Promise<[string, unknown][]>;

describe('a page that controls the chat', { skip }, () => {
  const shop = shopOfThisFile();
  const host = hostOfThisFile(shop);

  async function pageWith(attributes = '', link: object = {}) {
    const { token } = await shop().newLink(link);
    const body = scriptTag(shop(), `data-token="${token}" ${attributes}`);
    return host().add({ body, policy: strictPolicy(shop()) });
  }

  test('can call the API before the script loads, and receives events', async (t) => {
    const before = async (page: Page) => {
      await page.addInitScript(RECORD);
      await page.addInitScript("Gatehouse.push(['open'])");
    };
    const { page, chat, problems } = await visitHost(t, shop(), await pageWith(), { before });
    await chat.getByRole('textbox').waitFor();
    assert.deepEqual((await heard(page))[0], ['open', {}]);
    // The frame reports its state in a message, which may arrive after the text field has appeared.
    await untilTrue(page, "heard.at(-1)?.[1].state === 'open'");
    await page.evaluate("Gatehouse.push(['close'])");
    assert.deepEqual((await heard(page)).at(-1), ['close', {}]);
    assert.deepEqual(problems, []);
  });

  test('receives events about questions and answers, but not the text of questions and answers', async (t) => {
    shop().model.behave(REFUND);
    const before = (page: Page) => page.addInitScript(RECORD);
    const { page, chat } = await visitHost(t, shop(), await pageWith(), { before });
    await untilTrue(page, 'Gatehouse.open');
    await page.evaluate('Gatehouse.open()');
    await ask(chat, 'How long does a refund take?', 'five days');
    await page.evaluate('Gatehouse.close()');
    await untilTrue(page, "heard.at(-1)?.[0] === 'close'");
    assert.deepEqual(
      (await heard(page)).filter(([name, detail]) => name !== 'state' || isOpen(detail)),
      [
        ['open', {}],
        ['state', { state: 'open' }],
        ['question', {}],
        ['answer', { state: 'finished' }],
        ['close', {}],
      ],
    );
    const all = JSON.stringify(await page.evaluate('messages'));
    assert.match(all, /"gatehouse":1/);
    assert.doesNotMatch(all, /refund|five days/i);
  });

  test('receives no events after it removes a listener', async (t) => {
    const { page, button, chat } = await visitHost(t, shop(), await pageWith());
    await button.waitFor();
    await page.evaluate(
      "window.count = 0; window.stop = Gatehouse.on('open', () => { count += 1; }); Gatehouse.open()",
    );
    await chat.getByRole('textbox').waitFor();
    await page.evaluate('stop(); Gatehouse.close(); Gatehouse.open()');
    assert.equal(await page.evaluate('count'), 1);
  });

  test('sends context to the assistant before and after the chat is opened', async (t) => {
    const { model } = shop();
    model.behave(REFUND);
    const { page, button, chat } = await visitHost(t, shop(), await pageWith());
    await button.waitFor();
    await page.evaluate("Gatehouse.updateContext({ page: 'lamp-nine' })");
    await button.click();
    await ask(chat, 'How long does a refund take?', 'five days');
    assert.match(String(model.requests.at(-1)?.text), /lamp-nine/);
    await page.evaluate("Gatehouse.updateContext(new Proxy({ page: 'lamp-ten' }, {}))");
    await ask(chat, 'And this?', 'five days');
    assert.match(String(model.requests.at(-1)?.text), /lamp-ten/);
    assert.doesNotMatch(String(model.requests.at(-1)?.text), /lamp-nine/);
    const warned = page.waitForEvent('console', (line) => /exceeds 8000/.test(line.text()));
    await page.evaluate("Gatehouse.updateContext({ page: 'lamp-ten '.repeat(1000) })");
    await warned;
    await ask(chat, 'And that?', 'five days');
    assert.doesNotMatch(String(model.requests.at(-1)?.text), /lamp-ten/);
  });

  test('provides its facts for a question that the user has sent before the page could answer the frame', async (t) => {
    const { model, service } = shop();
    model.behave(REFUND);
    const before = async (page: Page) => {
      await page.addInitScript(RECORD);
      await page.addInitScript(HOLD);
      await page.addInitScript("Gatehouse.push(['updateContext', { page: 'lamp-nine' }])");
    };
    const visited = await visitHost(t, shop(), await pageWith(), { before });
    const { page, button, chat, requests, problems } = visited;
    await button.click();
    await ask(chat, 'How long does a refund take?');
    await chat.getByRole('button', { name: 'Stop' }).waitFor();
    assert.ok(!requests.includes(`${service.url}/chat`));
    await chat.locator('body').evaluate('receive()');
    await chat.getByRole('article').getByText('five days').waitFor();
    assert.match(String(model.requests.at(-1)?.text), /lamp-nine/);
    await untilTrue(page, "heard.some(([name]) => name === 'answer')");
    const names = (await heard(page)).map(([name]) => name);
    assert.deepEqual(names, ['open', 'state', 'question', 'answer']);
    assert.deepEqual(problems, []);
  });

  test('can use the chat although earlier calls have failed', async (t) => {
    const { model } = shop();
    model.behave(REFUND);
    const before = async (page: Page) => {
      page.on('console', (line) => line.type() === 'warning' && warnings.push(line.text()));
      await page.addInitScript(`window.Gatehouse ??= (() => {
        const cyclic = {};
        cyclic.itself = cyclic;
        return [['init', { target: '##' }], ['init'], ['updateContext', { page: 'lamp-nine' }], null,
          ['updateContext', cyclic], ['updateContext', 'lamp-ten'], ['open']];
      })()`);
    };
    const warnings: string[] = [];
    const attributes = 'data-context="lamp-eight" data-mode="inline" data-target="##"';
    const visited = await visitHost(t, shop(), await pageWith(attributes), { before });
    const { page, chat, problems } = visited;
    await untilTrue(page, 'Gatehouse.isLive');
    await page.evaluate("document.body.append(Gatehouse); Gatehouse.push(['open'])");
    await ask(chat, 'How long does a refund take?', 'five days');
    assert.match(String(model.requests.at(-1)?.text), /lamp-nine/);
    await page.evaluate('Gatehouse.updateContext(undefined)');
    await ask(chat, 'And this?', 'five days');
    assert.doesNotMatch(String(model.requests.at(-1)?.text), /lamp-nine/);
    const unsuitable = 'Gatehouse: updateContext needs an object';
    assert.deepEqual(warnings, [unsuitable, unsuitable]);
    assert.deepEqual(
      problems.map((problem) => /\w+Error/.exec(problem)?.[0]),
      ['SyntaxError', 'SyntaxError', 'TypeError', 'TypeError', 'TypeError'],
    );
  });

  test('can remove the chat with its state and create a new chat', async (t) => {
    const before = (page: Page) => page.addInitScript(RECORD);
    const { page, button, chat } = await visitHost(t, shop(), await pageWith(), { before });
    await button.click();
    await chat.getByRole('textbox').waitFor();
    // The frame reports its state in a message, which may arrive after the text field has appeared.
    await untilTrue(page, "heard.at(-1)?.[1].state === 'open'");
    const count = (await heard(page)).length;
    await page.evaluate('Gatehouse.destroy()');
    assert.equal(await page.locator('gatehouse-chat').count(), 0);
    await page.evaluate('Gatehouse.init({})');
    assert.equal(await button.getAttribute('aria-expanded'), 'false');
    assert.equal(await button.getAttribute('aria-label'), 'Open chat');
    await page.evaluate("Gatehouse.init({ mode: 'inline', label: 'Help' })");
    await chat.getByRole('textbox').waitFor();
    assert.equal(await page.locator('iframe').getAttribute('title'), 'Help');
    assert.equal(await page.locator('#box').count(), 1);
    assert.equal((await heard(page)).length, count);
  });

  test('can remove and reinsert the chat element and set the token of another user', async (t) => {
    const { page, button, chat } = await visitHost(t, shop(), await pageWith('', { sub: 'ada' }));
    shop().model.behave(REFUND);
    await button.click();
    await ask(chat, 'How long does a refund take?', 'five days');
    await page.evaluate("document.body.append(document.querySelector('gatehouse-chat'))");
    const gone = page.waitForEvent('framedetached');
    await page.evaluate('Gatehouse.remove()');
    await gone;
    await page.evaluate('document.body.append(Gatehouse)');
    await chat.getByRole('article').getByText('five days').waitFor();
    const { token } = await shop().newLink({ sub: 'grace' });
    await page.evaluate(`Gatehouse.setAttribute('token', '${token}')`);
    await chat.getByRole('article').getByText('five days').waitFor({ state: 'detached' });
    await chat.getByText('Hello!').waitFor();
    assert.equal(await chat.getByRole('article').count(), 0);
  });

  test('can move the open chat, without warnings, and shows an error if it does not load again', async (t) => {
    const { page, button, chat } = await visitHost(t, shop(), await pageWith(''));
    const warnings: string[] = [];
    page.on('console', (line) => line.type() === 'warning' && warnings.push(line.text()));
    await button.click();
    await chat.getByText('Hello!').waitFor();
    const move = () =>
      page.evaluate("document.body.append(document.querySelector('gatehouse-chat'))");
    await move();
    await chat.getByText('Hello!').waitFor();
    assert.deepEqual(warnings, []);
    await page.route('**/widget/*', (route) => route.abort());
    await move();
    await page.getByRole('alert').getByText('Chat unavailable').waitFor();
    await page.unroute('**/widget/*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await chat.getByText('Hello!').waitFor();
  });

  test('can contain the chat element in its HTML and open the chat', async (t) => {
    const { token } = await shop().newLink();
    const element = `<gatehouse-chat token="${token}" mode="panel"></gatehouse-chat>`;
    const policy = strictPolicy(shop());
    const url = host().add({ body: element + scriptTag(shop(), ''), policy });
    const { page, button, chat, problems } = await visitHost(t, shop(), url);
    await button.waitFor();
    assert.equal(await page.locator('gatehouse-chat').count(), 1);
    await page.evaluate("document.querySelector('gatehouse-chat').open()");
    await chat.getByRole('textbox').waitFor();
    assert.deepEqual(problems, []);
  });

  test('keeps the focus when it opens the chat by script', async (t) => {
    const { token } = await shop().newLink();
    const body = `<input autofocus aria-label="Name">${scriptTag(shop(), `data-token="${token}"`)}`;
    const logged: Promise<unknown>[] = [];
    const before = async (page: Page) => {
      await page.addInitScript(`
        window.Gatehouse = [['on', 'open', () => console.log('opened')], ['open']];
        addEventListener('focusin', () => console.log('focused'), { once: true });
      `);
      for (const text of ['opened', 'focused'])
        logged.push(page.waitForEvent('console', (message) => message.text() === text));
    };
    const { page, chat } = await visitHost(t, shop(), host().add({ body }), { before });
    // A locator evaluates code in the page, which counts as a user action. The page itself must open the chat.
    await Promise.all(logged);
    await chat.getByRole('textbox').waitFor();
    await page.keyboard.type('Ada');
    assert.equal(await page.getByLabel('Name').inputValue(), 'Ada');
  });

  test('keeps the focus in a field in which the user is typing when it opens the chat', async (t) => {
    const { token } = await shop().newLink();
    const field = '<input aria-label="Name" oninput="Gatehouse.open()">';
    const body = `${field}${scriptTag(shop(), `data-token="${token}"`)}`;
    const { page, button, chat } = await visitHost(t, shop(), host().add({ body }));
    await button.waitFor();
    await page.getByLabel('Name').pressSequentially('A');
    await chat.getByRole('textbox').waitFor();
    await page.keyboard.type('da');
    assert.equal(await page.getByLabel('Name').inputValue(), 'Ada');
  });

  test('opens a chat whose text field is focused even if the frame receives the focus late', async (t) => {
    const { page, chat } = await visitHost(t, shop(), await pageWith(), { before: opening });
    await chat.getByRole('textbox').waitFor();
    // The browser moves the focus between processes, so it usually arrives after the message `shown`.
    await page.locator('gatehouse-chat iframe').focus();
    await chat.getByRole('textbox').and(chat.locator(':focus')).waitFor();
  });

  test('a user who tabs into the chat reaches its first control', async (t) => {
    const { page, button, chat } = await visitHost(t, shop(), await pageWith(), {
      before: opening,
    });
    await chat.getByRole('textbox').waitFor();
    await button.focus();
    await page.keyboard.press('Tab');
    const first = chat.getByRole('button', { name: 'Earlier conversations' });
    await first.and(chat.locator(':focus')).waitFor();
  });

  test('a user who tabs into the chat stays at its first control even if the window receives the focus later', async (t) => {
    const { page, button, chat } = await visitHost(t, shop(), await pageWith(), {
      before: async (page) => {
        await page.addInitScript(HOLD_FOCUS);
        await opening(page);
      },
    });
    await chat.getByRole('textbox').waitFor();
    await button.focus();
    await page.keyboard.press('Tab');
    const focused = chat
      .getByRole('button', { name: 'Earlier conversations' })
      .and(chat.locator(':focus'));
    await focused.waitFor();
    await chat.locator(':root').evaluate('focusLate()');
    assert.equal(await focused.count(), 1);
  });

  test('regains the focus when the chat is closed', async (t) => {
    const { token } = await shop().newLink();
    const body = `<button id="help">Help</button>${scriptTag(shop(), `data-token="${token}"`)}`;
    const { page, chat, button } = await visitHost(t, shop(), host().add({ body }));
    await button.waitFor();
    await page.evaluate('help.onclick = () => Gatehouse.open()');
    await page.getByRole('button', { name: 'Help' }).click();
    await chat.getByRole('textbox').and(chat.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('#help:focus').waitFor();
  });
});

function isOpen(detail: unknown): boolean {
  return (detail as { state?: string }).state === 'open';
}
