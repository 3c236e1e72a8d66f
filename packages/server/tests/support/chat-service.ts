import type { SQLInputValue } from 'node:sqlite';
import { type Client, clientOf } from './client.ts';
import { contractClient } from './contract-client.ts';
import { type FakeModel, startFakeModel } from './fake-model.ts';
import { type MadeSpace, makeSpace, signIn } from './provision.ts';
import { temporaryDirectory } from './service.ts';
import { startHere } from './service-here.ts';
import { echo } from './shown-prompt.ts';
import { type StoredRow, stored } from './stored.ts';

/** The service in this process, so that its clock can be moved, in front of a model that does what a test says. */
export interface ChatService extends AsyncDisposable {
  readonly url: string;
  readonly dataDir: string;
  readonly client: Client;
  /** The administrator's session. */
  readonly session: string;
  readonly space: MadeSpace;
  /** What answers, by echoing the question until a test says otherwise. */
  readonly model: FakeModel;
  readonly logLines: readonly string[];
  /** Milliseconds that the service's clock is ahead of the real one. */
  skew: number;
  /** What a query of the database says, which no operation does. */
  rows(sql: string, ...values: SQLInputValue[]): Promise<StoredRow[]>;
  /** Stops the service and leaves what it kept. */
  stop(): Promise<void>;
}

export interface ChatServiceOptions {
  /** 0: no limit. */
  readonly turnsPerMinute?: number;
  readonly allowedOrigins?: string[];
  /** Other settings. */
  readonly env?: Readonly<Record<`GATEHOUSE_${string}`, string>>;
}

export async function openChatService(options: ChatServiceOptions = {}): Promise<ChatService> {
  await using opened = new AsyncDisposableStack();
  const dataDir = opened.use(temporaryDirectory()).path;
  const model = opened.use(await startFakeModel());
  model.behave(echo);
  const logLines: string[] = [];
  const state = { skew: 0 };
  const service = await startHere(dataDir, {
    env: {
      GATEHOUSE_MODEL_URL: model.url,
      GATEHOUSE_MODEL_NAME: 'small',
      GATEHOUSE_RATE_LIMIT_CHAT: String(options.turnsPerMinute ?? 0),
      ...options.env,
    },
    clock: () => Date.now() + state.skew,
    onLog: (line) => void logLines.push(line),
  });
  let stopping: Promise<void> | null = null;
  const stop = () => {
    stopping ??= service.stop();
    return stopping;
  };
  opened.defer(stop);
  const client = contractClient(clientOf(service.url));
  const session = await signIn(client);
  const { allowedOrigins } = options;
  const space = await makeSpace(client, session, allowedOrigins ? { allowedOrigins } : {});
  const all = opened.move();
  return Object.assign(state, {
    url: service.url,
    dataDir,
    client,
    session,
    space,
    model,
    logLines,
    rows: (sql: string, ...values: SQLInputValue[]) => stored(dataDir, sql, ...values),
    stop,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  });
}
