import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installed } from '../../tools.ts';

/** A record as librdkafka's consumer reads it, which checks the CRC of each batch. */
export interface ConsumedRecord {
  readonly partition: number;
  readonly key: string;
  readonly payload: string;
  /** Alternating names and values. */
  readonly headers: readonly string[];
}

const JARS = installed('kafka');

function hasPrograms(...programs: string[]): boolean {
  return programs.every((program) => spawnSync(program, ['-h']).error === undefined);
}

/** The reason why no Kafka broker can run, or `false`. */
export const NO_KAFKA: string | false =
  JARS === null
    ? 'the jars of Kafka are missing (scripts/prepare-tests.sh)'
    : hasPrograms('java', 'kcat')
      ? false
      : 'java or kcat is missing';

/** Options that reduce the processor time of a short-lived process. The last two skip the verification of Kafka's classes. */
const SHORT_LIVED = [
  ...['-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'],
  ...['-XX:+UnlockDiagnosticVMOptions', '-XX:-BytecodeVerificationRemote'],
];
const JAVA = ['-XX:-UsePerfData', '-Dorg.slf4j.simpleLogger.defaultLogLevel=error'];

function commandOf(
  main: string,
  parameters: readonly string[],
  java: readonly string[] = SHORT_LIVED,
): string[] {
  return [...java, ...JAVA, '-cp', join(JARS ?? '', '*'), main, ...parameters];
}

export function spawnBroker(properties: string, java?: readonly string[]): ChildProcess {
  return spawn('java', commandOf('kafka.Kafka', [properties], java), {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Prepares the data directory of a broker. Each SCRAM credential has the format of `kafka-storage.sh`. */
export async function formatStorage(
  properties: string,
  cluster: string,
  scram: readonly string[],
): Promise<void> {
  const credentials = scram.flatMap((credential) => ['--add-scram', credential]);
  const parameters = ['format', '-t', cluster, '-c', properties, ...credentials];
  // Without a UTF-8 locale, Java would replace the letters of a password that are not ASCII.
  const env = { ...process.env, LC_ALL: 'C.UTF-8' };
  await promisify(execFile)('java', commandOf('kafka.tools.StorageTool', parameters), { env });
}

/** Reads all records of a topic with librdkafka's consumer. */
export async function consume(addresses: string, topic: string): Promise<ConsumedRecord[]> {
  const { stdout } = await promisify(execFile)(
    'kcat',
    ['-C', '-q', '-e', '-J', '-b', addresses, '-t', topic, '-o', 'beginning'].concat(
      '-X',
      'check.crcs=true',
      '-X',
      'fetch.wait.max.ms=5',
    ),
    { maxBuffer: 2 ** 30 },
  );
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ConsumedRecord);
}
