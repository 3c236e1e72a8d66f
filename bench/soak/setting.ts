import type {
  Client,
  ClientResponse,
  Send,
} from '../../packages/server/tests/support/http/client.ts';
import type { MadeSpace } from '../../packages/server/tests/support/provision.ts';
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
}

/**
 * Sends a request and records its duration. Records a failure and returns `null` unless the response has an expected status.
 *
 * @param kind name of the operation in the result.
 * @param expected default: any status below 300.
 */
export async function request(
  { client, latencies, failures }: Setting,
  kind: string,
  path: string,
  send: Send,
  expected?: readonly number[],
): Promise<ClientResponse | null> {
  const startedAt = performance.now();
  try {
    const answer = await client(path, send);
    latencies.add(kind, performance.now() - startedAt);
    const { status, text } = answer;
    if (expected === undefined ? status < 300 : expected.includes(status)) return answer;
    // An unexpected success may contain a token.
    failures.push(`${kind}: ${status} ${status < 300 ? '' : text.slice(0, 200)}`);
  } catch (error) {
    failures.push(`${kind}: ${(error as Error).message}`);
  }
  return null;
}

/** Runs work that throws if it fails. Records its duration or its failure. */
export async function attempt(
  { latencies, failures }: Setting,
  kind: string,
  work: () => Promise<unknown>,
): Promise<void> {
  const startedAt = performance.now();
  try {
    await work();
    latencies.add(kind, performance.now() - startedAt);
  } catch (error) {
    failures.push(`${kind}: ${(error as Error).message.slice(0, 400)}`);
  }
}

/** Returns a sentence for each count that is not zero. */
export function violations(counts: Readonly<Record<string, number>>): string[] {
  return Object.entries(counts).flatMap(([text, count]) =>
    count === 0 ? [] : [`${text}: ${count}`],
  );
}
