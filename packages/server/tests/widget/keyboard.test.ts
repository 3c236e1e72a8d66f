import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { skip, visit } from '../support/browser/browser.ts';
import { REFUND, shopOfThisFile } from '../support/browser/widget.ts';

/** The displayed text of a source: its number, document and heading. */
const SOURCE = '1ReturnsReturns › Refunds';

describe('a user with only a keyboard', { skip }, () => {
  const shop = shopOfThisFile();

  test('asks a question, opens a source, rates the answer, starts a new conversation and deletes the first one', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    const { keyboard } = page;
    model.behave(REFUND);
    await page.goto((await newLink()).url);
    await page.getByText('Hello!').waitFor();
    // The text field initially has the focus.
    assert.equal(await focused(page), 'Your question');
    await keyboard.type('How long does a refund take?');
    await keyboard.press('Enter');
    await page.getByRole('article').getByText('five days').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    assert.equal(await focused(page), 'Your question');

    await tabTo(page, SOURCE, 'Shift+Tab');
    await keyboard.press('Enter');
    await page.getByRole('dialog').getByText('within five days').waitFor();
    // The focus stays in the dialog.
    for (let press = 0; press < 4; press += 1) {
      await keyboard.press('Tab');
      assert.ok(
        await page.evaluate(
          'document.querySelector("dialog").contains(document.activeElement) || document.activeElement === document.body',
        ),
      );
    }
    await keyboard.press('Escape');
    assert.equal(await focused(page), SOURCE);

    await tabTo(page, 'Helpful');
    await keyboard.press('Space');
    await page.getByRole('status').getByText('Thanks for your feedback.').waitFor();
    await tabTo(page, 'New conversation', 'Shift+Tab');
    await keyboard.press('Enter');
    await page.getByRole('button', { name: 'Where is my parcel?' }).waitFor();
    assert.equal(await focused(page), 'Your question');

    await tabTo(page, 'Earlier conversations', 'Shift+Tab');
    await keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('listitem').waitFor();
    await tabTo(page, 'Delete “How long does a refund take?”');
    await keyboard.press('Enter');
    assert.equal(await focused(page), 'Delete this conversation permanently?');
    await tabTo(page, 'Cancel');
    await keyboard.press('Enter');
    assert.equal(await focused(page), 'Delete “How long does a refund take?”');
    await keyboard.press('Enter');
    await tabTo(page, 'Delete');
    await keyboard.press('Enter');
    await page.getByText('You have no earlier conversations.').waitFor();
    assert.equal(await page.locator('.conversations:focus').count(), 1);
    await keyboard.press('Escape');
    assert.equal(await focused(page), 'Earlier conversations');
    assert.deepEqual(problems, []);
  });

  test('stops an answer with Escape', async (t) => {
    const { browser, model, newLink } = shop();
    const { page } = await visit(t, browser);
    model.behave({ does: 'stall', pieces: ['Refunds take'] });
    await page.goto((await newLink()).url);
    await page.getByText('Hello!').waitFor();
    await page.keyboard.type('How long?');
    await page.keyboard.press('Enter');
    await page.getByText('Refunds take').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('article').getByText('Stopped.').waitFor();
  });

  test('does not lose the focus when the focused element is removed', async (t) => {
    const { browser, model, newLink } = shop();
    const { page } = await visit(t, browser);
    const { keyboard } = page;
    model.behave({ does: 'stall', pieces: ['Refunds take'] });
    await page.goto((await newLink()).url);
    await page.getByText('Hello!').waitFor();
    await tabTo(page, 'Where is my parcel?', 'Shift+Tab');
    await keyboard.press('Enter');
    await page.getByText('Refunds take').waitFor();
    assert.equal(await focused(page), 'Your question');
    await keyboard.type('And then?');
    await tabTo(page, 'Stop');
    await keyboard.press('Enter');
    await page.getByRole('article').getByText('Stopped.').waitFor();
    assert.equal(await focused(page), 'Send');
    assert.equal(await page.getByRole('textbox').inputValue(), 'And then?');
    model.behave(REFUND);
    await tabTo(page, 'Regenerate answer', 'Shift+Tab');
    await keyboard.press('Enter');
    await page.getByRole('article').getByText('five days').waitFor();
    assert.equal(await focused(page), 'Your question');
    await tabTo(page, 'Not helpful', 'Shift+Tab');
    await keyboard.press('Enter');
    await tabTo(page, 'Send comment');
    await keyboard.press('Enter');
    await page.getByRole('status').getByText('Thanks for your feedback.').waitFor();
    assert.equal(await focused(page), 'Not helpful');
    await page.route('**/chat/conversations/*', (route) => route.abort());
    await page.reload();
    await page.getByRole('alert').getByText('No connection.').waitFor();
    await page.unroute('**/chat/conversations/*');
    await tabTo(page, 'Try again', 'Shift+Tab');
    await keyboard.press('Enter');
    await page.getByRole('article').getByText('five days').waitFor();
    assert.equal(await focused(page), 'Your question');
  });

  test('does not send a question by pressing Enter while an input method composes a word', async (t) => {
    const { browser, newLink } = shop();
    const { page } = await visit(t, browser);
    await page.goto((await newLink()).url);
    const field = page.getByRole('textbox');
    await field.fill('にほ');
    await field.dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    // Safari sends this form of the event.
    await field.dispatchEvent('keydown', { key: 'Enter', keyCode: 229 });
    assert.equal(await field.inputValue(), 'にほ');
    assert.equal(await page.getByRole('article').count(), 0);
  });
});

function focused(page: Page): Promise<string | null> {
  return page.evaluate(
    'document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent',
  );
}

async function tabTo(page: Page, name: string, key = 'Tab'): Promise<void> {
  for (let press = 0; press < 30; press += 1) {
    await page.keyboard.press(key);
    if ((await focused(page)) === name) return;
  }
  assert.fail(`${name} cannot be reached with ${key}`);
}
