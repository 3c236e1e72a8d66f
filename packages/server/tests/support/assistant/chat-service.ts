import type { SQLInputValue } from 'node:sqlite';
import { type Client, clientOf } from '../http/client.ts';
import { contractClient } from '../http/contract-client.ts';
import { type MadeSpace, makeSpace, signIn } from '../provision.ts';
import { startInProcess } from '../services/in-process-service.ts';
import { temporaryDirectory } from '../services/service.ts';
import { copyMigratedDatabase } from '../storage/migrated-database.ts';
import { type StoredRow, stored } from '../storage/stored.ts';
import { type FakeModel, startFakeModel } from './fake-model.ts';
import { echo } from './shown-prompt.ts';

/** A service in the test process with a scripted model and an adjustable clock. */
export interface ChatService extends AsyncDisposable {
  readonly url: string;
  readonly dataDir: string;
  readonly client: Client;
  readonly session: string;
  readonly space: MadeSpace;
  /** The fake model, which echoes the question by default. */
  readonly model: FakeModel;
  readonly logLines: readonly string[];
  /** Offset of the service's clock to the system clock, in milliseconds. */
  skew: number;
  rows(sql: string, ...values: SQLInputValue[]): Promise<StoredRow[]>;
  /** Stops the service without deleting its data. */
  stop(): Promise<void>;
}

export interface ChatServiceOptions {
  /** Default 0: unlimited. */
  readonly turnsPerMinute?: number;
  readonly allowedOrigins?: string[];
  readonly env?: Readonly<Record<`GATEHOUSE_${string}`, string>>;
}

export async function openChatService(options: ChatServiceOptions = {}): Promise<ChatService> {
  await using opened = new AsyncDisposableStack();
  const dataDir = opened.use(temporaryDirectory()).path;
  const model = opened.use(await startFakeModel());
  model.behave(echo);
  const logLines: string[] = [];
  const state = { skew: 0 };
  copyMigratedDatabase(dataDir);
  const service = await startInProcess(dataDir, {
    env: {
      GATEHOUSE_MODEL_URL: model.url,
      GATEHOUSE_MODEL_NAME: 'small',
      GATEHOUSE_RATE_LIMIT_READS_LINK: '0',
      GATEHOUSE_SEARCH_TIME_LINK: '0',
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
