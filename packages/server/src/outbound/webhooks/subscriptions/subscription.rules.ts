import type { Issue, Subscription } from '@gatehouse/contract';
import { secretProblem, toKey } from '../../../ingest/sources/index.ts';
import { toTime } from '../../../lib/scheduling/index.ts';
import type { Sealer } from '../../../platform/secrets/index.ts';
import type { SubscriptionRow } from '../../../storage/ports/index.ts';
import type { LastFailure } from '../deliveries/checkpoint.repository.ts';
import type { Totals } from '../deliveries/delivery.repository.ts';
import type { SubscriptionFilter } from '../dispatch/event-pages.ts';
import type { SigningKey } from '../dispatch/message.rules.ts';
import { formatReplay } from '../replays/replay.rules.ts';

export const MAX_SUBSCRIPTIONS = 100;

/** Columns of a subscription that was never replayed. */
export const NO_REPLAY = {
  replay_number: 0,
  replay_from: null,
  replay_position: null,
  replay_through: null,
  replay_started_at: null,
  replay_ended_at: null,
  replay_state: null,
} as const;

/** An encrypted secret. Times are Unix milliseconds. */
export interface StoredSecret {
  readonly sealed: string;
  readonly createdAt: number;
  /** Time at which the secret stops signing. `null` for the current secret. */
  readonly endsAt: number | null;
}

export function subscriptionIssues(
  refusalOf: (url: string) => string | null,
): (body: Readonly<Record<string, unknown>>) => Issue[] {
  return ({ url, secret, types }) => {
    const problems = [
      ['url', typeof url === 'string' && url !== '' ? refusalOf(url) : null],
      ['secret', typeof secret === 'string' && secret !== '' ? secretProblem(secret) : null],
    ] as const;
    const issues = problems.flatMap(([name, problem]) =>
      problem === null ? [] : [{ message: `${name}: ${problem}` }],
    );
    return [...issues, ...typePatternIssues(types)];
  };
}

/**
 * Returns the problems of new patterns of event types. Stored patterns may contain `*` before their end, where it matches only itself.
 *
 * @param types may not match the schema, which reports values of the wrong type.
 */
function typePatternIssues(types: unknown): Issue[] {
  if (!Array.isArray(types)) return [];
  return types.flatMap((type: unknown, index) =>
    typeof type === 'string' && type.slice(0, -1).includes('*')
      ? [
          {
            message: `types[${index}]: \`*\` is permitted only at the end; send an exact type such as \`order.paid\`, a prefix such as \`order.*\`, or \`*\` for all types`,
          },
        ]
      : [],
  );
}

/** Returns the encryption context of a secret. The secret can be decrypted only with the same context. */
export function sealContext({ space_id, id }: Pick<SubscriptionRow, 'space_id' | 'id'>): string {
  return `${space_id}/${id}`;
}

export function secretsOf({ secrets }: Pick<SubscriptionRow, 'secrets'>): StoredSecret[] {
  return JSON.parse(secrets) as StoredSecret[];
}

/** Returns the new secret, followed by the previous secret unless the previous secret expires immediately. */
export function rotated(
  before: readonly StoredSecret[],
  secret: StoredSecret,
  oldEndsAt: number,
): StoredSecret[] {
  const [current] = before;
  const keepsOld = current !== undefined && oldEndsAt > secret.createdAt;
  return keepsOld ? [secret, { ...current, endsAt: oldEndsAt }] : [secret];
}

/** Returns the keys that sign deliveries, or `[]` if the current secret cannot be decrypted. */
export function signingKeys(row: SubscriptionRow, sealer: Sealer): SigningKey[] {
  const opened = secretsOf(row).map(({ sealed, endsAt }) => ({
    text: sealer.open(sealed, sealContext(row)),
    endsAt,
  }));
  if (opened[0]?.text == null) return [];
  return opened.flatMap(({ text, endsAt }) =>
    text === null ? [] : [{ key: toKey(text), endsAt }],
  );
}

export function filterOf({
  types,
  sources,
}: Pick<SubscriptionRow, 'types' | 'sources'>): SubscriptionFilter {
  return { types: listOf(types), sources: listOf(sources) };
}

export function lastFailureOf(row: SubscriptionRow): LastFailure | null {
  const { last_failed_at: at, last_failed_status: status, last_failure: message } = row;
  return at === null ? null : { at, status, message: message ?? '' };
}

function listOf(text: string | null): string[] | null {
  return text === null ? null : (JSON.parse(text) as string[]);
}

export interface SubscriptionStatus {
  readonly lag: number;
  readonly totals: Totals;
  readonly held: string | null;
}

/** @param seesUrl if `false`, only the origin of the URL is returned, because a URL may contain a secret. */
export function formatSubscription(
  row: SubscriptionRow,
  { lag, totals, held }: SubscriptionStatus,
  now: number,
  seesUrl: boolean,
): Subscription {
  const failed = lastFailureOf(row);
  return {
    id: row.id,
    spaceId: row.space_id,
    url: seesUrl ? row.url : new URL(row.url).origin,
    ...filterOf(row),
    state: row.state,
    endReason: row.end_reason,
    secrets: secretsOf(row)
      .filter(({ endsAt }) => endsAt === null || endsAt > now)
      .map(({ createdAt, endsAt }) => ({
        createdAt: toTime(createdAt),
        endsAt: toTime(endsAt),
      })),
    lag,
    waiting: totals.waiting,
    parked: totals.parked,
    held,
    lastDeliveredAt: toTime(row.last_delivered_at),
    lastFailure: failed === null ? null : { ...failed, at: toTime(failed.at) },
    replay: formatReplay(row),
    createdAt: toTime(row.created_at),
  };
}
