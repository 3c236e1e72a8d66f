import type { Browser } from 'playwright-core';

/** What it took a browser to open a page for the first time. */
export interface Opening {
  /** From the start of the navigation until it can be used and that is painted, in ms. */
  readonly usableMs: number;
  /** From a key being pressed until its letter is painted, in ms; null where there is nowhere to type. */
  readonly keyMs: number | null;
  /** All that came over the network, headers not counted, as it was encoded. */
  readonly bytes: number;
  readonly requests: number;
}

/**
 * Opens a page in a profile of its own, with the processor made slower.
 *
 * @param ready a selector of what is there when the page can be used.
 * @param slowdown how many times slower.
 */
export async function open(
  browser: Browser,
  url: string,
  ready: string,
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
    await page.addInitScript(WATCH.replace('READY', ready));
    await page.goto(url);
    await page.waitForSelector(ready, { state: 'attached' });
    const usableMs = Number(await page.evaluate('usable'));
    const opened = { usableMs, bytes, requests };
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

/** Runs in the page: what is painted is what was there two frames before. */
const WATCH = `
const painted = (then) => requestAnimationFrame(() => requestAnimationFrame(then));
window.usable = new Promise((resolve) => {
  const look = () => {
    if (document.querySelector('READY')) painted(() => resolve(performance.now()));
    else requestAnimationFrame(look);
  };
  look();
});
window.watchKey = () => {
  window.keyPainted = new Promise((resolve) => {
    addEventListener('keydown', ({ timeStamp }) => painted(() => resolve(performance.now() - timeStamp)), { once: true, capture: true });
  });
};
`;
