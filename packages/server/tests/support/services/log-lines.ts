import type { ChildServer } from './child-server.ts';

export type LogLine = Readonly<Record<string, unknown>>;

export function logLines(service: Pick<ChildServer, 'output'>): LogLine[] {
  return service
    .output()
    .stdout.split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as LogLine);
}

export function sinkLines(service: ChildServer, sink: string): LogLine[] {
  return logLines(service).filter((line) => line['sink'] === sink);
}
