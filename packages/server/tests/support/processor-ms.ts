/** Returns the processor time of this process in milliseconds. Other load on the machine does not change it. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
