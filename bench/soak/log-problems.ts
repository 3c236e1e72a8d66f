import type { ChildServer } from '../../packages/server/tests/support/services/child-server.ts';
import { logLines } from '../../packages/server/tests/support/services/log-lines.ts';

const WARNING = 40;

/**
 * Returns a summary of the warnings and errors in the log. A webhook that fails writes none.
 *
 * @param isExpected returns whether problems are expected at a time, in milliseconds since 1970.
 */
export function logProblems(
  service: Pick<ChildServer, 'output'>,
  isExpected: (time: number) => boolean = () => false,
): string[] {
  const lines = logLines(service).filter(
    ({ level, time }) => Number(level) >= WARNING && !isExpected(Date.parse(String(time))),
  );
  const counts = new Map<string, number>();
  for (const line of lines) {
    const { time: _, requestId: __, pid: ___, ...shown } = line;
    const text = JSON.stringify(shown).slice(0, 500);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].slice(0, 20).map(([text, count]) => `log, ${count} times: ${text}`);
}
