import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { startReceiver } from '../../../server/tests/support/events/receiver.ts';
import { codeAt } from '../../../server/tests/support/identity/authenticator.ts';
import { ADMIN } from '../../../server/tests/support/services/service.ts';
import { until } from '../../../server/tests/support/until.ts';
import { Assistant, type Fetch, Gatehouse } from '../../src/index.ts';

/** Values that examples use without declaring them. */
export interface Fixtures {
  readonly gatehouse: Gatehouse;
  /** A client without a credential that sends the headers of a browser on a page of the service. */
  readonly page: Gatehouse;
  readonly url: string;
  readonly token: string;
  readonly spaceId: string;
  readonly email: string;
  readonly password: string;
  readonly newPassword: string;
  readonly code: string;
  /** Returns the code that an authenticator app shows. */
  readonly appCode: (secret: string) => string;
  readonly botId: number;
  readonly userId: string;
  readonly invitationId: string;
  readonly keyId: string;
  readonly sessionId: string;
  readonly linkId: string;
  readonly linkToken: string;
  readonly assistant: Assistant;
  readonly conversationId: string;
  readonly messageId: string;
  readonly documentId: string;
  readonly documentEventId: string;
  readonly crawlId: string;
  readonly projectionId: string;
  readonly toolId: string;
  readonly sourceId: string;
  readonly subscriptionId: string;
  readonly deliveryId: string;
  /** A cursor with an event after it. */
  readonly after: string;
  readonly secret: string;
  readonly nextDelivery: (() => Promise<{ body: string; headers: IncomingHttpHeaders }>) & {
    readonly secret: string;
  };
  /** Aborted by `store`. */
  readonly signal: AbortSignal;
  readonly store: (cursor: string) => Promise<void>;
}

export interface SceneOptions {
  readonly url: string;
  /** Session of an administrator. */
  readonly session: string;
  /** Name of the example. */
  readonly example: string;
}

/** A new space for one example, in which fixtures are created on demand. */
export class Scene implements AsyncDisposable {
  readonly #options: SceneOptions;
  readonly #made = new Map<string, Promise<unknown>>();
  readonly #opened = new AsyncDisposableStack();
  /** Aborted by `store`. */
  readonly reading = new AbortController();
  readonly admin: Gatehouse;
  readonly spaceId: string;
  readonly botId: number;

  private constructor(options: SceneOptions, spaceId: string, botId: number) {
    this.#options = options;
    this.admin = new Gatehouse({ url: options.url, token: options.session, spaceId });
    this.spaceId = spaceId;
    this.botId = botId;
  }

  static async open(options: SceneOptions): Promise<Scene> {
    const admin = new Gatehouse({ url: options.url, token: options.session });
    const { id, defaultBotId } = await admin.spaces.create({ name: options.example });
    if (/^(Chat\.requestPerson|SpaceConversations\.answer)$/.test(options.example))
      await admin.bots.update(defaultBotId, { handoff: {} });
    return new Scene(options, id, defaultBotId);
  }

  get url(): string {
    return this.#options.url;
  }

  get example(): string {
    return this.#options.example;
  }

  use<T extends AsyncDisposable>(resource: T): T {
    return this.#opened.use(resource);
  }

  /** Returns the fixture with a name. Creates it only once. */
  get<K extends keyof Fixtures>(name: K): Promise<Fixtures[K]> {
    const made = this.#made.get(name) ?? Promise.resolve(create[name](this));
    this.#made.set(name, made);
    return made as Promise<Fixtures[K]>;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync();
    await this.admin.spaces.delete(this.spaceId);
  }
}

type Create = {
  readonly [K in keyof Fixtures]: (scene: Scene) => Fixtures[K] | Promise<Fixtures[K]>;
};

const PASSWORD = 'correct horse battery staple';
const ORDERS = 'https://shop.example/orders';

const create = createFixtures();
/** Names of the fixtures. */
export const FIXTURES = Object.keys(create) as (keyof Fixtures)[];

