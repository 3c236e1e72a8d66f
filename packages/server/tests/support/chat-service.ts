import { openApiDocument } from '@gatehouse/contract';
import { pino } from 'pino';
import { createAccess } from '../../src/access/index.ts';
import { createExtractor } from '../../src/adapters/extraction/index.ts';
import { createSigner } from '../../src/adapters/signer/index.ts';
import { openSqlite } from '../../src/adapters/sqlite/index.ts';
import { buildApp } from '../../src/app.ts';
import { countTurns, createChat, newestConversationIn } from '../../src/chat/index.ts';
import { openSecrets } from '../../src/config/index.ts';
import { countEvents } from '../../src/events/index.ts';
import { createMetrics } from '../../src/http/index.ts';
import { createKnowledge } from '../../src/knowledge/index.ts';
import { createLinks, createWidgetSessions } from '../../src/links/index.ts';
import type { Answerer, AnswerPart, Question } from '../../src/ports/answerer.ts';
import type { Database } from '../../src/ports/database.ts';
import { createSpaces } from '../../src/spaces/index.ts';
import { type Client, clientOf } from './client.ts';
import { contractClient } from './contract-client.ts';
import { type MadeSpace, makeSpace, signIn } from './provision.ts';
import { ADMIN, temporaryDirectory } from './service.ts';

/** What answers each question in a test. */
export type Script = (question: Question) => AsyncIterable<AnswerPart>;

/** The service in this process, with an answerer that does what a test says and remembers what it was given. */
export interface ChatService extends AsyncDisposable {
  readonly url: string;
  readonly dataDir: string;
  readonly db: Database;
  readonly client: Client;
  /** The administrator's session. */
  readonly session: string;
  readonly space: MadeSpace;
  /** All questions so far, as the answerer was given them. */
  readonly questions: Question[];
  /** What answers from now on. */
  script: Script;
  readonly failures: unknown[];
  readonly logLines: string[];
  /** Unix milliseconds, added to the real time. */
  skew: number;
  metrics(): Promise<string>;
  close(): Promise<void>;
}

export interface ChatServiceOptions {
  readonly turnsPerMinute?: number;
  readonly allowedOrigins?: string[];
}

/** Echoes the question and cites the best passage. */
export const echo: Script = async function* ({ question, passages }) {
  yield { kind: 'text', text: 'You asked: ' };
  yield { kind: 'text', text: question };
  const [passage] = passages;
  if (passage !== undefined) yield { kind: 'source', number: 1, passage };
  yield { kind: 'usage', inputTokens: 10, outputTokens: 4 };
};

export async function openChatService(options: ChatServiceOptions = {}): Promise<ChatService> {
  await using opened = new AsyncDisposableStack();
  const directory = opened.use(temporaryDirectory());
  const state = { skew: 0, script: echo };
  const clock = () => Date.now() + state.skew;
  const failures: unknown[] = [];
  const questions: Question[] = [];
  const logLines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void logLines.push(line) });
  const fail = (error: unknown): never => {
    throw error;
  };
  const { secret, sessionSigningKey: key } = openSecrets(directory.path);
  const store = opened.use(
    await openSqlite({
      directory: directory.path,
      queueBytes: 64 * 1024 * 1024,
      onDeath: fail,
      onError: fail,
    }),
  );
  const { db } = store;
  let url = '';
  const baseUrl = () => url;
  const metrics = createMetrics();
  const sessions = createWidgetSessions({
    signer: opened.use(createSigner(key.privateKey)),
    signingKey: { kid: key.kid, publicJwk: { ...key.publicJwk } },
    db,
    clock,
    issuer: baseUrl,
  });
  const access = createAccess({ db, clock, secret, log, verifyWidgetSession: sessions.isLive });
  const knowledge = opened.use(
    createKnowledge({
      engine: store.knowledge,
      extractor: createExtractor(),
      embedder: null,
      onEmbeddingFailure: fail,
      clock,
      onError: fail,
    }),
  );
  const spaces = createSpaces({ db, clock, onDeleted: (id) => knowledge.removeSpace(id) });
  const newestConversation = newestConversationIn(db);
  const links = createLinks({
    db,
    clock,
    access: access.access,
    sessions,
    newestConversation,
    onError: fail,
  });
  await access.users.ensureAdministrator(ADMIN);
  const answerer: Answerer = {
    answer: (question) => {
      questions.push(question);
      return state.script(question);
    },
  };
  const chat = createChat({
    db,
    knowledge,
    links,
    answerer,
    clock,
    turnsPerMinute: options.turnsPerMinute ?? 0,
    count: countTurns(metrics),
    onFailure: (error) => failures.push(error),
  });
  const app = await buildApp({
    log,
    clock,
    metrics,
    access,
    spaces,
    links,
    sessions,
    knowledge,
    chat,
    events: store.events,
    countEvents: countEvents(metrics),
    check: store.check,
    isDraining: () => false,
    baseUrl,
    openApi: () => openApiDocument({ baseUrl: url, version: '0' }),
    trustedProxies: [],
    signInsPerMinute: 0,
    exchangesPerMinute: 0,
  });
  opened.defer(() => app.close());
  await knowledge.start();
  url = await app.listen({ host: '127.0.0.1', port: 0 });
  const client = contractClient(clientOf(url));
  const session = await signIn(client);
  const { allowedOrigins } = options;
  const space = await makeSpace(client, session, allowedOrigins ? { allowedOrigins } : {});
  const all = opened.move();
  return Object.assign(state, {
    url,
    dataDir: directory.path,
    db,
    client,
    session,
    space,
    questions,
    failures,
    logLines,
    metrics: () => metrics.registry.metrics(),
    close: () => app.close(),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  });
}
