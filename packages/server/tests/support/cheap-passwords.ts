/**
 * Makes the hashes of passwords cheap in this process: a test creates many users and is not about what a hash costs.
 * `identity.suite.ts` imports this module; services in processes of their own hash as in production.
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
