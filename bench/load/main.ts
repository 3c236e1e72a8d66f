// Runs a load in a separate process. Standard input: LoadRequest as JSON. Standard output: LoadResult as JSON.
import {
  cycledRequests,
  ingestRequests,
  keyedRequests,
  type NextRequest,
  repeatedRequest,
} from './requests.ts';
import { type LoadOptions, runLoad } from './run-load.ts';

export type LoadRequest = LoadOptions & { path: string; authorization: string } & (
    | { kind: 'ingest'; events: number; eventBytes: number; duplicates?: number; subjects?: number }
    | { kind: 'repeat'; body: string }
    | { kind: 'keyed'; body: string }
    | { kind: 'cycle'; bodies: readonly string[] }
  );

const input: Buffer[] = [];
for await (const chunk of process.stdin) input.push(chunk as Buffer);
const request = JSON.parse(Buffer.concat(input).toString()) as LoadRequest;
process.stdout.write(`${JSON.stringify(await runLoad(request, () => requestsOf(request)))}\n`);

function requestsOf(load: LoadRequest): NextRequest {
  switch (load.kind) {
    case 'ingest':
      return ingestRequests(load, load.events, load.eventBytes, load.duplicates, load.subjects);
    case 'repeat':
      return repeatedRequest(load, load.body);
    case 'keyed':
      return keyedRequests(load, load.body);
    case 'cycle':
      return cycledRequests(load, load.bodies);
  }
}
