import type { User } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { createHttp } from '../http/index.ts';
import { openNewStore } from '../storage/open-store.suite.ts';
import { createMemoryRateCounts } from '../storage/single-process/index.ts';
import '../../tests/support/services/cheap-passwords.ts';
import { type Database, NO_WRITES, type Semaphores, type Store } from '../storage/ports/index.ts';
import { createIdentity, type IdentityModule, registerIdentityRoutes } from './create-identity.ts';
import type { SingleSignOnSettings } from './single-sign-on/create-single-sign-on.ts';

export const PASSWORD = 'correct horse battery';
export const BASE_URL = 'https://gate.example';
export const ADMIN_EMAIL = 'root@example.com';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Members that tests read from response bodies. A member may be missing at run time. */
export interface AnswerBody {
  readonly id: string;
  readonly token: string;
  readonly key: string;
  readonly user: AnswerBody;
  readonly items: readonly AnswerBody[];
  readonly issues: readonly { readonly message: string }[];
  readonly next: string | null;
  readonly lastUsedAt?: string | null;
  readonly allowedOrigins?: readonly string[];
  readonly [member: string]: unknown;
}

const NO_BODY = {} as AnswerBody;

export interface Answer {
  readonly status: number;
  readonly body: AnswerBody;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** The identity routes on a real database with one administrator. */
export interface IdentityUnderTest extends IdentityModule, AsyncDisposable {
  readonly app: FastifyInstance;
  readonly db: Database;
  readonly semaphores: Semaphores;
  /** The current time in Unix milliseconds. Tests may set it. */
  now: number;
  readonly logLines: string[];
  call(method: Method, url: string, token?: string | null, body?: unknown): Promise<Answer>;
  /** Signs a user in, and creates the user if the email address is new. */
  person(email: string): Promise<{ id: string; token: string }>;
  signIn(email: string, password?: string): Promise<Answer>;
}

export interface IdentityOptions {
  readonly signInsPerMinute?: number;
  readonly verifyWidgetSession?: (token: string) => Promise<boolean>;
  readonly register?: (app: FastifyInstance, store: Store, identity: IdentityModule) => void;
  readonly singleSignOn?: SingleSignOnSettings;
  readonly passwordSignIn?: boolean;
  /** The URL that clients use. */
  readonly baseUrl?: string;
}

export async function openIdentity(options: IdentityOptions = {}): Promise<IdentityUnderTest> {
  const store = await openNewStore();
  const { db } = store;
  const time = { now: Date.now() };
  const clock = () => time.now;
  const logLines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void logLines.push(line) });
  const verifyWidgetSession = options.verifyWidgetSession ?? (async () => false);
  const identity = createIdentity({
    db,
    clock,
    isAlone: store.isExclusive,
    log,
    secret: Buffer.alloc(32, 7),
    verifyWidgetSession,
    singleSignOn: options.singleSignOn ?? null,
    passwordSignIn: options.passwordSignIn ?? true,
    baseUrl: () => options.baseUrl ?? 'http://localhost',
  });
  await identity.users.ensureAdministrator({ email: ADMIN_EMAIL, password: PASSWORD });
  const app = await createHttp({ log, trustedProxies: [], rates: createMemoryRateCounts(clock) });
  registerIdentityRoutes(app, {
    ...identity,
    clock,
    baseUrl: () => options.baseUrl ?? BASE_URL,
    signInsPerMinute: options.signInsPerMinute ?? 0,
  });
  options.register?.(app, store, identity);

  const call: IdentityUnderTest['call'] = async (method, url, token, body) => {
    const answer = await app.inject({
      method,
      url,
      headers: {
        ...(token == null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    return {
      status: answer.statusCode,
      body: answer.body === '' ? NO_BODY : answer.json<AnswerBody>(),
      headers: answer.headers,
    };
  };
  const signIn: IdentityUnderTest['signIn'] = (email, password = PASSWORD) =>
    call('POST', '/auth/sign-in/email', null, { email, password });
  const person: IdentityUnderTest['person'] = async (email) => {
    const first = await signIn(email);
    if (first.status === 200) return { id: first.body.user.id, token: first.body.token };
    const { id }: User = await identity.users.create(
      { email, name: email, password: PASSWORD },
      NO_WRITES,
    );
    const { body } = await signIn(email);
    return { id, token: body.token };
  };
  return Object.assign(time, {
    ...identity,
    app,
    db,
    semaphores: store.shared.semaphores,
    logLines,
    call,
    signIn,
    person,
    [Symbol.asyncDispose]: async () => {
      await app.close();
      await store[Symbol.asyncDispose]();
    },
  });
}
