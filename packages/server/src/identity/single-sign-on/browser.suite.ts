import type { User } from '@gatehouse/contract';
import { type IdentityOptions, type IdentityUnderTest, openIdentity } from '../identity.suite.ts';
import type { SingleSignOnSettings } from './create-single-sign-on.ts';
import { TestProvider } from './open-id-provider.suite.ts';

export interface BrowserAnswer {
  readonly status: number;
  readonly location: string;
  readonly code: string;
  readonly message: string;
  readonly token: string;
  readonly user: User;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** A client that stores the cookie of single sign-on, as a browser does. */
export interface Browser {
  cookie: string;
  get(url: string): Promise<BrowserAnswer>;
  redeem(code: string): Promise<BrowserAnswer>;
}

/** The identity routes with single sign-on at a test provider. */
export interface SingleSignOnUnderTest extends AsyncDisposable {
  readonly identity: IdentityUnderTest;
  readonly provider: TestProvider;
  browser(): Browser;
  /** Signs the provider's current user in. Returns the first response that is an error, or the session. */
  signIn(browser?: Browser): Promise<BrowserAnswer>;
}

export async function openSingleSignOn(
  changes: Partial<SingleSignOnSettings> = {},
  options: Omit<IdentityOptions, 'singleSignOn'> = {},
): Promise<SingleSignOnUnderTest> {
  await using opened = new AsyncDisposableStack();
  const provider = opened.use(await TestProvider.open());
  const singleSignOn = provider.settings(changes);
  const identity = opened.use(await openIdentity({ ...options, singleSignOn }));
  provider.now = () => identity.now;
  const browser = () => createBrowser(identity);
  const all = opened.move();
  return {
    identity,
    provider,
    browser,
    signIn: async (at = browser()) => {
      const started = await at.get('/auth/sso/start?returnTo=/console');
      if (started.status !== 302) return started;
      const { pathname, search } = provider.authorize(started.location);
      const finished = await at.get(pathname + search);
      return finished.status === 302 ? at.redeem(codeOf(finished)) : finished;
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Returns the code in the fragment of a redirect. */
export function codeOf({ location }: BrowserAnswer): string {
  return new URLSearchParams(location.split('#')[1]).get('sso-code') ?? '';
}

function createBrowser({ app }: IdentityUnderTest): Browser {
  const send = async (method: 'GET' | 'POST', url: string, body?: object) => {
    const answer = await app.inject({
      method,
      url,
      headers: {
        ...(browser.cookie === '' ? {} : { cookie: `other=1; ${browser.cookie}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    const cookie = answer.headers['set-cookie'];
    if (typeof cookie === 'string') browser.cookie = cookie.split(';')[0] ?? '';
    const json = answer.body === '' ? {} : answer.json<Partial<BrowserAnswer>>();
    return {
      ...(json as BrowserAnswer),
      status: answer.statusCode,
      location: String(answer.headers.location ?? ''),
      headers: answer.headers,
    };
  };
  const browser: Browser = {
    cookie: '',
    get: (url) => send('GET', url),
    redeem: (code) => send('POST', '/auth/sso/token', { code }),
  };
  return browser;
}
