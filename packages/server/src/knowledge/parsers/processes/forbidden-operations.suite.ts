import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync, writeSync } from 'node:fs';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';

/*
 * A program for the test of the isolation of parser processes. It tries operations and writes the codes of their errors to
 * standard output.
 */
const results: Record<string, string> = {};
const file = import.meta.filename;

function attempt(name: string, work: () => unknown): void {
  try {
    work();
    results[name] = 'permitted';
  } catch (error) {
    results[name] = (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

attempt('read its code', () => readFileSync(file));
attempt('read another file', () => readFileSync('/etc/hostname'));
attempt('write its code', () => writeFileSync(file, ''));
attempt('write another file', () => writeFileSync('/tmp/gatehouse-parser', ''));
attempt('start a process', () => spawnSync('true'));
attempt('start a thread', () => new Worker('', { eval: true }));
results['read a secret of the service'] =
  process.env['GATEHOUSE_SECRET'] === undefined ? 'missing' : 'permitted';
results['use the network'] = await new Promise<string>((resolve) => {
  const refused = (error: unknown) => resolve((error as NodeJS.ErrnoException).code ?? '');
  try {
    connect(9, '127.0.0.1')
      .on('connect', () => resolve('permitted'))
      .on('error', refused);
  } catch (error) {
    refused(error);
  }
});
writeSync(1, JSON.stringify(results));
