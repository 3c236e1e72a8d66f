import type { Browser } from 'playwright-core';

export interface Opening {
  /** Time from the start of the navigation until the usable page is painted, in milliseconds. */
  readonly usableMs: number;
  /** Time from the start of the navigation until the session is open. `null` for pages without a session. */
  readonly openMs: number | null;
  /** Time from a key press until its letter is painted, in milliseconds. `null` if the page has no text field. */
  readonly keyMs: number | null;
  /** Encoded bytes received, excluding headers. */
  readonly bytes: number;
  readonly requests: number;
}

/** CSS selectors of elements that appear while a page opens. */
export interface Selectors {
  /** Matches an element when the page is usable. */
  readonly ready: string;
  /** Matches an element when the session is open. */
  readonly open?: string;
}

/**
 * Opens a page in a new browser context with a throttled CPU.
 *
 * @param slowdown factor by which the CPU is slowed down.
 */
export async function open(
  browser: Browser,
  url: string,
  { ready, open }: Selectors,
  slowdown: number,
): Promise<Opening> {
  const context = await browser.newContext({ viewport: { width: 420, height: 680 } });
  try {
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    let bytes = 0;
    let requests = 0;
    devtools.on('Network.loadingFinished', () => {
      requests += 1;
    });
    devtools.on('Network.dataReceived', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await devtools.send('Network.enable');
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    await page.addInitScript(WATCH.replace('READY', ready).replace('OPEN', open ?? ready));
    await page.goto(url);
    await page.waitForSelector(ready, { state: 'attached' });
    const usableMs = Number(await page.evaluate('usable'));
    const openMs = open === undefined ? null : Number(await page.evaluate('opened'));
    const opened = { usableMs, openMs, bytes, requests };
    await page.evaluate('void watchKey()');
    const field = page.getByRole('textbox');
    const canType = (await field.count()) > 0;
    if (canType) await field.press('a');
    const keyMs = canType ? Number(await page.evaluate('keyPainted')) : null;
    return { ...opened, keyMs };
  } finally {
    await context.close();
  }
}

/** Runs in the page. Changes are considered painted after two animation frames. */
const WATCH = `
const painted = (then) => requestAnimationFrame(() => requestAnimationFrame(then));
const shown = (selector) => new Promise((resolve) => {
  const look = () => {
    if (document.querySelector(selector)) painted(() => resolve(performance.now()));
    else requestAnimationFrame(look);
  };
  look();
});
window.usable = shown('READY');
window.opened = shown('OPEN');
window.watchKey = () => {
  window.keyPainted = new Promise((resolve) => {
    addEventListener('keydown', ({ timeStamp }) => painted(() => resolve(performance.now() - timeStamp)), { once: true, capture: true });
  });
};
`;
