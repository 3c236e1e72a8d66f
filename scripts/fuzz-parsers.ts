// Parses random inputs with the parsers of untrusted input, guided by the coverage of their source text, and reports findings:
//   node scripts/fuzz-parsers.ts [inputs, 100000] [seed] [target …]
// Slow parsers get a share of the inputs. Exits with 1 if there is a finding. See docs/fuzzing.md.

import { runTarget } from './fuzz/parsers/run-target.ts';
import { TARGETS } from './fuzz/parsers/targets/index.ts';

const [, , inputs = '100000', seed = String(Date.now() % 2 ** 32), ...names] = process.argv;
const unknown = names.filter((name) => !TARGETS.some((target) => target.name === name));
if (unknown.length > 0) {
  const known = TARGETS.map(({ name }) => name).join(', ');
  refuse(`unknown target ${unknown.join(', ')}; the targets are ${known}`);
}
if (!/^[1-9]\d*$/.test(inputs)) refuse('the number of inputs must be a positive whole number');
if (!/^\d+$/.test(seed)) refuse('the seed must be a whole number');
console.log(`seed ${seed}`);
for (const { name, share = 1 } of TARGETS) {
  if (names.length > 0 && !names.includes(name)) continue;
  const report = await runTarget(name, Math.ceil(Number(inputs) * share), Number(seed));
  const { corpus, executed, seconds, memory, findings } = report;
  console.log(
    `${name}: ${report.inputs} inputs in ${seconds.toFixed(0)} s, ${executed} characters of source text executed by ${corpus} inputs, ${memory.join(', ')} MB`,
  );
  for (const { input, problem } of findings)
    console.log(`${problem}\ninput (latin1): ${JSON.stringify(input)}`);
  if (findings.length > 0) process.exitCode = 1;
}

function refuse(problem: string): never {
  console.error(problem);
  process.exit(2);
}
