import { openStore } from '../open-store.suite.ts';

const [, , directory = ''] = process.argv;
await openStore(directory);
process.stdout.write('locked\n');
