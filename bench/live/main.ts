// Runs listeners in a separate process. Standard input: ListenersOptions as JSON. Standard output: a line when all streams are open, then
// ListenersResult as JSON.
import { type ListenersOptions, readListeners } from './read-listeners.ts';

const input: Buffer[] = [];
for await (const chunk of process.stdin) input.push(chunk as Buffer);
const options = JSON.parse(Buffer.concat(input).toString()) as ListenersOptions;
const result = await readListeners(options, () => process.stdout.write('open\n'));
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
