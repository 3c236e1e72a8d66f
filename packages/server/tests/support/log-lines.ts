import type { ChildServer } from './child-server.ts';

export type LogLine = Readonly<Record<string, unknown>>;

/** The lines of a captured service's log so far. */
export function logLines(service: ChildServer): LogLine[] {
  return service
    .output()
    .stdout.split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as LogLine);
}

/** Those of one sink. */
export function sinkLines(service: ChildServer, sink: string): LogLine[] {
  return logLines(service).filter((line) => line['sink'] === sink);
}
