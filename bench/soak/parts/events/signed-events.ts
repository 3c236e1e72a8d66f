import type { IngestResult } from '@gatehouse/contract';
import { feedPages, makeEvent } from '../../../../packages/server/tests/support/events/events.ts';
import {
  registerSource,
  signedEvent,
} from '../../../../packages/server/tests/support/events/signing.ts';
import { makeKey, makeSpace } from '../../../../packages/server/tests/support/provision.ts';
import { steadily } from '../../pace.ts';
import { type Part, request, type Setting, violations } from '../../setting.ts';

const PER_SECOND = 1;
const EVENTS = 5;
const SOURCE = 'https://signed.example/shop';

/** Sends signed events. Each request also contains one event with a wrong signature. */
export async function startSignedEvents(setting: Setting): Promise<Part> {
  const { client, session, signal } = setting;
  const { id: spaceId } = await makeSpace(client, session, { name: 'Signed' });
  const key = await makeKey(client, session, spaceId, ['events:write', 'read']);
  const { secret } = await registerSource(client, session, spaceId, {
    source: SOURCE,
    signatureRequired: true,
  });
  const wrongSecret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
  const acknowledged = new Set<string>();
  let requests = 0;
  let forgedAccepted = 0;

  async function send(): Promise<void> {
    requests += 1;
    const number = requests;
    const members = (id: string) => makeEvent({ id, source: SOURCE });
    const events = Array.from({ length: EVENTS }, (_, index) =>
      signedEvent(members(`${number}-${index}`), secret),
    );
    const forged = signedEvent(members(`forged-${number}`), wrongSecret);
    const body = { events: [...events, forged] };
    const answer = await request(setting, 'signed events', '/events', { as: key, body });
    if (answer === null) return;
    const { eventIds, failed } = answer.json as unknown as IngestResult;
    for (const id of eventIds) acknowledged.add(id);
    if (failed !== 1) forgedAccepted += 1;
  }

  return {
    run: () => steadily(PER_SECOND, signal, send),
    check: async () => {
      const stored = new Map<string, number>();
      for await (const { items } of feedPages(client, key))
        for (const { event } of items) {
          const id = String(event['id']);
          stored.set(id, (stored.get(id) ?? 0) + 1);
        }
      return violations({
        'requests whose forged event was not the only rejected one': forgedAccepted,
        'signed events that the feed does not contain once': [...acknowledged].filter(
          (id) => stored.get(id) !== 1,
        ).length,
        'forged events in the feed': [...stored.keys()].filter((id) => id.startsWith('forged'))
          .length,
      });
    },
    counts: () => ({ signedEvents: acknowledged.size, forgedEvents: requests }),
  };
}
