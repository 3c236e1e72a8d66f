/** Process of `runTarget`. Arguments: target, number of inputs, seed. Prints a `Report` as JSON. */
import { fuzz } from './campaign.ts';
import { hiddenFault } from './targets/hidden-fault.ts';
import { TARGETS } from './targets/index.ts';

const [, , name, inputs, seed] = process.argv;
const target = [...TARGETS, hiddenFault].find((one) => one.name === name);
if (target === undefined) throw new Error(`there is no target ${name}`);
const report = await fuzz(target, Number(inputs), Number(seed));
process.stdout.write(JSON.stringify(report), () => process.exit());
