// Lets V8 create objects in the old generation, as it does by default. The service sets the option at an unknown time of its start, so this
// program repeats its own setting.
import { setFlagsFromString } from 'node:v8';
import { PRETENURING_OPTION } from '../../packages/server/src/start/young-generation.ts';

setInterval(() => setFlagsFromString(`--${PRETENURING_OPTION}`), 100).unref();
