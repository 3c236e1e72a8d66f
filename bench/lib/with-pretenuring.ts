// Lets V8 create objects in the old generation, as it does by default. Loaded before the service, so it waits until the service has set the option.
import { setFlagsFromString } from 'node:v8';
import { PRETENURING_OPTION } from '../../packages/server/src/start/young-generation.ts';

setTimeout(() => setFlagsFromString(`--${PRETENURING_OPTION}`), 400).unref();
