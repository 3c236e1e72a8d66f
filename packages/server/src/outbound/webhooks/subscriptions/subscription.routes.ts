import {
  changeSubscription,
  createSubscription,
  deleteSubscription,
  listSubscriptions,
  rotateSubscriptionSecret,
  type SubscriptionWithSecret,
  showSubscription,
  testSubscription,
} from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { readCursor, readLimit, route } from '../../../http/index.ts';
import { type Access, type Caller, replayWith } from '../../../identity/index.ts';
import { subscriptionIssues } from './subscription.rules.ts';
import type { SubscriptionService } from './subscription.service.ts';

export interface SubscriptionRoutesDeps {
  readonly access: Access;
  readonly subscriptions: SubscriptionService;
  readonly refusalOf: (url: string) => string | null;
}

const created = (subscription: SubscriptionWithSecret) =>
  ({ status: 201, body: subscription }) as const;

const VIEW = { role: 'viewer', scope: 'read' } as const;
/** Has no scope, so API keys are rejected. */
const EDIT = { role: 'editor' } as const;

export function registerSubscriptionRoutes(
  app: FastifyInstance,
  deps: SubscriptionRoutesDeps,
): void {
  const { access, subscriptions } = deps;
  const rules = subscriptionIssues(deps.refusalOf);
  /** A URL may contain a secret, so only editors see it. */
  const seesUrl = (caller: Caller, spaceId: string) =>
    access.space(caller, spaceId, EDIT).then(
      () => true,
      () => false,
    );
  route(app, createSubscription, {
    caller: access.user,
    rules,
    replay: replayWith(access, EDIT),
    handle: async ({ caller, params, body, once }) => {
      const space = await access.space(caller, params.spaceId, EDIT);
      const stored = once.store((subscription: SubscriptionWithSecret) => ({
        spaceId: space.spaceId,
        response: created(subscription),
      }));
      return created(await subscriptions.create(space, body, stored));
    },
  });
  route(app, listSubscriptions, {
    caller: access.caller,
    handle: async ({ caller, params, query }) => {
      const after = readCursor(query.after);
      const space = await access.space(caller, params.spaceId, VIEW);
      const sees = await seesUrl(caller, params.spaceId);
      const limit = readLimit(query.limit);
      return { status: 200, body: await subscriptions.list(space, sees, after, limit) };
    },
  });
  route(app, showSubscription, {
    caller: access.caller,
    handle: async ({ caller, params }) => {
      const space = await access.space(caller, params.spaceId, VIEW);
      const sees = await seesUrl(caller, params.spaceId);
      return { status: 200, body: await subscriptions.show(space, sees, params.subscriptionId) };
    },
  });
  route(app, changeSubscription, {
    caller: access.user,
    rules,
    handle: async ({ caller, params, body }) => {
      const space = await access.space(caller, params.spaceId, EDIT);
      return { status: 200, body: await subscriptions.change(space, params.subscriptionId, body) };
    },
  });
  route(app, rotateSubscriptionSecret, {
    caller: access.user,
    rules,
    handle: async ({ caller, params, body }) => {
      const space = await access.space(caller, params.spaceId, EDIT);
      return { status: 201, body: await subscriptions.rotate(space, params.subscriptionId, body) };
    },
  });
  route(app, testSubscription, {
    caller: access.user,
    handle: async ({ caller, params }) => {
      const space = await access.space(caller, params.spaceId, EDIT);
      return { status: 200, body: await subscriptions.test(space, params.subscriptionId) };
    },
  });
  route(app, deleteSubscription, {
    caller: access.user,
    handle: async ({ caller, params }) => {
      const space = await access.space(caller, params.spaceId, EDIT);
      await subscriptions.remove(space, params.subscriptionId);
      return { status: 204 };
    },
  });
}
