import type { Role, Scope } from '@gatehouse/contract';
import { type IdentityUnderTest, openIdentity } from '../identity/identity.suite.ts';
import { createSpaces } from '../identity/index.ts';
import {
  createSigningKeys,
  newSigningKeyText,
  parseSigningKey,
  type SigningKey,
  type SigningKeys,
} from '../platform/signing-keys/index.ts';
import { registerLinkRoutes } from './links/link.routes.ts';
import { createLinks, type Links } from './links/link.service.ts';
import { createSigner } from './sessions/signer.ts';
import { createWidgetSessions, type WidgetSessions } from './sessions/widget-session.service.ts';

export const SHOP = '0199f3a2-6c1e-7b54-9d3f-2a7c5e8b1f40';
export const BANK = '0199f3a2-6c1e-7b54-9d3f-2a7c5e8b1f41';
export const SHOP_BOT = 1;
export const SHOP_SECOND_BOT = 2;
export const BANK_BOT = 3;
export const SHOP_ORIGIN = 'https://shop.example';
export const BANK_ORIGIN = 'https://bank.example';
export const BASE_URL = 'https://gate.example';

type Credential = Readonly<Record<string, string>>;
type Inject = Awaited<ReturnType<IdentityUnderTest['app']['inject']>>;

/** The link routes on a real database with two spaces, Shop and Bank. */
export interface LinksUnderTest extends IdentityUnderTest {
  readonly links: Links;
  readonly linkSessions: WidgetSessions;
  readonly signingKey: SigningKey;
  readonly signingKeys: SigningKeys;
  readonly errors: unknown[];
  /** Returns the credential header of a user with `role` on the first bot of a space. `null`: a user without any role. */
  asUser(role: Role | null, spaceId?: string): Promise<Credential>;
  asAdmin(): Promise<Credential>;
  asKey(spaceId: string, ...scopes: Scope[]): Promise<Credential>;
  /** Calls `POST /assistant-link`. `body` is JSON text or a value to serialise. */
  create(credential: Credential, body: unknown): Promise<Inject>;
  newLink(body?: object): Promise<{ token: string; id: string }>;
  exchange(token: string, headers?: Credential): Promise<Inject>;
}

export interface GateOptions {
  readonly exchangesPerMinute?: number;
}

export async function openLinks({
  exchangesPerMinute = 0,
}: GateOptions = {}): Promise<LinksUnderTest> {
  const errors: unknown[] = [];
  let parts: { links: Links; linkSessions: WidgetSessions; signingKeys: SigningKeys } | undefined;
  let identity: IdentityUnderTest | undefined;
  const clock = () => identity?.now ?? Date.now();
  identity = await openIdentity({
    verifyWidgetSession: async (token) => parts?.linkSessions.isValid(token) ?? false,
    register(app, { db, shared: { semaphores }, writeAtomically }, { access }) {
      const signer = createSigner();
      const secret = Buffer.alloc(32, 7);
      const signingKeys = createSigningKeys({ db, clock, secret });
      const issuer = () => BASE_URL;
      const linkSessions = createWidgetSessions({
        signingKeys,
        signer,
        db,
        clock,
        issuer,
        requiredIssuer: BASE_URL,
      });
      const onError = (error: unknown) => errors.push(error);
      const links = createLinks({
        db,
        writeAtomically,
        isAlone: true,
        access,
        sessions: linkSessions,
        clock,
        newestConversation: async () => null,
        attachments: true,
        onError,
      });
      const { spaces: origins } = createSpaces({ db, semaphores, clock, onDeleted: () => {} });
      const baseUrl = () => BASE_URL;
      const deps = { links, sessions: linkSessions, access, clock, baseUrl, origins };
      registerLinkRoutes(app, { ...deps, exchangesPerMinute });
      parts = { links, linkSessions, signingKeys };
    },
  });
  if (parts === undefined) throw new Error('The routes were not registered.');
  // The time is rounded up, because a session that is older than its user would be rejected.
  identity.now = Math.ceil(identity.now / 1000) * 1000;
  const signingKey = await parts.signingKeys.current();
  await fill(identity);
  return Object.assign(identity, parts, { signingKey, errors }, callers(identity));
}

export function newSigningKey(): SigningKey {
  const key = parseSigningKey(newSigningKeyText());
  if (key === undefined) throw new Error('The generated signing key is invalid.');
  return key;
}

type Callers = Pick<
  LinksUnderTest,
  'asUser' | 'asAdmin' | 'asKey' | 'create' | 'newLink' | 'exchange'
>;

function callers(identity: IdentityUnderTest): Callers {
  const people = new Map<string, Promise<Credential>>();
  const json = { 'content-type': 'application/json' };

  async function person(role: Role | null, spaceId: string): Promise<Credential> {
    const { id, token } = await identity.person(`${role}-${spaceId}@example.com`);
    const bot_id = spaceId === SHOP ? SHOP_BOT : BANK_BOT;
    const member = { space_id: spaceId, bot_id, user_id: id, created_at: identity.now };
    if (role !== null)
      await identity.db
        .insertInto('bot_members')
        .values({ ...member, role })
        .execute();
    return { authorization: `Bearer ${token}` };
  }

  function asUser(role: Role | null, spaceId = SHOP): Promise<Credential> {
    const name = `${role} ${spaceId}`;
    return people.getOrInsertComputed(name, () => person(role, spaceId));
  }

  async function asAdmin(): Promise<Credential> {
    const { body } = await identity.signIn('root@example.com');
    return { authorization: `Bearer ${body.token}` };
  }

  const create: LinksUnderTest['create'] = (credential, body) =>
    identity.app.inject({
      method: 'POST',
      url: '/assistant-link',
      headers: { ...credential, ...json },
      payload: typeof body === 'string' ? body : JSON.stringify(body),
    });

  return {
    asUser,
    asAdmin,
    create,
    async asKey(spaceId, ...scopes) {
      const { authorization = '' } = await asUser('owner', spaceId);
      const session = authorization.slice('Bearer '.length);
      const body = { name: 'key', scopes };
      const made = await identity.call('POST', `/spaces/${spaceId}/api-keys`, session, body);
      return { authorization: `Bearer ${made.body.key}` };
    },
    async newLink(body = {}) {
      const answer = await create(await asUser('editor'), { spaceId: SHOP, ...body });
      const id = String(answer.headers.location).split('/').at(-1) ?? '';
      return { token: answer.json().token, id };
    },
    exchange: (token, headers = {}) =>
      identity.app.inject({
        method: 'POST',
        url: '/assistant-link/exchange',
        headers: { ...headers, ...json },
        payload: JSON.stringify({ linkToken: token }),
      }),
  };
}

async function fill({ db, now }: IdentityUnderTest): Promise<void> {
  const spaces = [SHOP, BANK].map((id) => ({ id, name: id, created_at: now }));
  await db.insertInto('spaces').values(spaces).execute();
  await db
    .insertInto('space_origins')
    .values([
      { space_id: SHOP, position: 0, origin: SHOP_ORIGIN },
      { space_id: BANK, position: 0, origin: BANK_ORIGIN },
    ])
    .execute();
  const bot = { system_prompt: null, greeting: null, model: null, created_at: now };
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
      { ...bot, id: SHOP_SECOND_BOT, space_id: SHOP, name: 'Returns', suggestions: '[]' },
      { ...bot, id: BANK_BOT, space_id: BANK, name: 'Bank assistant', suggestions: '[]' },
    ])
    .execute();
}
