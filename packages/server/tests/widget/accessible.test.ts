import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { barriers } from '../support/barriers.ts';
import { skip, visit } from '../support/browser.ts';
import { shopOfThisFile } from '../support/widget.ts';
import { STATES } from '../support/widget-states.ts';

describe('nothing keeps people out who', { skip }, () => {
  const shop = shopOfThisFile();
  for (const colorScheme of ['light', 'dark'] as const)
    for (const [state, reach] of Object.entries(STATES))
      test(`meet ${state}, ${colorScheme}`, async (t) => {
        const { page, problems } = await visit(t, shop().browser, { colorScheme });
        await reach(page, shop());
        assert.deepEqual(await barriers(page), []);
        assert.deepEqual(problems, []);
      });
});
