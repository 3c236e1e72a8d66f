import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { devices, type Page } from 'playwright-core';
import { skip, visit } from '../support/browser/browser.ts';
import { ask, REFUND, shopOfThisFile } from '../support/browser/widget.ts';

describe('the widget on different devices and in different languages', { skip }, () => {
  const shop = shopOfThisFile();

  test('uses the language of the link or, if the link has no language, the language of the browser', async (t) => {
    const { browser, newLink } = shop();
    const { page, problems } = await visit(t, browser, { locale: 'fr-CA' });
    await page.goto((await newLink()).url);
    await page.getByRole('button', { name: 'Envoyer' }).waitFor();
    assert.equal(await page.locator('html').getAttribute('lang'), 'fr');
    await page.goto((await newLink({ widget: { locale: 'de-AT' } })).url);
    await page.getByRole('button', { name: 'Senden' }).waitFor();
    assert.equal(await page.locator('html').getAttribute('lang'), 'de');
    await page.goto((await newLink({ widget: { locale: 'no such language' } })).url);
    await page.getByRole('button', { name: 'Envoyer' }).waitFor();
    assert.deepEqual(problems, []);
  });

  test('falls back to English if a translation cannot be fetched', async (t) => {
    const { browser, newLink } = shop();
    const { page } = await visit(t, browser, { locale: 'ja' });
    await page.route(/\/assets\/ja-/, (request) => request.abort());
    await page.goto((await newLink()).url);
    await page.getByRole('button', { name: 'Send' }).waitFor();
    assert.equal(await page.locator('html').getAttribute('lang'), 'en');
  });

  test('uses a right-to-left layout for Arabic and displays each message in the direction of its text', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser, { locale: 'ar-EG' });
    model.behave(REFUND);
    await page.goto((await newLink()).url);
    await page.getByRole('textbox').fill('كم تستغرق مدة الاسترداد؟ refund');
    await page.getByRole('textbox').press('Enter');
    const answer = page.getByRole('article').last();
    await answer.getByText('five days').waitFor();
    assert.equal(await page.locator('html').getAttribute('dir'), 'rtl');
    const [field, button] = await Promise.all([
      page.getByRole('textbox').boundingBox(),
      page.locator('.composer button.send').boundingBox(),
    ]);
    assert.ok((button?.x ?? 0) < (field?.x ?? 0), 'the send button is to the left of the field');
    assert.equal(await directionOf(page, 'article.answer p'), 'ltr');
    assert.equal(await directionOf(page, 'article.question p'), 'rtl');
    assert.deepEqual(problems, []);
  });

  test('shows the bullets of a list on the side where its items start, in both directions', async (t) => {
    const { browser, model, newLink } = shop();
    const arabic = 'الخطوات:\n\n- Gatehouse يرسل\n- مرحبا بك\n- 5 أيام\n\n1. 12';
    const english = 'Steps:\n\n- Open it\n- مرحبا then press\n- 5\n\n1. 12';
    for (const locale of ['en', 'ar'])
      for (const [text, side] of [
        [arabic, 'right'],
        [english, 'left'],
      ] as const) {
        const { page } = await visit(t, browser, { locale });
        model.behave({ does: 'answer', pieces: [text] });
        await page.goto((await newLink()).url);
        await page.getByRole('textbox').fill('refund');
        await page.getByRole('textbox').press('Enter');
        const items = page.getByRole('article').last().getByRole('listitem');
        await items.filter({ hasText: '12' }).waitFor();
        const gaps = await items.evaluateAll<string[], string>(
          (all, name) =>
            all.map((item) => {
              const range = item.ownerDocument.createRange();
              range.selectNodeContents(item);
              const list = item.parentElement.getBoundingClientRect();
              const gap = Math.abs(range.getBoundingClientRect()[name] - list[name]);
              const { direction } = item.ownerDocument.defaultView.getComputedStyle(item);
              return `${direction} ${Math.round(gap)}`;
            }),
          side,
        );
        const expected = side === 'right' ? 'rtl 24' : 'ltr 24';
        assert.deepEqual(gaps, [expected, expected, expected, expected], `${locale} ${text}`);
      }
  });

  test('scrolls in a window that is too low for the conversation, the header and the field', async (t) => {
    const { browser, model, newLink, revoke } = shop();
    const viewport = { width: 420, height: 100 };
    const { page } = await visit(t, browser, { viewport });
    model.behave(REFUND);
    await page.goto((await newLink()).url);
    await ask(page, 'How long does a refund take?', 'five days');
    const log = await page.getByRole('region', { name: 'Conversation' }).boundingBox();
    assert.ok((log?.height ?? 0) >= 75, `the conversation has a height of ${log?.height} px`);
    for (const name of ['Earlier conversations', 'Send']) {
      const button = page.getByRole('button', { name });
      await button.scrollIntoViewIfNeeded();
      const box = await button.boundingBox();
      assert.ok(box && box.y >= 0 && box.y + box.height <= viewport.height, name);
    }
    const link = await newLink({ loginUrl: '/login' });
    await revoke(link);
    await page.goto(link.url);
    for (const text of ['This link has been revoked', 'Sign in again']) {
      const part = page.getByText(text, { exact: true });
      await part.scrollIntoViewIfNeeded();
      const box = await part.boundingBox();
      assert.ok(box && box.y >= 0 && box.y + box.height <= viewport.height, text);
    }
  });

  test('fits a phone, has large touch targets and does not open the keyboard', async (t) => {
    const { browser, model, newLink } = shop();
    const { defaultBrowserType: _, ...phone } = devices['iPhone SE'] ?? assert.fail();
    const { page, problems } = await visit(t, browser, phone);
    model.behave({
      does: 'answer',
      pieces: [
        `${'A-very-long-word-'.repeat(30)}\n\n| a | b | c |\n|---|---|---|\n| ${'x'.repeat(200)} | 2 | 3 |\n\n\`\`\`\n${'y'.repeat(300)}\n\`\`\``,
      ],
    });
    await page.goto((await newLink()).url);
    await page.getByText('Hello!').waitFor();
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'BODY');
    await ask(page, 'How long does a refund take?', 'A-very-long-word');
    const [wide, inner] = await page.evaluate<number[]>(
      '[document.documentElement.scrollWidth, innerWidth]',
    );
    assert.equal(wide, inner, 'nothing is wider than the screen');
    for (const button of await page.getByRole('button').all()) {
      const box = await button.boundingBox();
      assert.ok(box && box.width >= 24 && box.height >= 24, await button.innerHTML());
    }
    assert.deepEqual(problems, []);
  });

  test('shows the focus in forced-colors mode', async (t) => {
    const { browser, newLink } = shop();
    const { page } = await visit(t, browser, { forcedColors: 'active' });
    await page.goto((await newLink()).url);
    const outline = () =>
      page.locator('.field').evaluate((node) => {
        const { outlineStyle, outlineColor } =
          node.ownerDocument.defaultView.getComputedStyle(node);
        return [outlineStyle, outlineColor];
      });
    await page.getByRole('textbox').and(page.locator(':focus')).waitFor();
    const [style, colour] = await outline();
    assert.equal(style, 'solid');
    assert.notEqual(colour, 'rgba(0, 0, 0, 0)');
    await page.getByRole('button', { name: 'Earlier conversations' }).focus();
    assert.equal((await outline())[0], 'none');
  });

  test('has no animations if reduced motion is preferred', async (t) => {
    const { browser, model, newLink } = shop();
    const { page } = await visit(t, browser, { reducedMotion: 'reduce' });
    model.behave({ does: 'stall' });
    await page.goto((await newLink()).url);
    await ask(page, 'How long does a refund take?');
    await page.locator('.dots').waitFor();
    assert.equal(await page.evaluate('document.getAnimations().length'), 0);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    assert.notEqual(await page.evaluate('document.getAnimations().length'), 0);
  });
});

function directionOf(page: Page, selector: string): Promise<string> {
  return page
    .locator(selector)
    .first()
    .evaluate((node) => node.ownerDocument.defaultView.getComputedStyle(node).direction);
}
