import { readSettings, type Settings } from './config/index.ts';
import { createLog } from './log.ts';
import { type Announce, type Service, StartFailure, start } from './start.ts';

// https://man.freebsd.org/cgi/man.cgi?sysexits
const EXIT_FAILED = 70;
const EXIT_MISCONFIGURED = 78;

/** Accepted requests have this long to finish after a signal; then the process ends anyway. */
const STOP_WITHIN_MS = 9_000;

const announce: Announce = ({ email, password }) => {
  process.stderr.write(
    `\nThe first administrator was made. Write this down, it is not shown again:\n  e-mail    ${email}\n  password  ${password}\n\n`,
  );
};

const read = readSettings(process.env);
if (read.ok) await run(read.settings);
else exit(EXIT_MISCONFIGURED, read.problems);

async function run(settings: Settings): Promise<void> {
  const log = createLog(settings.logLevel);
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'unexpected error outside a request');
    log.flushNow();
    process.exit(EXIT_FAILED);
  });
  let service: Service;
  try {
    service = await start(settings, log, announce);
  } catch (error) {
    log.flushNow();
    if (error instanceof StartFailure) return exit(error.exitCode, error.problems);
    return exit(EXIT_FAILED, [String((error as Error).stack ?? error)]);
  }
  log.info({ url: service.url }, 'ready');
  log.flushNow();

  let stopping = false;
  const stop = (signal: string): void => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => {
      log.error('requests were still open; ending anyway');
      log.flushNow();
      process.exit(EXIT_FAILED);
    }, STOP_WITHIN_MS).unref();
    service.stop().then(
      () => {
        log.info('stopped');
        log.flushNow();
        process.exit(0);
      },
      (error) => {
        log.fatal({ err: error }, 'could not stop cleanly');
        log.flushNow();
        process.exit(EXIT_FAILED);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

/** Problems go to standard error, a line each, so that they stand apart from the log. */
function exit(code: number, problems: readonly string[]): void {
  for (const problem of problems) process.stderr.write(`gatehouse: ${problem}\n`);
  process.exit(code);
}
