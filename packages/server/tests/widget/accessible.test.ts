import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { accessibilityViolations } from '../support/browser/accessibility.ts';
import { skip, visit } from '../support/browser/browser.ts';
import { shopOfThisFile } from '../support/browser/widget.ts';
import { STATES } from '../support/browser/widget-states.ts';

describe('the chat', { skip }, () => {
  const shop = shopOfThisFile();
  for (const [state, reach] of Object.entries(STATES))
    test(`has no accessibility violations in the light and the dark colour scheme: ${state}`, async (t) => {
      const { page, problems } = await visit(t, shop().browser, { colorScheme: 'light' });
      await reach(page, shop());
      assert.deepEqual(await accessibilityViolations(page), []);
      const light = await page.evaluate(TEXT_COLOUR);
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.evaluate(ANIMATIONS_END);
      assert.notEqual(await page.evaluate(TEXT_COLOUR), light);
      assert.deepEqual(await accessibilityViolations(page), [], 'dark');
      assert.deepEqual(problems, []);
    });
});

const TEXT_COLOUR = 'getComputedStyle(document.body).color';

/** Waits until the colour transitions after a change of the scheme have finished. Ignores endless animations. */
const ANIMATIONS_END = `Promise.all(
  document.getAnimations()
    .filter((animation) => Number.isFinite(animation.effect.getComputedTiming().endTime))
    .map((animation) => animation.finished.catch(() => {})),
)`;
