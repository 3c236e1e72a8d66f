import type { Page } from 'playwright-core';
import { until } from '../until.ts';

/**
 * Waits until an expression is true in a page. `page.waitForFunction` evaluates its expression repeatedly with `eval`, which the
 * content security policy of most pages forbids.
 */
export async function untilTrue(page: Page, expression: string): Promise<void> {
  await until(`"${expression}" is true`, () => page.evaluate<boolean>(`Boolean(${expression})`));
}
