import type { ClientResponse } from '../../../packages/server/tests/support/http/client.ts';
import { inParallel } from '../../../packages/server/tests/support/knowledge/knowledge.ts';
import { steadily } from '../pace.ts';
import { type Part, request, type Setting, violations } from '../setting.ts';

const PER_SECOND = 3;
const TTL_SECONDS = 4 * 3600;
const CHECKS_AT_ONCE = 4;
const UNAUTHORISED = [401, 410];

/** Creates links with an `Idempotency-Key`, exchanges them, and revokes half of them. */
export function startLinks(setting: Setting): Part {
  const { key, space, signal, failures } = setting;
  const live: string[] = [];
  const revoked: { readonly token: string; readonly as: string }[] = [];
  let created = 0;

  function create(idempotencyKey: string, body: object): Promise<ClientResponse | null> {
    const headers = { 'idempotency-key': idempotencyKey };
    return request(setting, 'link', '/assistant-link', { as: key, headers, body });
  }

  const exchange = (linkToken: string, expected?: readonly number[]) =>
    request(setting, 'exchange', '/assistant-link/exchange', { body: { linkToken } }, expected);

  async function useLink(): Promise<void> {
    created += 1;
    const number = created;
    const idempotencyKey = crypto.randomUUID();
    const body = {
      sub: `person-${number}`,
      ttlSeconds: TTL_SECONDS,
      permissionFilter: { team: { eq: 'a' } },
      // The service stores the response of a link with a bot, and derives the token of a link without one.
      ...(number % 4 < 2 ? { botId: space.botId } : {}),
    };
    const made = await create(idempotencyKey, body);
    if (made === null) return;
    const token = String(made.json['token']);
    if (number % 5 === 0) {
      const again = await create(idempotencyKey, body);
      if (again !== null && again.json['token'] !== token)
        failures.push('link: a repeated request returned another token');
    }
    const exchanged = await exchange(token);
    if (exchanged === null) return;
    if (number % 2 === 0) {
      live.push(token);
      return;
    }
    const id = made.headers.get('location')?.split('/').at(-1);
    const send = { method: 'DELETE', as: key };
    if ((await request(setting, 'revoke', `/assistant-link/${id}`, send)) === null) return;
    const as = String(exchanged.json['accessToken']);
    await request(setting, 'revoked session', '/chat/conversations', { as }, UNAUTHORISED);
    revoked.push({ token, as });
  }

  return {
    run: () => steadily(PER_SECOND, signal, useLink),
    check: async () => {
      const before = failures.length;
      await inParallel(revoked, CHECKS_AT_ONCE, async ({ token, as }) => {
        await exchange(token, [410]);
        await request(setting, 'revoked session', '/chat/conversations', { as }, UNAUTHORISED);
      });
      const accepted = failures.length - before;
      await inParallel(live, CHECKS_AT_ONCE, async (token) => void (await exchange(token)));
      return violations({
        'revoked links or their sessions that are accepted': accepted,
        'valid links that are rejected': failures.length - before - accepted,
      });
    },
    counts: () => ({ links: created, revoked: revoked.length }),
  };
}
