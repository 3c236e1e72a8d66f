import type { Page } from 'playwright-core';
import { ask, REFUND, type Shop } from './widget.ts';

/** A long answer that contains every Markdown construct. */
const RICH = {
  does: 'answer',
  pieces: [
    '# Refunds\n\nThey take **five days** [1], see [the rules](https://shop.example/rules).\n\n',
    '- one\n- two\n  1. nested\n\n> quoted\n\n```js\nconst days = 5;\n```\n\n',
    '| Country | Days |\n|---|---|\n| Austria | 5 |\n| Chile | 12 |\n\n`code`, ~~gone~~, ![a cat](https://cats.example/1.png)\n',
  ],
} as const;

/** Functions that bring the widget into each state. */
export const STATES: Readonly<Record<string, (page: Page, shop: Shop) => Promise<void>>> = {
  'new conversation': async (page, { newLink }) => {
    await page.goto((await newLink()).url);
    await page.getByText('Hello!').waitFor();
  },
  'answer with Markdown': async (page, { newLink, model }) => {
    model.behave(RICH);
    await page.goto((await newLink()).url);
    await ask(page, 'How long does a refund take?', 'Chile');
  },
  'streaming answer': async (page, { newLink, model }) => {
    model.behave({ does: 'stall', pieces: ['Refunds take'] });
    await page.goto((await newLink()).url);
    await ask(page, 'How long does a refund take?');
    await page.getByText('Refunds take').waitFor();
  },
  'failed answer': async (page, { newLink, model }) => {
    model.behave({ does: 'drop', pieces: ['Refunds'] });
    await page.goto((await newLink()).url);
    await ask(page, 'How long does a refund take?');
    await page.getByRole('alert').waitFor();
  },
  'edited question': async (page, { newLink, model }) => {
    model.behave(REFUND);
    await page.goto((await newLink()).url);
    await ask(page, 'How long does a refund take?', 'five days');
    await page.getByRole('button', { name: 'Edit question' }).click();
    await page.getByText('The messages after this question will be removed.').waitFor();
  },
  'negative feedback': async (page, { newLink, model }) => {
    model.behave(REFUND);
    await page.goto((await newLink()).url);
    await ask(page, 'How long does a refund take?', 'five days');
    await page.getByRole('button', { name: 'Not helpful' }).click();
    await page.getByRole('button', { name: 'Send comment' }).waitFor();
  },
  'source passage': async (page, { newLink, model }) => {
    model.behave(REFUND);
    await page.goto((await newLink()).url);
    await ask(page, 'How long does a refund take?', 'five days');
    await page
      .getByRole('list')
      .getByRole('button', { name: /Returns/ })
      .click();
    await page.getByRole('dialog').getByText('within five days').waitFor();
  },
  'earlier conversations': async (page, { newLink, model }) => {
    model.behave(REFUND);
    await page.goto((await newLink()).url);
    await ask(page, 'How long does a refund take?', 'five days');
    await page.getByRole('button', { name: 'Earlier conversations' }).click();
    await page.getByRole('dialog').getByRole('listitem').getByRole('button').last().click();
    await page.getByRole('dialog').getByText('permanently').waitFor();
  },
  'question too long': async (page, { newLink }) => {
    await page.goto((await newLink({ features: { chatHistory: false } })).url);
    await page.getByRole('textbox').fill('x'.repeat(4001));
    await page.getByRole('alert').waitFor();
  },
  'revoked link': async (page, { newLink, revoke }) => {
    const link = await newLink({ loginUrl: '/login' });
    await revoke(link);
    await page.goto(link.url);
    await page.getByRole('heading', { name: 'This link has been revoked' }).waitFor();
  },
  'no connection': async (page, { newLink }) => {
    await page.route('**/assistant-link/exchange', (request) => request.abort());
    await page.goto((await newLink()).url);
    await page.getByRole('button', { name: 'Retry now' }).waitFor();
  },
  'right to left with low-contrast accent': async (page, { newLink, model }) => {
    model.behave(REFUND);
    const widget = { locale: 'ar', theme: { accent: '#ffd500' } };
    await page.goto((await newLink({ widget })).url);
    await page.getByRole('textbox').fill('ما هي مدة الاسترداد؟ refund');
    await page.getByRole('textbox').press('Enter');
    await page.getByRole('article').getByText('five days').waitFor();
    await page.locator('.source').waitFor();
  },
};
