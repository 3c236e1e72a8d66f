#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

// The default folder is shared with other users of the machine, who could replace the compiled code.
const { NODE_COMPILE_CACHE, XDG_CACHE_HOME } = process.env;
enableCompileCache(
  NODE_COMPILE_CACHE || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'gatehouse'),
);
const { run } = await import('./run.ts');
process.exitCode = await run(process.argv.slice(2), process);
