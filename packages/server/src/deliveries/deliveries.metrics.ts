import type { Metrics } from '../http/index.ts';

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
