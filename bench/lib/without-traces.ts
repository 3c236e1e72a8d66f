// Preload of a service without the hooks for traces. Only a benchmark uses it.
import { registerHooks } from 'node:module';

/** Functions that call their callback at once, by the end of the URL of the file that exports them. */
const REPLACED: Readonly<Record<string, readonly [original: RegExp, replacement: string][]>> = {
  '/platform/traces/spans.ts': [
    [/return recorder === null \? run\(IGNORE\) : recorder\.inSpan\(.*\);/, 'return run(IGNORE);'],
    [/return recorder === null \|\| context === undefined \? run\(\) : .*;/, 'return run();'],
    [/return recorder\?\.startSpan\(.*;/, 'return null;'],
    [/return recorder\?\.(activeContext|contextOf|traceId)\(.*;/g, 'return undefined;'],
  ],
  '/http/trace-requests.ts': [
    [/return isTracing\(\) \? inContext\(.*\) : run\(\);/, 'return run();'],
  ],
};

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const entry = Object.entries(REPLACED).find(([end]) => url.endsWith(end));
    if (entry === undefined) return loaded;
    let source = String(loaded.source);
    for (const [original, replacement] of entry[1]) {
      if (source.search(original) === -1) throw new Error(`${url} has no ${original}`);
      source = source.replace(original, replacement);
    }
    return { ...loaded, source };
  },
});
