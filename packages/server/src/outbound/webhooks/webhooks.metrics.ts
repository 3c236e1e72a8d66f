import type { Metrics } from '../../platform/metrics/index.ts';

export type CountDeliveries = (outcome: 'delivered' | 'failed' | 'parked') => void;

export function countDeliveries(metrics: Metrics): CountDeliveries {
  const total = metrics.counter({
    name: 'gatehouse_deliveries_total',
    help: 'Delivery attempts by outcome (`delivered`, `failed`), and deliveries that were parked (`parked`).',
    labels: ['outcome'],
  });
  const counters = {
    delivered: total.labels('delivered'),
    failed: total.labels('failed'),
    parked: total.labels('parked'),
  };
  return (outcome) => counters[outcome].inc();
}

export function showDeliveries(
  metrics: Metrics,
  dispatcher: {
    totals(): { readonly waiting: number; readonly parked: number };
    longestWaitMs(): number;
    lag(): Promise<number>;
  },
): void {
  metrics.gauges({
    name: 'gatehouse_deliveries_pending',
    help: 'Deliveries of active subscriptions by state: waiting for an attempt (`waiting`), parked (`parked`), or not yet read from the event log (`unread`).',
    label: 'state',
    read: async () => {
      const { waiting, parked } = dispatcher.totals();
      const unread = await dispatcher.lag();
      return new Map(Object.entries({ waiting, parked, unread }));
    },
  });
  metrics.gauge({
    name: 'gatehouse_deliveries_wait_seconds',
    help: 'Time for which the longest waiting delivery of an active subscription has waited, since its first attempt failed. 0 in replicas that do not deliver.',
    read: async () => dispatcher.longestWaitMs() / 1000,
  });
}
