// Reads streams in a separate process. Standard input: StreamsOptions as JSON. Standard output: StreamsResult as JSON.
import { readStreams, type StreamsOptions } from './read-streams.ts';

const input: Buffer[] = [];
for await (const chunk of process.stdin) input.push(chunk as Buffer);
const options = JSON.parse(Buffer.concat(input).toString()) as StreamsOptions;
process.stdout.write(`${JSON.stringify(await readStreams(options))}\n`);
