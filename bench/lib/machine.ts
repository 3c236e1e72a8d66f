import { availableParallelism, cpus, release, totalmem } from 'node:os';

export function machine() {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    linux: release(),
    node: process.version,
  };
}

/** Prints the result of a benchmark as JSON, with the machine. */
export function report(claim: string, result: object): void {
  console.log(JSON.stringify({ claim, machine: machine(), ...result }, null, 2));
}
