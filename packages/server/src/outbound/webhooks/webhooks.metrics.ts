import type { Metrics } from '../../platform/metrics/index.ts';

/** Told of each attempt, and of each delivery that is given up. */
export type CountDeliveries = (outcome: 'delivered' | 'failed' | 'parked') => void;

/** For `/metrics`. */
export function countDeliveries(metrics: Metrics): CountDeliveries {
  const total = metrics.counter({
    name: 'gatehouse_deliveries_total',
    help: 'Attempts to deliver an event to a subscription, by how they ended; and deliveries that were parked.',
    labels: ['outcome'],
  });
  const counters = {
    delivered: total.labels('delivered'),
    failed: total.labels('failed'),
    parked: total.labels('parked'),
  };
  return (outcome) => counters[outcome].inc();
}

/** What is still to be delivered, for `/metrics`. */
export function showDeliveries(
  metrics: Metrics,
  dispatcher: {
    totals(): { readonly waiting: number; readonly parked: number };
    lag(): Promise<number>;
  },
): void {
  metrics.gauges({
    name: 'gatehouse_deliveries_pending',
    help: 'Of active subscriptions: deliveries that are tried again or wait behind such (`waiting`), deliveries that were given up (`parked`), and events that are yet to be looked at (`unread`).',
    label: 'state',
    read: async () => {
      const { waiting, parked } = dispatcher.totals();
      const unread = await dispatcher.lag();
      return new Map(Object.entries({ waiting, parked, unread }));
    },
  });
}
