// Preloaded by the service. Writes the used JavaScript heap of the main thread to a file, in bytes.
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const EVERY_MS = 5000;
const file = process.env['SOAK_HEAP_FILE'];

if (isMainThread && file !== undefined)
  setInterval(() => writeFileSync(file, String(process.memoryUsage().heapUsed)), EVERY_MS).unref();
