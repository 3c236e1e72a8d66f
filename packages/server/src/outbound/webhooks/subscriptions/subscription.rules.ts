import type { Issue, Subscription } from '@gatehouse/contract';
import { secretFault, toKey } from '../../../ingest/sources/index.ts';
import type { Sealer } from '../../../platform/secrets/index.ts';
import type { SubscriptionRow } from '../../../storage/ports/index.ts';
import type { Totals } from '../deliveries/delivery.repository.ts';
import type { LastFailure } from '../deliveries/progress.repository.ts';
import type { Wanted } from '../dispatch/intake.ts';
import type { SigningKey } from '../dispatch/message.rules.ts';

export const MAX_SUBSCRIPTIONS = 100;

/** A secret as it is stored, encrypted; times are Unix milliseconds. */
export interface StoredSecret {
  readonly sealed: string;
  readonly createdAt: number;
  /** Until when it signs; null for the current one. */
  readonly endsAt: number | null;
}

/** What is wrong with the body of a subscription or of its new secret, beyond the schema. */
export function subscriptionIssues(
  refusalOf: (url: string) => string | null,
): (body: Readonly<Record<string, unknown>>) => Issue[] {
  return ({ url, secret }) => {
    const faults = [
      ['url', typeof url === 'string' && url !== '' ? refusalOf(url) : null],
      ['secret', typeof secret === 'string' && secret !== '' ? secretFault(secret) : null],
    ] as const;
    return faults.flatMap(([name, fault]) =>
      fault === null ? [] : [{ message: `${name}: ${fault}` }],
    );
  };
}

/** What a sealed secret belongs to. */
export function placeOf({ space_id, id }: Pick<SubscriptionRow, 'space_id' | 'id'>): string {
  return `${space_id}/${id}`;
}

/** The current secret first. */
export function secretsOf({ secrets }: Pick<SubscriptionRow, 'secrets'>): StoredSecret[] {
  return JSON.parse(secrets) as StoredSecret[];
}

/** The new secret and, for a while, the one before. */
export function rotated(
  before: readonly StoredSecret[],
  secret: StoredSecret,
  oldEndsAt: number,
): StoredSecret[] {
  const [current] = before;
  const keepsOld = current !== undefined && oldEndsAt > secret.createdAt;
  return keepsOld ? [secret, { ...current, endsAt: oldEndsAt }] : [secret];
}

/** What signs its deliveries; none when the current secret cannot be decrypted. */
export function signingKeys(row: SubscriptionRow, sealer: Sealer): SigningKey[] {
  const opened = secretsOf(row).map(({ sealed, endsAt }) => ({
    text: sealer.open(sealed, placeOf(row)),
    endsAt,
  }));
  if (opened[0]?.text == null) return [];
  return opened.flatMap(({ text, endsAt }) =>
    text === null ? [] : [{ key: toKey(text), endsAt }],
  );
}

export function wantedOf({ types, sources }: Pick<SubscriptionRow, 'types' | 'sources'>): Wanted {
  return { types: listOf(types), sources: listOf(sources) };
}

/** When an attempt last failed, and why. */
export function lastFailureOf(row: SubscriptionRow): LastFailure | null {
  const { last_failed_at: at, last_failed_status: status, last_failure: message } = row;
  return at === null ? null : { at, status, message: message ?? '' };
}

function listOf(text: string | null): string[] | null {
  return text === null ? null : (JSON.parse(text) as string[]);
}

/** How a subscription fares, beyond what its row says. */
export interface Fare {
  readonly lag: number;
  readonly totals: Totals;
  readonly held: string | null;
}

/** A subscription as those see it who may; the whole URL, which may hold a secret, is for who has edit rights. */
export function formatSubscription(
  row: SubscriptionRow,
  { lag, totals, held }: Fare,
  now: number,
  seesUrl: boolean,
): Subscription {
  const time = (at: number) => new Date(at).toISOString();
  const failed = lastFailureOf(row);
  return {
    id: row.id,
    spaceId: row.space_id,
    url: seesUrl ? row.url : new URL(row.url).origin,
    ...wantedOf(row),
    state: row.state,
    endReason: row.end_reason,
    secrets: secretsOf(row)
      .filter(({ endsAt }) => endsAt === null || endsAt > now)
      .map(({ createdAt, endsAt }) => ({
        createdAt: time(createdAt),
        endsAt: endsAt === null ? null : time(endsAt),
      })),
    lag,
    waiting: totals.waiting,
    parked: totals.parked,
    held,
    lastDeliveredAt: row.last_delivered_at === null ? null : time(row.last_delivered_at),
    lastFailure: failed === null ? null : { ...failed, at: time(failed.at) },
    createdAt: time(row.created_at),
  };
}
