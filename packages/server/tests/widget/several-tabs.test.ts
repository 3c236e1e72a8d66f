import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shownPrompt } from '../support/assistant/shown-prompt.ts';
import { skip, visit } from '../support/browser/browser.ts';
import { ask, REFUND, shopOfThisFile } from '../support/browser/widget.ts';

describe('a conversation in several tabs', { skip }, () => {
  const shop = shopOfThisFile();

  test('does not lose messages from another tab by regenerating an answer, and then sees them', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    model.behave((request) => ({
      does: 'answer',
      pieces: [`To ${shownPrompt(request).question}`],
    }));
    const { url } = await newLink({ sub: 'shannon' });
    await page.goto(url);
    await ask(page, 'First', 'To First');
    const other = await page.context().newPage();
    await other.goto(url);
    await ask(other, 'Second', 'To Second');

    await page.getByRole('button', { name: 'Regenerate answer' }).click();
    await page.getByRole('alert').getByText('the conversation has newer messages').waitFor();
    await page.getByText('To Second').waitFor();
    const questions = page.getByRole('article', { name: 'You' });
    assert.deepEqual(await questions.allInnerTexts(), ['First', 'Second']);
    await ask(page, 'Third', 'To Third');
    await page.getByRole('button', { name: 'Regenerate answer' }).click();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    await page.reload();
    await page.getByText('To Third').waitFor();
    assert.deepEqual(await questions.allInnerTexts(), ['First', 'Second', 'Third']);
    assert.deepEqual(problems, []);
  });

  test('does not lose messages from another tab by editing a question, and keeps the edited text', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    model.behave((request) => ({
      does: 'answer',
      pieces: [`To ${shownPrompt(request).question}`],
    }));
    const { url } = await newLink({ sub: 'germain' });
    await page.goto(url);
    await ask(page, 'First', 'To First');
    const other = await page.context().newPage();
    await other.goto(url);
    await ask(other, 'Second', 'To Second');

    const log = page.getByRole('region', { name: 'Conversation' });
    const edit = async (index: number, text: string) => {
      await page.getByRole('button', { name: 'Edit question' }).nth(index).click();
      await page.getByRole('textbox', { name: 'Edit question' }).fill(text);
      await page.keyboard.press('Enter');
    };
    await edit(0, 'First, but edited');
    await page.getByRole('alert').getByText('the conversation has newer messages').waitFor();
    await log.getByText('To Second').waitFor();
    const questions = page.getByRole('article', { name: 'You' });
    assert.deepEqual(await questions.allInnerTexts(), ['First', 'Second', 'First, but edited']);
    await edit(2, 'Third');
    await log.getByText('To Third').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    await page.reload();
    await log.getByText('To Third').waitFor();
    assert.deepEqual(await questions.allInnerTexts(), ['First', 'Second', 'Third']);

    await edit(1, 'Second again');
    await log.getByText('To Second again').waitFor();
    assert.deepEqual(await questions.allInnerTexts(), ['First', 'Second again']);
    assert.deepEqual(problems, []);
  });

  test('waits with a question until another tab has its answer', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    const continued = Promise.withResolvers<void>();
    const { url } = await newLink({ sub: 'hoare' });
    model.behave(REFUND);
    await page.goto(url);
    await ask(page, 'How long does a refund take?', 'five days');
    const other = await page.context().newPage();
    await other.goto(url);
    await other.getByText('Welcome back').waitFor();
    model.behave({
      does: 'answer',
      pieces: (async function* () {
        yield 'Parcels ';
        await continued.promise;
        yield 'take two days.';
      })(),
    });
    await ask(other, 'And a parcel?');
    await other.getByRole('article').last().getByText('Parcels').waitFor();
    model.behave({ does: 'answer', pieces: ['Labels are free.'] });
    const refused = page.waitForResponse((response) => response.status() === 429);
    await ask(page, 'And a label?');
    await refused;
    continued.resolve();
    await page.getByRole('article').last().getByText('Labels are free.').waitFor();
    await other.getByRole('article').last().getByText('Parcels take two days.').waitFor();
    assert.deepEqual(problems, []);
  });

  test('sees that another tab has stopped the answer', async (t) => {
    const { browser, model, newLink } = shop();
    const { page, problems } = await visit(t, browser);
    model.behave({ does: 'stall', pieces: ['Refunds take '] });
    const { url } = await newLink({ sub: 'wilkes' });
    await page.goto(url);
    await ask(page, 'How long does a refund take?');
    const answer = page.getByRole('article').last();
    await answer.getByText('Refunds take').waitFor();
    const other = await page.context().newPage();
    await other.goto(url);
    await other.getByRole('button', { name: 'Stop' }).click();
    await answer.getByText('Stopped.').waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    assert.deepEqual(problems, []);
  });
});
