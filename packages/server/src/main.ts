import { EXIT, OperatorFailure } from './platform/installation/index.ts';
import { createLog } from './platform/logs/index.ts';
import { readSettings, type Settings } from './platform/settings/index.ts';
import { type Announce, type Service, start } from './start/index.ts';

const EXIT_ENDED_BY_TERM = 143;

const announce: Announce | null = process.stdout.isTTY
  ? (text) => void process.stdout.write(text)
  : null;

const read = readSettings(process.env);
const [argument] = process.argv.slice(2);
if (argument !== undefined)
  exit(EXIT.misconfigured, [
    `unexpected argument "${argument}"; configure the service with environment variables such as GATEHOUSE_PORT=8081, see docs/configuration.md`,
  ]);
else if (read.ok) await run(read.settings);
else exit(EXIT.misconfigured, read.problems);

async function run(settings: Settings): Promise<void> {
  const log = createLog({
    level: settings.logLevel,
    format: settings.logFormat,
    noColor: process.env['NO_COLOR'],
  });
  process.on('uncaughtException', (error) => {
    const isExpected = error instanceof OperatorFailure;
    if (isExpected) log.fatal(error.message);
    else log.fatal({ err: error }, 'unexpected error outside a request');
    log.flushNow();
    process.exit(isExpected ? error.exitCode : EXIT.failed);
  });
  // In a container, Linux ignores signals to process 1 unless the process has a handler for the signal.
  const leave = (): never => process.exit(EXIT_ENDED_BY_TERM);
  if (process.pid === 1) process.on('SIGTERM', leave);
  let service: Service;
  try {
    service = await start(settings, log, announce);
  } catch (error) {
    log.flushNow();
    if (error instanceof OperatorFailure) return exit(error.exitCode, error.problems);
    return exit(EXIT.failed, [String((error as Error).stack ?? error)]);
  }
  const cutShort = new AbortController();
  let stopping = false;
  const stop = async (): Promise<void> => {
    await service.drain(cutShort.signal);
    setTimeout(() => {
      log.error('requests were still open at the end of GATEHOUSE_STOP_SECONDS; exiting');
      log.flushNow();
      process.exit(EXIT.failed);
    }, settings.stopSeconds * 1000).unref();
    await service.stop();
  };
  const onSignal = (signal: string): void => {
    // SIGINT comes from a terminal, so there is no load balancer to drain.
    if (signal === 'SIGINT') cutShort.abort();
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    stop().then(
      () => {
        log.info('stopped');
        log.flushNow();
        process.exit(0);
      },
      (error) => {
        log.fatal({ err: error }, 'shutdown failed');
        log.flushNow();
        process.exit(EXIT.failed);
      },
    );
  };
  process.off('SIGTERM', leave);
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  log.info({ url: service.url }, 'ready');
  log.flushNow();
}

/** Prints the problems to standard error, one per line, and exits. The log goes to standard output. */
function exit(code: number, problems: readonly string[]): void {
  for (const problem of problems) process.stderr.write(`gatehouse: ${problem}\n`);
  process.exit(code);
}
