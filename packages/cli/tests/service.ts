import { before } from 'node:test';
import { Gatehouse } from '@gatehouse/client';
import { ALLOW_RECEIVERS } from '../../server/tests/support/events/receiver.ts';
import { childServiceOfThisFile } from '../../server/tests/support/services/file-service.ts';
import { ADMIN } from '../../server/tests/support/services/service.ts';

const loading = Promise.withResolvers<void>();
// The runner would end after the tests of the first file, while the next file creates its space.
before(() => loading.promise);

/** Starts the tests. Call it when all files are loaded. */
export const startTests: () => void = loading.resolve;

/** The service of all tests in `commands`. */
export const { service, dataDir } = await childServiceOfThisFile({ env: ALLOW_RECEIVERS });
export const { url } = service;
/** The session of the administrator. The service limits the number of sign-ins per minute. */
export const { token } = await new Gatehouse({ url }).auth.signIn(ADMIN);
