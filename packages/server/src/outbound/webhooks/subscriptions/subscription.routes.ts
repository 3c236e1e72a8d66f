import {
  changeSubscription,
  createSubscription,
  deleteSubscription,
  listSubscriptions,
  rotateSubscriptionSecret,
  showSubscription,
  testSubscription,
} from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { readCursor, readLimit } from '../../../http/index.ts';
import { type Access, routesOnSpace, type SpaceAccess } from '../../../identity/index.ts';
import { subscriptionIssues } from './subscription.rules.ts';
import type { SubscriptionService } from './subscription.service.ts';

export interface SubscriptionRoutesDeps {
  readonly access: Access;
  readonly subscriptions: SubscriptionService;
  readonly refusalOf: (url: string) => string | null;
}

/** Has no scope, so API keys are rejected. */
const EDIT = { role: 'editor' } as const;

export function registerSubscriptionRoutes(
  app: FastifyInstance,
  deps: SubscriptionRoutesDeps,
): void {
  const { access, subscriptions } = deps;
  const rules = subscriptionIssues(deps.refusalOf);
  const view = routesOnSpace(app, access, { role: 'viewer', scope: 'read' });
  const edit = routesOnSpace(app, access, EDIT);
  /** A URL may contain a secret, so only editors see it. */
  const seesUrl = ({ caller, spaceId }: SpaceAccess) =>
    access.space(caller, spaceId, EDIT).then(
      () => true,
      () => false,
    );
  edit.create(
    createSubscription,
    (space, { body }, stored) => subscriptions.create(space, body, stored),
    { rules },
  );
  view(listSubscriptions, async (space, { query }) => {
    const [after, limit] = [readCursor(query.after), readLimit(query.limit)];
    return subscriptions.list(space, await seesUrl(space), after, limit);
  });
  view(showSubscription, async (space, { params }) =>
    subscriptions.show(space, await seesUrl(space), params.subscriptionId),
  );
  edit(
    changeSubscription,
    (space, { params, body }) => subscriptions.change(space, params.subscriptionId, body),
    { rules },
  );
  edit(
    rotateSubscriptionSecret,
    (space, { params, body }) => subscriptions.rotate(space, params.subscriptionId, body),
    { rules },
  );
  edit(testSubscription, (space, { params }) => subscriptions.test(space, params.subscriptionId));
  edit(deleteSubscription, (space, { params }) =>
    subscriptions.remove(space, params.subscriptionId),
  );
}
