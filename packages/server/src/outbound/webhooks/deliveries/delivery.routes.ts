import {
  deleteDelivery,
  type ListedDeliveryState,
  listDeliveries,
  resendDeliveries,
  resendDelivery,
  showDelivery,
} from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { readLimit, readTextCursor, route } from '../../../http/index.ts';
import { type Access, type Caller, routesOnSpace } from '../../../identity/index.ts';
import type { DeliveryService } from './delivery.service.ts';

export interface DeliveryRoutesDeps {
  readonly access: Access;
  readonly deliveries: DeliveryService;
}

/** Requires the same access as the feed, because deliveries contain events. */
const VIEW = { role: 'viewer', scope: 'read' } as const;
const EDIT = { role: 'editor' } as const;

export function registerDeliveryRoutes(app: FastifyInstance, deps: DeliveryRoutesDeps): void {
  const { access, deliveries } = deps;
  /** A response can come from an internal network or contain a secret, so only editors see it. */
  const seesResponses = (caller: Caller, spaceId: string) =>
    access.space(caller, spaceId, EDIT).then(
      () => true,
      () => false,
    );
  route(app, listDeliveries, {
    caller: access.caller,
    handle: async ({ caller, params, query }) => {
      const state = query.state ?? null;
      const after = readAfter(query.after, state);
      const space = await access.space(caller, params.spaceId, VIEW);
      const { subscriptionId } = params;
      const list = { state, after, limit: readLimit(query.limit) };
      const sees = await seesResponses(caller, params.spaceId);
      return { status: 200, body: await deliveries.list(space, subscriptionId, list, sees) };
    },
  });
  route(app, showDelivery, {
    caller: access.caller,
    handle: async ({ caller, params }) => {
      const space = await access.space(caller, params.spaceId, VIEW);
      const { subscriptionId, deliveryId } = params;
      const sees = await seesResponses(caller, params.spaceId);
      return { status: 200, text: await deliveries.show(space, subscriptionId, deliveryId, sees) };
    },
  });
  const edit = routesOnSpace(app, access, EDIT);
  edit(resendDelivery, (space, { params }) =>
    deliveries.resend(space, params.subscriptionId, params.deliveryId),
  );
  edit(resendDeliveries, async (space, { params }) => ({
    count: await deliveries.resendAll(space, params.subscriptionId),
  }));
  edit(deleteDelivery, (space, { params }) =>
    deliveries.remove(space, params.subscriptionId, params.deliveryId),
  );
}

const POSITION = /^\d{1,16}$/;
const SEQUENCE = /^s\d{1,16}$/;

/** Reads the position of a delivery or, for `delivered`, the sequence number of a successful delivery. */
function readAfter(cursor: string | undefined, state: ListedDeliveryState | null): number | null {
  const [form, other] = state === 'delivered' ? [SEQUENCE, POSITION] : [POSITION, SEQUENCE];
  const text = readTextCursor(cursor, form, { parameter: 'state', form: other });
  return text === null ? null : Number(text.replace('s', ''));
}
