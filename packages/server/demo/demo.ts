// `npm run demo` starts the service on a new data directory and runs the main use case once. With `--exit`, the service then
// stops.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { linkUrl, openOneTimeLinks } from '../src/identity/index.ts';
import { EXIT, OperatorFailure } from '../src/platform/installation/index.ts';
import { createLog } from '../src/platform/logs/index.ts';
import { readSettings } from '../src/platform/settings/index.ts';
import { openTables } from '../src/start/commands/command.ts';
import { type Service, start } from '../src/start/index.ts';
import { createClient, UnexpectedAnswer } from './client.ts';
import { loadDocuments, searchAs } from './knowledge.ts';
import { showOrders } from './orders.ts';
import { report } from './report.ts';

const ROOT = join(import.meta.dirname, '../../..');
const ADMIN = { email: 'admin@example.com', password: 'demo-password-please-change' };

const dataDir = process.env['GATEHOUSE_DATA_DIR'] ?? mkdtempSync(join(tmpdir(), 'gatehouse-demo-'));
const isTemporary = process.env['GATEHOUSE_DATA_DIR'] === undefined;
// The reader of a pipe, such as `head`, has closed it.
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? 0 : EXIT.failed),
);
process.on('exit', () => {
  if (isTemporary) rmSync(dataDir, { recursive: true, force: true });
});

const read = readSettings({
  ...process.env,
  GATEHOUSE_DATA_DIR: dataDir,
  GATEHOUSE_ADMIN_EMAIL: ADMIN.email,
  GATEHOUSE_ADMIN_PASSWORD: ADMIN.password,
  GATEHOUSE_LOG_LEVEL: process.env['GATEHOUSE_LOG_LEVEL'] ?? 'warn',
});
if (!read.ok) fail(read.problems, EXIT.misconfigured);
const { settings } = read;
const log = createLog({
  level: settings.logLevel,
  format: settings.logFormat,
  noColor: process.env['NO_COLOR'],
});
const service = await start(settings, log, () => {}).catch((error: unknown) =>
  error instanceof OperatorFailure ? fail(error.problems, error.exitCode) : fail([String(error)]),
);
await demonstrate(service).catch((error: unknown) => fail([String(error)]));

async function demonstrate(running: Service): Promise<void> {
  const send = createClient(running.url);
  const { token } = await send('POST', '/auth/sign-in/email', null, JSON.stringify(ADMIN)).catch(
    failIfOtherUsers,
  );
  const session = String(token);
  const space = await send(
    'POST',
    '/spaces',
    session,
    JSON.stringify({ name: 'Demo shop', allowedOrigins: [running.url] }),
  );
  await send(
    'PATCH',
    `/bots/${space['defaultBotId']}`,
    session,
    JSON.stringify({ name: 'Shop assistant', greeting: 'Hello! What can I find for you?' }),
  );
  const key = await send(
    'POST',
    `/spaces/${space['id']}/api-keys`,
    session,
    JSON.stringify({
      name: 'demo',
      scopes: ['links:write', 'events:write', 'knowledge:write', 'read'],
    }),
  );
  const apiKey = String(key['key']);
  const link = await send('POST', '/assistant-link', apiKey, example('access-link.json'));
  const staffLink = await send('POST', '/assistant-link', apiKey, example('staff-link.json'));
  const target = { send, url: running.url, spaceId: String(space['id']), apiKey };
  const documents = await loadDocuments(target, join(ROOT, 'examples/documents'));
  const asCustomer = await searchAs(target, example('access-link.json'));
  const asColleague = await searchAs(target, example('staff-link.json'));
  const orders = await send('POST', '/events', apiKey, example('orders.events.json'));
  const mixed = await send('POST', '/events', apiKey, example('mixed.events.json'));
  const ownOrders = await showOrders(target, join(ROOT, 'examples'));
  const feed = await send('GET', '/events?limit=200', apiKey);

  const keepsRunning = !process.argv.includes('--exit');
  process.stdout.write(
    report({
      url: running.url,
      examples: relative(process.cwd(), join(ROOT, 'examples')) || '.',
      dataDir,
      admin: ADMIN,
      space,
      apiKey,
      link,
      staffLink,
      documents: documents.length,
      asCustomer,
      asColleague,
      orders,
      mixed,
      ownOrders,
      feed,
      model: settings.modelUrl === null ? null : settings.modelName,
      consoleUrl: await signInUrl(running.url),
      keepsRunning,
    }),
  );
  if (!keepsRunning) return end();
  process.once('SIGINT', () => void end());
  process.once('SIGTERM', () => void end());
}

/** Returns a one-time link that signs the administrator in to the console. */
async function signInUrl(url: string): Promise<string> {
  await using store = await openTables(settings, () => {});
  const link = await openOneTimeLinks(store.db, Date.now).issue('sign-in', { email: ADMIN.email });
  if (typeof link === 'string') throw new Error(`no sign-in link was created: ${link}`);
  return linkUrl(url, 'sign-in', link.token);
}

function failIfOtherUsers(error: unknown): never {
  if (!(error instanceof UnexpectedAnswer) || error.status !== 401) throw error;
  const problem = `GATEHOUSE_DATA_DIR: ${dataDir} contains an installation with other users; unset the variable to use a temporary directory`;
  return fail([problem], EXIT.misconfigured);
}

async function end(): Promise<void> {
  if (service !== undefined) await service.stop();
  log.flushNow();
  process.exit(0);
}

function example(name: string): string {
  return readFileSync(join(ROOT, 'examples', name), 'utf8');
}

function fail(problems: readonly string[], exitCode: number = EXIT.failed): never {
  for (const problem of problems) process.stderr.write(`demo: ${problem}\n`);
  process.exit(exitCode);
}
