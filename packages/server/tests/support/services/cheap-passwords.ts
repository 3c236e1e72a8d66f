/**
 * Makes password hashing cheap in this process, because tests create many users. `identity.suite.ts` imports this
 * module. Services in other processes hash passwords as in production.
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
