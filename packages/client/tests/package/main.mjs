// Runs the program on Node, Deno and Bun.
import { use } from './program.mjs';

await use(...(globalThis.process?.argv.slice(2) ?? globalThis.Deno.args));
console.log('complete');
