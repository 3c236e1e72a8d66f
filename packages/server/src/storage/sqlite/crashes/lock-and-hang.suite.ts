// A program for a test: holds a directory until it is killed.
import { openStore } from '../open-store.suite.ts';

const [, , directory = ''] = process.argv;
await openStore(directory);
process.stdout.write('locked\n');
