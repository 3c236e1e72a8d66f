// Runs a load in a separate process. Standard input: LoadRequest as JSON. Standard output: LoadResult as JSON.
import {
  arrayRequests,
  cycledRequests,
  ingestRequests,
  keyedRequests,
  type NextRequest,
  repeatedRequest,
} from './requests.ts';
import { type LoadOptions, runLoad } from './run-load.ts';

/** `append` sends each batch as an array to one of `streams` paths: `path`, a slash and a number. Each connection uses one path. */
export type LoadRequest = LoadOptions & { path: string; authorization: string } & (
    | { kind: 'ingest'; events: number; eventBytes: number; duplicates?: number; subjects?: number }
    | { kind: 'append'; events: number; eventBytes: number; duplicates?: number; streams: number }
    | { kind: 'repeat'; body: string }
    | { kind: 'keyed'; body: string }
    | { kind: 'cycle'; bodies: readonly string[] }
  );

let opened = 0;
const input: Buffer[] = [];
for await (const chunk of process.stdin) input.push(chunk as Buffer);
const request = JSON.parse(Buffer.concat(input).toString()) as LoadRequest;
process.stdout.write(`${JSON.stringify(await runLoad(request, () => requestsOf(request)))}\n`);

function requestsOf(load: LoadRequest): NextRequest {
  switch (load.kind) {
    case 'ingest':
      return ingestRequests(load, load.events, load.eventBytes, load.duplicates, load.subjects);
    case 'append': {
      const path = `${load.path}/${opened % load.streams}`;
      opened += 1;
      return arrayRequests({ ...load, path }, load.events, load.eventBytes, load.duplicates);
    }
    case 'repeat':
      return repeatedRequest(load, load.body);
    case 'keyed':
      return keyedRequests(load, load.body);
    case 'cycle':
      return cycledRequests(load, load.bodies);
  }
}
