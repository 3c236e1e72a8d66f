import { setTimeout as sleep } from 'node:timers/promises';
import type { Sender } from '../../events/sender.ts';
import { until } from '../../until.ts';
import type { KafkaCluster } from './cluster.ts';

/** The event IDs of each subject without duplicates, in the order of their first records. */
export interface Published {
  readonly bySubject: ReadonlyMap<string, readonly string[]>;
  readonly records: number;
}

export async function publishedIn(kafka: KafkaCluster, topic: string): Promise<Published> {
  const found = new Map<string, Set<string>>();
  const records = await kafka.records(topic);
  for (const { headers } of records) {
    const header = (name: string) => headers[headers.indexOf(name) + 1] ?? '';
    const subject = header('ce_subject');
    found.set(subject, (found.get(subject) ?? new Set()).add(header('ce_id')));
  }
  return {
    bySubject: new Map([...found].map(([subject, ids]) => [subject, [...ids]])),
    records: records.length,
  };
}

/** Waits until Kafka holds all sent events, and returns them. While no broker answers, it continues to wait. */
export async function untilPublished(
  kafka: KafkaCluster,
  topic: string,
  { sent }: Sender,
): Promise<Published> {
  const total = sent.values().reduce((sum, ids) => sum + ids.length, 0);
  let published: Published | null = null;
  await until(`Kafka holds ${total} events`, async () => {
    // Each look starts a process.
    await sleep(100);
    published = await publishedIn(kafka, topic).catch(() => null);
    const found = published?.bySubject.values().reduce((sum, ids) => sum + ids.length, 0);
    return found === total;
  });
  return published ?? { bySubject: new Map(), records: 0 };
}
