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
