import { EXIT, OperatorFailure } from './platform/installation/index.ts';
import { createLog } from './platform/logs/index.ts';
import { readSettings, type Settings } from './platform/settings/index.ts';
import { type Announce, type Service, start } from './start/index.ts';

const EXIT_ENDED_BY_TERM = 143;

const announce: Announce = ({ email, password }) => {
  process.stderr.write(
    `\nThe first administrator was made. Write this down, it is not shown again:\n  e-mail    ${email}\n  password  ${password}\n\n`,
  );
};

const read = readSettings(process.env);
if (read.ok) await run(read.settings);
else exit(EXIT.misconfigured, read.problems);

async function run(settings: Settings): Promise<void> {
  const log = createLog(settings.logLevel);
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'unexpected error outside a request');
    log.flushNow();
    process.exit(EXIT.failed);
  });
  // The first process of a container does not end by a signal that it does not listen to.
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
  log.info({ url: service.url }, 'ready');
  log.flushNow();

  const cutShort = new AbortController();
  let stopping = false;
  const stop = async (): Promise<void> => {
    await service.drain(cutShort.signal);
    setTimeout(() => {
      log.error('requests were still open; ending anyway');
      log.flushNow();
      process.exit(EXIT.failed);
    }, settings.stopSeconds * 1000).unref();
    await service.stop();
  };
  const onSignal = (signal: string): void => {
    // Whoever sits at a terminal does not wait for a load balancer.
    if (signal === 'SIGINT') cutShort.abort();
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    log.flushNow();
    stop().then(
      () => {
        log.info('stopped');
        log.flushNow();
        process.exit(0);
      },
      (error) => {
        log.fatal({ err: error }, 'could not stop cleanly');
        log.flushNow();
        process.exit(EXIT.failed);
      },
    );
  };
  process.off('SIGTERM', leave);
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

/** Problems go to standard error, a line each, so that they stand apart from the log. */
function exit(code: number, problems: readonly string[]): void {
  for (const problem of problems) process.stderr.write(`gatehouse: ${problem}\n`);
  process.exit(code);
}
