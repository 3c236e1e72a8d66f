import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { temporaryDirectory } from '../../services/service.ts';
import type { ElementExpression, Engine, EnginePage } from './engine.ts';

const PROGRAM = '/usr/bin/firefox-esr';

/** Skip reason of tests in Firefox, or `false` if Firefox is installed. */
export const NO_FIREFOX = existsSync(PROGRAM) ? false : `${PROGRAM} is not installed`;

/** Starts Firefox without a window and controls it by WebDriver BiDi: https://www.w3.org/TR/webdriver-bidi/ */
export async function openFirefox(): Promise<Engine> {
  await using opened = new AsyncDisposableStack();
  const profile = opened.use(temporaryDirectory());
  const args = ['--headless', '--no-remote', '--profile', profile.path];
  const process = spawn(PROGRAM, [...args, '--remote-debugging-port=0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise((resolve) => process.on('close', resolve));
  opened.defer(async () => {
    process.kill();
    await ended;
  });
  const connection = opened.use(await connect(await addressIn(process.stderr)));
  await connection.send('session.new', { capabilities: {} });
  const { contexts } = await connection.send<Tree>('browsingContext.getTree', {});
  const page = new FirefoxPage(connection, contexts[0]?.context ?? '');
  const kept = opened.move();
  return { page, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

interface Tree {
  readonly contexts: readonly { readonly context: string }[];
}
interface Evaluated {
  readonly result: { readonly value?: unknown; readonly sharedId?: string };
  readonly exceptionDetails?: { readonly text: string };
}

class FirefoxPage implements EnginePage {
  readonly #connection: Connection;
  readonly #top: string;
  /** The browsing context of the page or of the iframe that was entered. */
  #context: string;

  constructor(connection: Connection, context: string) {
    this.#connection = connection;
    this.#top = context;
    this.#context = context;
  }

  async open(url: string): Promise<void> {
    this.#context = this.#top;
    await this.#connection.send('browsingContext.navigate', {
      context: this.#top,
      url,
      wait: 'complete',
    });
  }

  async evaluate(expression: string): Promise<unknown> {
    const { result } = await this.#evaluate(`JSON.stringify(${expression})`);
    return result.value === undefined ? undefined : JSON.parse(String(result.value));
  }

  async click(element: ElementExpression): Promise<void> {
    const origin = { type: 'element', element: { sharedId: await this.#sharedIdOf(element) } };
    await this.#perform({
      type: 'pointer',
      id: 'mouse',
      actions: [
        { type: 'pointerMove', x: 0, y: 0, origin },
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ],
    });
  }

  async type(text: string): Promise<void> {
    const actions = [...text].flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ]);
    await this.#perform({ type: 'key', id: 'keyboard', actions });
  }

  async enterFrame(frame: ElementExpression): Promise<void> {
    const { result } = await this.#evaluate(`(${frame}).contentWindow`);
    const { context } = result.value as { readonly context: string };
    this.#context = context;
  }

  async #sharedIdOf(element: ElementExpression): Promise<string> {
    const expression = `(() => { const found = ${element}; found.scrollIntoView({ block: 'center' }); return found; })()`;
    return (await this.#evaluate(expression)).result.sharedId ?? '';
  }

  async #evaluate(expression: string): Promise<Evaluated> {
    const evaluated = await this.#connection.send<Evaluated>('script.evaluate', {
      expression,
      target: { context: this.#context },
      awaitPromise: true,
    });
    if (evaluated.exceptionDetails !== undefined)
      throw new Error(`${evaluated.exceptionDetails.text} in ${expression}`);
    return evaluated;
  }

  #perform(source: object): Promise<unknown> {
    return this.#connection.send('input.performActions', {
      context: this.#context,
      actions: [source],
    });
  }
}

async function addressIn(printed: NodeJS.ReadableStream): Promise<string> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: printed })) {
    lines.push(line);
    const [, address] = /WebDriver BiDi listening on (ws:\S+)/.exec(line) ?? [];
    if (address === undefined) continue;
    // Firefox would stop if nobody read its messages.
    printed.resume();
    return address;
  }
  throw new Error(`Firefox did not start:\n${lines.join('\n')}`);
}

interface Connection extends Disposable {
  send<Result>(method: string, params: object): Promise<Result>;
}

async function connect(address: string): Promise<Connection> {
  const socket = new WebSocket(`${address}/session`);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error(`no connection to ${address}`)));
  });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  socket.addEventListener('message', ({ data }) => {
    const { id, type, result, error, message } = JSON.parse(String(data));
    if (type === 'error') waiting.get(id)?.reject(new Error(`${error}: ${message}`));
    else waiting.get(id)?.resolve(result);
    waiting.delete(id);
  });
  return {
    async send<Result>(method: string, params: object): Promise<Result> {
      last += 1;
      const response = Promise.withResolvers<unknown>();
      waiting.set(last, response);
      socket.send(JSON.stringify({ id: last, method, params }));
      return (await response.promise) as Result;
    },
    [Symbol.dispose]: () => socket.close(),
  };
}
