// Listens in a process of its own: ListenersOptions as JSON on standard input; on standard output a line when all
// streams are open, then a ListenersResult.
import { type ListenersOptions, readListeners } from './read-listeners.ts';

const input: Buffer[] = [];
for await (const chunk of process.stdin) input.push(chunk as Buffer);
const options = JSON.parse(Buffer.concat(input).toString()) as ListenersOptions;
const result = await readListeners(options, () => process.stdout.write('open\n'));
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
