import type {
  Client,
  ClientResponse,
  Send,
} from '../../packages/server/tests/support/http/client.ts';
import type { MadeSpace } from '../../packages/server/tests/support/provision.ts';
import type { Failovers } from './failovers.ts';
import type { Latencies } from './pace.ts';
import type { Replicas } from './replicas.ts';

/** A feature under load. */
export interface Part {
  /** Sends requests until the soak is stopped. */
  run(): Promise<void>;
  /** Returns the broken promises, after all requests have ended. Waits for work that the service finishes later. */
  check(): Promise<readonly string[]>;
  /** Returns the counts that the result shows. */
  counts(): Readonly<Record<string, number>>;
}

/** Everything that the parts share. */
export interface Setting {
  readonly replicas: Replicas;
  /** Client that alternates between the replicas. */
  readonly client: Client;
  /** Session token of an administrator. */
  readonly session: string;
  readonly space: MadeSpace;
  /** API key of the space with all scopes. */
  readonly key: string;
  readonly latencies: Latencies;
  readonly signal: AbortSignal;
  /** Unexpected responses. */
  readonly failures: string[];
  /** `null`: the database does not fail. */
  readonly failovers: Failovers | null;
  /** Work that failed because of a failover. */
  readonly interrupted: string[];
}

/** Records that work could not be done, which is expected during a failover. */
function addInterruption(setting: Setting, startedAt: number, text: string): void {
  const { failures, failovers, interrupted } = setting;
  const isExpected = failovers?.overlaps(startedAt) ?? false;
  (isExpected ? interrupted : failures).push(text);
}

/**
 * Sends a request and records its duration. Records a failure and returns `null` unless the response has an expected status.
 *
 * @param kind name of the operation in the result.
 * @param expected default: any status below 300.
 */
export async function request(
  setting: Setting,
  kind: string,
  path: string,
  send: Send,
  expected?: readonly number[],
): Promise<ClientResponse | null> {
  const { client, latencies, failures } = setting;
  const startedAt = performance.now();
  try {
    const answer = await client(path, send);
    latencies.add(kind, performance.now() - startedAt);
    const { status, text } = answer;
    if (expected === undefined ? status < 300 : expected.includes(status)) return answer;
    // An unexpected success may contain a token.
    const failure = `${kind}: ${status} ${status < 300 ? '' : text.slice(0, 200)}`;
    if (status === 503) addInterruption(setting, startedAt, failure);
    else failures.push(failure);
  } catch (error) {
    addInterruption(setting, startedAt, `${kind}: ${(error as Error).message}`);
  }
  return null;
}

/** Runs work that throws if it fails. Records its duration or its failure. Returns whether it succeeded. */
export async function attempt(
  setting: Setting,
  kind: string,
  work: () => Promise<unknown>,
): Promise<boolean> {
  const startedAt = performance.now();
  try {
    await work();
    setting.latencies.add(kind, performance.now() - startedAt);
    return true;
  } catch (error) {
    addInterruption(setting, startedAt, `${kind}: ${(error as Error).message.slice(0, 400)}`);
    return false;
  }
}

/** Returns a sentence for each count that is not zero. */
export function violations(counts: Readonly<Record<string, number>>): string[] {
  return Object.entries(counts).flatMap(([text, count]) =>
    count === 0 ? [] : [`${text}: ${count}`],
  );
}
