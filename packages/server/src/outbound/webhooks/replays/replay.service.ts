import { invalidRequest, type Replay } from '@gatehouse/contract';
import type { SpaceAccess } from '../../../identity/index.ts';
import type { Clock } from '../../../lib/scheduling/index.ts';
import type { EventStore } from '../../../storage/ports/index.ts';
import type { Dispatcher } from '../dispatch/dispatcher.service.ts';
import {
  noRunningReplay,
  noSuchSubscription,
  replayIsRunning,
  subscriptionNotActive,
} from '../webhooks.errors.ts';
import type { ReplayRepository } from './replay.repository.ts';
import { formatReplay } from './replay.rules.ts';

export interface ReplayServiceDeps {
  readonly replays: ReplayRepository;
  readonly dispatcher: Dispatcher;
  readonly store: EventStore;
  readonly clock: Clock;
}

export interface ReplayService {
  /**
   * Starts a replay, or returns the running replay if its `from` is the same. Throws 400 if `from` is in the future, and
   * 409 if another replay is running or the subscription is not active.
   */
  start(space: SpaceAccess, subscriptionId: string, from: string): Promise<Replay>;
  /** Throws 404 if no replay is running. */
  cancel(space: SpaceAccess, subscriptionId: string): Promise<void>;
}

export function createReplayService(deps: ReplayServiceDeps): ReplayService {
  const { replays, dispatcher, store, clock } = deps;
  return {
    start: async ({ spaceId }, givenId, text) => {
      const key = { spaceId, subscriptionId: givenId.toLowerCase() };
      const [from, now] = [Date.parse(text), clock()];
      if (from > now) throw invalidRequest('deliveries', ['from: must not be in the future']);
      const through = await store.newest(spaceId);
      // The replay skips the remaining events before `from`.
      const position = Math.min(through, await store.retentionCutoff(spaceId, { since: from }));
      const started = await replays.start(key, { from, position, through, now });
      if (started === undefined) throw noSuchSubscription();
      if (started === 'inactive') throw subscriptionNotActive();
      const { row, isNew } = started;
      if (!isNew && row.replay_from !== from) throw replayIsRunning(row.replay_from ?? 0);
      const replay = formatReplay(row);
      if (replay === null) throw new Error('the started replay is missing');
      if (isNew) await dispatcher.reload(key);
      return replay;
    },
    cancel: async ({ spaceId }, givenId) => {
      const key = { spaceId, subscriptionId: givenId.toLowerCase() };
      if (!(await replays.cancel(key, clock()))) throw noRunningReplay();
      await dispatcher.reload(key);
    },
  };
}
