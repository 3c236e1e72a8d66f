import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto';

export interface SignIn {
  readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512';
  readonly user: string;
  readonly password: string;
}

/**
 * Returns the server's next message and whether the authentication is complete. Returns `null` if the authentication
 * failed.
 */
export type Exchange = (message: string) => { answer: string; done: boolean } | null;

export function beginExchange(expected: SignIn): Exchange {
  if (expected.mechanism === 'PLAIN')
    return (message) =>
      message === `\0${expected.user}\0${expected.password}` ? { answer: '', done: true } : null;
  return beginScram(expected);
}

/** Implements the parts of RFC 5802 that a correct client uses. */
function beginScram({ mechanism, user, password }: SignIn): Exchange {
  const algorithm = mechanism.slice('SCRAM-'.length).replace('-', '').toLowerCase();
  const [salt, iterations] = [randomBytes(16), 4096];
  const length = algorithm === 'sha256' ? 32 : 64;
  const salted = pbkdf2Sync(password, salt, iterations, length, algorithm);
  const mac = (key: Buffer, text: string) => createHmac(algorithm, key).update(text).digest();
  const clientKey = mac(salted, 'Client Key');
  const storedKey = createHash(algorithm).update(clientKey).digest();
  let transcript = '';

  return (message) => {
    if (transcript === '') {
      const [, bare = '', name, nonce] = /^n,,(n=([^,]*),r=(.+))$/.exec(message) ?? [];
      if (name !== user) return null;
      const first = `r=${nonce}${randomBytes(8).toString('hex')},s=${salt.toString('base64')},i=${iterations}`;
      transcript = `${bare},${first}`;
      return { answer: first, done: false };
    }
    const [, final = '', proof = ''] = /^(c=biws,r=[^,]*),p=(.+)$/.exec(message) ?? [];
    const signed = `${transcript},${final}`;
    const signature = mac(storedKey, signed);
    const key = Buffer.from(proof, 'base64').map((byte, index) => byte ^ (signature[index] ?? 0));
    const digest = createHash(algorithm).update(key).digest();
    if (!timingSafeEqual(digest, storedKey)) return null;
    const verifier = mac(mac(salted, 'Server Key'), signed).toString('base64');
    return { answer: `v=${verifier}`, done: true };
  };
}
