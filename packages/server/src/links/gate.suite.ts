import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiError, type Role, type Scope } from '@gatehouse/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { pino } from 'pino';
import type { Access, Caller } from '../access/index.ts';
import { openSqlite } from '../adapters/sqlite/index.ts';
import { createHttp } from '../http/index.ts';
import type { Database } from '../ports/database.ts';
import type { SigningKey, WidgetSessions } from './index.ts';
import { createLinks, createWidgetSessions, type Links, registerLinkRoutes } from './index.ts';

export const SHOP = '0199f3a2-6c1e-7b54-9d3f-2a7c5e8b1f40';
export const BANK = '0199f3a2-6c1e-7b54-9d3f-2a7c5e8b1f41';
export const SHOP_BOT = 1;
export const SHOP_SECOND_BOT = 2;
export const BANK_BOT = 3;
export const SHOP_ORIGIN = 'https://shop.example';
export const BANK_ORIGIN = 'https://bank.example';
export const BASE_URL = 'https://gate.example';

const EPOCH = Date.UTC(2026, 9, 18, 9, 30);

/** The feature in front of a real database, with callers that are named by their credential. */
export interface Gate extends AsyncDisposable {
  readonly app: FastifyInstance;
  readonly db: Database;
  readonly links: Links;
  readonly sessions: WidgetSessions;
  readonly signingKey: SigningKey;
  /** Unix milliseconds; tests move it. */
  now: number;
  readonly errors: unknown[];
  readonly logLines: string[];
}

export interface GateOptions {
  readonly exchangesPerMinute?: number;
}

export async function openGate(options: GateOptions = {}): Promise<Gate> {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-links-'));
  const errors: unknown[] = [];
  const logLines: string[] = [];
  const store = await openSqlite({
    directory,
    queueBytes: 64 * 1024 * 1024,
    onDeath: (error) => errors.push(error),
    onError: (error) => errors.push(error),
  });
  const { db } = store;
  await fill(db);
  const signingKey = newSigningKey();
  const gate = { now: EPOCH };
  const clock = () => gate.now;
  const access = accessDouble();
  const sessions = createWidgetSessions({ signingKey, db, clock, issuer: () => BASE_URL });
  const links = createLinks({ db, access, sessions, clock, onError: (e) => errors.push(e) });
  const app = await createHttp({
    log: pino({ level: 'trace' }, { write: (line: string) => logLines.push(line) }),
    trustedProxies: [],
  });
  registerLinkRoutes(app, {
    links,
    sessions,
    access,
    clock,
    baseUrl: () => BASE_URL,
    exchangesPerMinute: options.exchangesPerMinute ?? 0,
    origins: {
      isAllowedSomewhere: async (origin) => [SHOP_ORIGIN, BANK_ORIGIN].includes(origin),
      allowedOrigins: async (spaceId) => [spaceId === SHOP ? SHOP_ORIGIN : BANK_ORIGIN],
    },
  });
  return Object.assign(gate, {
    app,
    db,
    links,
    sessions,
    signingKey,
    errors,
    logLines,
    [Symbol.asyncDispose]: async () => {
      await app.close();
      await links.drain();
      await store[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true });
    },
  });
}

export function newSigningKey(kid = 'test-key'): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const publicJwk = { ...publicKey.export({ format: 'jwk' }), kid, alg: 'EdDSA', use: 'sig' };
  return { kid, privateKey, publicJwk };
}

async function fill(db: Database): Promise<void> {
  const spaces = [SHOP, BANK].map((id) => ({ id, name: id, created_at: EPOCH }));
  await db.insertInto('spaces').values(spaces).execute();
  const bot = { system_prompt: null, model: null, created_at: EPOCH };
  await db
    .insertInto('bots')
    .values([
      {
        ...bot,
        id: SHOP_BOT,
        space_id: SHOP,
        name: 'Shop assistant',
        greeting: 'Hello!',
        suggestions: '["Where is my order?"]',
      },
      {
        ...bot,
        id: SHOP_SECOND_BOT,
        space_id: SHOP,
        name: 'Returns assistant',
        greeting: null,
        suggestions: '[]',
      },
      {
        ...bot,
        id: BANK_BOT,
        space_id: BANK,
        name: 'Bank assistant',
        greeting: null,
        suggestions: '[]',
      },
    ])
    .execute();
}

const RANK: Readonly<Record<Role, number>> = { viewer: 1, editor: 2, owner: 3 };
const SPACE_OF_BOT = new Map([
  [SHOP_BOT, SHOP],
  [SHOP_SECOND_BOT, SHOP],
  [BANK_BOT, BANK],
]);

/** `user:<role>:<space>` and `key:<space>:<scopes, by comma>` are credentials here. */
export const asUser = (role: Role, spaceId = SHOP) => ({
  authorization: `Bearer user:${role}:${spaceId}`,
});
export const asKey = (spaceId: string, ...scopes: Scope[]) => ({
  authorization: `Bearer key:${spaceId}:${scopes.join(',')}`,
});

/** Stands for the room `access`, which has tests of its own, and refuses as it does. */
function accessDouble(): Access {
  const roles = new Map<Caller, { role: Role; spaceId: string }>();
  const forbidden = () =>
    new ApiError({ status: 403, code: 'access.forbidden', message: 'You may not do this.' });
  const caller = async ({ headers }: FastifyRequest): Promise<Caller> => {
    const [kind, first = '', second = ''] = (headers.authorization ?? '').slice(7).split(':');
    if (kind === 'user') {
      const user = { kind, userId: 'u', admin: false, sessionId: 's' } as unknown as Caller;
      roles.set(user, { role: first as Role, spaceId: second });
      return user;
    }
    if (kind === 'key') {
      const scopes = new Set(second.split(','));
      return { kind, keyId: 'k', spaceId: first, scopes } as unknown as Caller;
    }
    throw new ApiError({ status: 401, code: 'access.unauthenticated', message: 'Sign in.' });
  };
  const space: Access['space'] = async (caller, spaceId, need) => {
    const held = roles.get(caller);
    const allowed =
      caller.kind === 'key'
        ? caller.spaceId === spaceId && need.scope !== undefined && caller.scopes.has(need.scope)
        : held?.spaceId === spaceId && RANK[held.role] >= RANK[need.role];
    if (!allowed) throw forbidden();
    return { caller, spaceId } as unknown as ReturnType<Access['space']>;
  };
  const bot: Access['bot'] = async (caller, botId, need) => {
    const spaceId = SPACE_OF_BOT.get(botId);
    if (spaceId === undefined) throw forbidden();
    return { ...(await space(caller, spaceId, need)), botId } as Awaited<ReturnType<Access['bot']>>;
  };
  const unused = () => {
    throw new Error('not used by links');
  };
  return {
    caller,
    space,
    bot,
    user: unused,
    administrator: unused,
    hasCredential: unused,
    key: unused,
  };
}
