// Starts and stops the service in a folder, then runs the demo there:
//   node scripts/start-once.ts <folder>
// `npm start` must become ready, log JSON and exit with code 0 after SIGTERM. The demo must exit with code 0.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../packages/server/tests/support/services/free-port.ts';

const READY_WITHIN_MS = 30_000;
const STOPPED_WITHIN_MS = 10_000;
const DEMO_WITHIN_MS = 60_000;

const folder = process.argv[2] ?? join(import.meta.dirname, '..');
const dataDirs = mkdtempSync(join(tmpdir(), 'gatehouse-start-once-'));
process.on('exit', () => rmSync(dataDirs, { recursive: true, force: true }));

await startAndStop();
await demonstrate();

async function startAndStop(): Promise<void> {
  const port = await freePort();
  const service = npm(['start', '--silent'], port, 'service');
  let log = '';
  service.stdout?.on('data', (chunk) => {
    log += chunk;
  });
  const started = performance.now();
  await ready(service, `http://127.0.0.1:${port}/readyz`);
  console.log(`npm start: ready after ${Math.round(performance.now() - started)} ms`);
  if (!log.split('\n').some(isJsonObject)) fail(service, `npm start logged no JSON line:\n${log}`);
  service.kill('SIGTERM');
  await ended(service, STOPPED_WITHIN_MS, 'npm start, after SIGTERM');
}

async function demonstrate(): Promise<void> {
  const demo = npm(['run', 'demo', '--silent', '--', '--exit'], await freePort(), 'demo');
  demo.stdout?.pipe(process.stdout);
  await ended(demo, DEMO_WITHIN_MS, 'npm run demo -- --exit');
}

/** Starts npm in its own process group, so that all processes of the group can be killed after a failure. */
function npm(args: string[], port: number, name: string): ChildProcess {
  const env = {
    ...process.env,
    GATEHOUSE_PORT: String(port),
    GATEHOUSE_DATA_DIR: join(dataDirs, name),
  };
  return spawn('npm', args, {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
}

async function ready(service: ChildProcess, url: string): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  while (performance.now() < deadline) {
    if (service.exitCode !== null) fail(service, `npm start exited with code ${service.exitCode}`);
    const response = await fetch(url).catch(() => undefined);
    if (response?.status === 200) return;
    await sleep(50);
  }
  fail(service, `${url} did not return 200 within ${READY_WITHIN_MS} ms`);
}

async function ended(child: ChildProcess, withinMs: number, what: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    await once(child, 'exit', { signal: AbortSignal.timeout(withinMs) }).catch(() =>
      fail(child, `${what}: still running after ${withinMs} ms`),
    );
  }
  const { exitCode, signalCode } = child;
  if (exitCode !== 0)
    fail(child, `${what}: exited with ${signalCode ?? `code ${exitCode}`}, not 0`);
  console.log(`${what}: exited with code 0`);
}

function fail(child: ChildProcess, problem: string): never {
  console.error(problem);
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group has already exited.
  }
  process.exit(1);
}

function isJsonObject(line: string): boolean {
  try {
    return line.startsWith('{') && typeof JSON.parse(line) === 'object';
  } catch {
    return false;
  }
}
