/**
 * Makes password hashing cheap in this process, because tests create many users. `identity.suite.ts` imports this
 * module, and `startService` preloads it into services. `first-start.test.ts` and the other tests that start the service
 * with `startChild` or `runService` hash passwords as in production.
 */
import crypto, { type ScryptOptions } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

const { scrypt } = crypto;
type Done = (error: Error | null, key: Buffer) => void;

crypto.scrypt = ((
  password: string,
  salt: string,
  length: number,
  options: ScryptOptions,
  done: Done,
) => scrypt(password, salt, length, { ...options, N: 16, r: 1, p: 1 }, done)) as typeof scrypt;
syncBuiltinESMExports();
