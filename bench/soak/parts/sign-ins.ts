import {
  type RunningProvider,
  singleSignOn,
} from '../../../packages/server/tests/support/identity/oidc-provider.ts';
import { oneByOne } from '../pace.ts';
import { attempt, type Part, request, type Setting, violations } from '../setting.ts';

const PAUSE_MS = 10_000;
const PEOPLE = 20;

/** People sign in at an OpenID provider, use their session, and sign out. */
export function startSignIns(setting: Setting, provider: RunningProvider): Part {
  const { client, signal } = setting;
  let signIns = 0;
  let endedAccepted = 0;

  async function signInAndOut(): Promise<void> {
    const sub = `person-${signIns % PEOPLE}`;
    signIns += 1;
    provider.users.set(sub, {
      email: `${sub}@example.com`,
      email_verified: true,
      name: sub,
      groups: [],
    });
    const session = await singleSignOn(client, provider, sub);
    if (session.status !== 200) throw new Error(`${session.status} ${session.text}`);
    const as = String(session.json['token']);
    await request(setting, 'session', '/auth/session', { as });
    await request(setting, 'sign-out', '/auth/sign-out', { method: 'POST', as });
    const ended = await client('/auth/session', { as });
    if (ended.status !== 401) endedAccepted += 1;
  }

  return {
    run: () => oneByOne(PAUSE_MS, signal, () => attempt(setting, 'single sign-on', signInAndOut)),
    check: async () => violations({ 'sessions that were accepted after their end': endedAccepted }),
    counts: () => ({ signIns }),
  };
}