function createFixtures(): Create {
  return {
    gatehouse: async (scene) => {
      const ofNewUser = /^(Auth\.changePassword$|SecondFactor\.)/.test(scene.example);
      if (!ofNewUser) return scene.admin;
      return new Gatehouse({ url: scene.url, token: await scene.get('token') });
    },
    page: ({ url }) => new Gatehouse({ url, fetch: browserFetch(url) }),
    url: ({ url }) => url,
    token: async (scene) => {
      const email = await scene.get('email');
      return (await scene.admin.auth.signIn({ email, password: PASSWORD })).token;
    },
    spaceId: ({ spaceId }) => spaceId,
    email: async ({ admin }) => {
      const email = newAddress();
      await admin.users.create({ email, name: 'Ada', password: PASSWORD });
      return email;
    },
    password: () => PASSWORD,
    newPassword: () => `new ${PASSWORD}`,
    code: () => 'a-code-of-nobody',
    appCode: () => (secret) => codeAt(secret, Date.now()),
    botId: ({ botId }) => botId,
    userId: async ({ admin, botId }) => {
      const email = newAddress();
      const { id } = await admin.users.create({ email, name: 'Ada', password: PASSWORD });
      await admin.members.put(botId, id, { role: 'viewer' });
      return id;
    },
    invitationId: async ({ admin, botId }) => {
      const { id } = await admin.invitations.create(botId, {
        email: 'grace@shop.example',
        role: 'viewer',
      });
      return id;
    },
    keyId: async ({ admin }) => (await admin.apiKeys.create({ name: 'test', scopes: ['read'] })).id,
    sessionId: async ({ admin, url }) => {
      await new Gatehouse({ url }).auth.signIn(ADMIN);
      const { items } = await admin.sessions.list();
      return items.find(({ current }) => !current)?.id ?? '';
    },
    linkId: async (scene) => {
      await scene.get('linkToken');
      const { items } = await scene.admin.links.list();
      return items[0]?.id ?? '';
    },
    linkToken: async ({ admin }) => (await admin.links.create({ sub: 'customer-42' })).token,
    assistant: async (scene) =>
      Assistant.open({ url: scene.url, linkToken: await scene.get('linkToken') }),
    conversationId: async (scene) => {
      await scene.get('messageId');
      const { conversations, chat } = await scene.get('assistant');
      const { items } = await conversations.list();
      const id = items[0]?.id ?? '';
      if (scene.example === 'SpaceConversations.answer') await chat.requestPerson(id);
      return id;
    },
    messageId: async (scene) => {
      const { chat } = await scene.get('assistant');
      let id = '';
      for await (const part of chat.ask('How long does a refund take?'))
        if (part.type === 'start') id = part.messageId ?? '';
      return id;
    },
    documentId: async ({ admin }) =>
      (await admin.documents.create({ fileName: 'returns.txt', text: 'A refund takes a day.' })).id,
    documentEventId: async ({ admin }) => {
      const type = 'gatehouse.document.deleted';
      await admin.events.send([{ type, source: 'https://wiki.example', subject: 'wiki/1' }]);
      return firstOf(async () => (await admin.documentEvents.list()).items[0]?.id);
    },
    crawlId: async ({ admin }) => {
      const crawl = { name: 'Site', startUrl: 'http://127.0.0.1:9/', defaultMetadata: {} };
      return (await admin.crawls.create(crawl)).id;
    },
    projectionId: async ({ admin }) => {
      const definition = {
        name: 'Order',
        types: ['example.order.*'],
        key: 'subject',
        fields: { status: '/status' },
        title: 'Order {key}',
        text: 'Order {key} is {status}.',
        metadata: {},
      };
      return (await admin.projections.create(definition)).id;
    },
    toolId: async ({ admin, botId }) => {
      const url = 'https://shop.example/tools/find-order';
      const inputSchema = { type: 'object' };
      const tool = { name: 'find_order', description: 'Finds an order.', url, inputSchema };
      return (await admin.tools.create(botId, tool)).id;
    },
    sourceId: async ({ admin }) =>
      (await admin.eventSources.create({ name: 'shop', source: ORDERS })).id,
    subscriptionId: async (scene) => {
      const { subscriptions } = scene.admin;
      const receiver = scene.use(await startReceiver());
      if (scene.example.startsWith('Deliveries.')) receiver.behave(() => ({ status: 500 }));
      const { id } = await subscriptions.create({ url: receiver.url });
      if (scene.example !== 'Subscriptions.cancelReplay') return id;
      // A replay of a disabled subscription pauses, so it cannot finish before it is cancelled.
      receiver.behave(() => 'hang');
      const type = 'example.order.paid';
      await scene.admin.events.send(Array.from({ length: 100 }, () => ({ source: ORDERS, type })));
      await subscriptions.replay(id, { from: '2026-01-01T00:00:00Z' });
      await subscriptions.update(id, { state: 'disabled' });
      return id;
    },
    deliveryId: async (scene) => {
      const { deliveries, events } = scene.admin;
      const subscriptionId = await scene.get('subscriptionId');
      await events.send([{ source: ORDERS, type: 'example.order.paid' }]);
      return firstOf(async () => (await deliveries.list(subscriptionId)).items[0]?.id);
    },
    after: async ({ admin }) => {
      const send = () => admin.events.send([{ source: ORDERS, type: 'example.order.paid' }]);
      await send();
      const { resume } = await admin.events.list();
      await send();
      return resume ?? '';
    },
    secret: async (scene) => (await scene.get('nextDelivery')).secret,
    nextDelivery: async (scene) => {
      const receiver = scene.use(await startReceiver());
      const { secret } = await scene.admin.subscriptions.create({ url: receiver.url });
      await scene.admin.events.send([{ source: ORDERS, type: 'example.order.paid' }]);
      const next = () =>
        firstOf(async () => {
          const [first] = receiver.received;
          return first && { body: first.text, headers: first.headers };
        });
      return Object.assign(next, { secret });
    },
    signal: ({ reading }) => reading.signal,
    store:
      ({ reading }) =>
      async () =>
        reading.abort(),
  };
}

function newAddress(): string {
  return `person-${randomUUID()}@shop.example`;
}

async function firstOf<T>(load: () => Promise<T | undefined>): Promise<T> {
  let found: T | undefined;
  await until('it exists', async () => {
    found = await load();
    return found !== undefined;
  });
  if (found === undefined) throw new Error('nothing was found');
  return found;
}

/** Returns a `fetch` with the `Origin` header and the cookies of a page. */
function browserFetch(origin: string): Fetch {
  let cookie = '';
  return async (url, init) => {
    const headers = new Headers(init.headers);
    headers.set('origin', origin);
    headers.set('cookie', cookie);
    const response = await fetch(url, { ...init, headers });
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    return response;
  };
}
