import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../services/free-port.ts';
import type { ElementExpression, Engine, EnginePage } from './engine.ts';

const DRIVER = '/usr/bin/WebKitWebDriver';
const DISPLAY_SERVER = '/usr/bin/Xvfb';
const [BROWSER] = globSync('/usr/lib/*/webkit2gtk-4.1/MiniBrowser');
/** The member that contains an element: https://www.w3.org/TR/webdriver2/#elements */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

/** Skip reason of tests in WebKit, or `false` if WebKitGTK, its driver and a display server are installed. */
export const NO_WEBKIT =
  BROWSER !== undefined && existsSync(DRIVER) && existsSync(DISPLAY_SERVER)
    ? false
    : 'webkit2gtk-driver or xvfb is not installed';

/** Starts WebKitGTK on a display in memory and controls it by WebDriver: https://www.w3.org/TR/webdriver2/ */
export async function openWebKit(): Promise<Engine> {
  await using opened = new AsyncDisposableStack();
  const display = await startDisplay(opened);
  const port = await freePort();
  const driver = start(opened, DRIVER, [`--port=${port}`], { ...process.env, DISPLAY: display });
  const base = `http://127.0.0.1:${port}`;
  await untilListening(base, driver);
  const capabilities = {
    alwaysMatch: { 'webkitgtk:browserOptions': { binary: BROWSER, args: ['--automation'] } },
  };
  const { sessionId } = await command<{ readonly sessionId: string }>(`${base}/session`, {
    capabilities,
  });
  const session = `${base}/session/${sessionId}`;
  opened.defer(async () => {
    await fetch(session, { method: 'DELETE' });
  });
  const page = new WebKitPage(session);
  const kept = opened.move();
  return { page, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

class WebKitPage implements EnginePage {
  readonly #session: string;

  constructor(session: string) {
    this.#session = session;
  }

  async open(url: string): Promise<void> {
    await this.#send('frame', { id: null });
    await this.#send('url', { url });
  }

  evaluate(expression: string): Promise<unknown> {
    return this.#send('execute/sync', { script: `return (${expression});`, args: [] });
  }

  async click(element: ElementExpression): Promise<void> {
    await this.#send(`element/${(await this.#find(element))[ELEMENT]}/click`, {});
  }

  async type(text: string): Promise<void> {
    const actions = [...text].flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ]);
    await this.#send('actions', { actions: [{ type: 'key', id: 'keyboard', actions }] });
  }

  async enterFrame(frame: ElementExpression): Promise<void> {
    await this.#send('frame', { id: await this.#find(frame) });
  }

  async #find(element: ElementExpression): Promise<Record<typeof ELEMENT, string>> {
    return (await this.evaluate(element)) as Record<typeof ELEMENT, string>;
  }

  #send(path: string, body: object): Promise<unknown> {
    return command(`${this.#session}/${path}`, body);
  }
}

async function command<Result>(url: string, body: object): Promise<Result> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  const { value } = (await response.json()) as { readonly value: Result & { message?: string } };
  if (!response.ok) throw new Error(`${url}: ${value.message} (${JSON.stringify(body)})`);
  return value;
}

/** Starts a display server and returns the name of its display. */
async function startDisplay(opened: AsyncDisposableStack): Promise<string> {
  const args = ['-displayfd', '1', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'];
  const { stdout } = start(opened, DISPLAY_SERVER, args, process.env);
  if (stdout === null) throw new Error('the display server has no output');
  for await (const line of createInterface({ input: stdout })) return `:${line}`;
  throw new Error('the display server did not start');
}

function start(
  opened: AsyncDisposableStack,
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): ChildProcess {
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = new Promise((resolve) => child.on('close', resolve));
  opened.defer(async () => {
    child.kill();
    await ended;
  });
  return child;
}

async function untilListening(base: string, driver: ChildProcess): Promise<void> {
  while (driver.exitCode === null) {
    try {
      await fetch(`${base}/status`);
      return;
    } catch {
      await sleep(50);
    }
  }
  throw new Error(`${DRIVER} ended with ${driver.exitCode}`);
}
