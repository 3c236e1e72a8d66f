import type { ClientResponse, Send } from '../../support/http/client.ts';
import type { Target } from './cluster.ts';

const TIMEOUT_MS = 30_000;

/**
 * Sends requests and records their outcomes. A request may have one of the expected statuses, 503 with `Retry-After`, or no response
 * if the test stopped its replica meanwhile. Everything else is a problem.
 */
export class Recorder {
  requests = 0;
  /** Number of responses with status 503 and `Retry-After`. */
  unavailable = 0;
  readonly #problems = new Map<string, number>();

  get problems(): string[] {
    return [...this.#problems].map(([problem, count]) => `${problem} (${count} times)`);
  }

  report(problem: string): void {
    this.#problems.set(problem, (this.#problems.get(problem) ?? 0) + 1);
  }

  /**
   * Returns the response if it has an expected status, and `null` if the request must be repeated.
   *
   * @param onBroken is called instead of a report if the connection breaks.
   */
  async send(
    target: Target,
    path: string,
    send: Send,
    expected: readonly number[],
    onBroken = () => this.report(`${target.name}: no response to ${label(path, send)}`),
  ): Promise<ClientResponse | null> {
    this.requests += 1;
    const answer = await within(target.client(path, send));
    if (answer === 'late') this.report(`${target.name}: ${label(path, send)} took 30 seconds`);
    else if (answer === null) {
      if (!target.hasStopped()) onBroken();
    } else if (answer.status === 503 && answer.headers.has('retry-after')) this.unavailable += 1;
    else if (!expected.includes(answer.status))
      // The text could contain a token.
      this.report(
        `${target.name}: ${label(path, send)}: ${answer.status} ${answer.json['code'] ?? ''}`,
      );
    else return answer;
    return null;
  }
}

/** Returns `null` if the connection broke. */
async function within(pending: Promise<ClientResponse>): Promise<ClientResponse | 'late' | null> {
  const { promise, resolve } = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => resolve('late'), TIMEOUT_MS);
  try {
    return await Promise.race([pending, promise]);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

function label(path: string, { method, body }: Send): string {
  const masked = path.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…').replace(/\?.*/, '');
  return `${method ?? (body === undefined ? 'GET' : 'POST')} ${masked}`;
}
